package toolchain

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func own(t *testing.T) Release {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		t.Fatal(err)
	}
	f := strings.Fields(string(out))
	return Release{f[0], f[1]}
}

func TestCompile(t *testing.T) {
	tool, err := Compile(context.Background(), own(t), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(tool)
}
