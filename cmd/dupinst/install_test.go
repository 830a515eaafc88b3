package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestInstall installs dupinst as the README says, from a module proxy that has this tree as the latest version, into a module
// cache that has nothing, and profiles a program with it: what it needs of its own module is in what the proxy gives.
func TestInstall(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it downloads all modules, and builds dupinst and an extended compiler anew")
	}
	const path, version = "github.com/dupinst/dupinst", "v0.99.0"
	root := filepath.Join("..", "..")
	proxy := t.TempDir()
	versions := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(versions, 0o777); err != nil {
		t.Fatal(err)
	}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": version + "\n", version + ".info": fmt.Sprintf("{%q:%q}", "Version", version), version + ".mod": string(gomod)} {
		if err := os.WriteFile(filepath.Join(versions, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	archive, err := os.Create(filepath.Join(versions, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromVCS(archive, module.Version{Path: path, Version: version}, root, "HEAD", ""); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}

	out, err := exec.Command("go", "env", "-json", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	var env struct{ GOPROXY string }
	if err := json.Unmarshal(out, &env); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	shell := func(command string) string {
		t.Helper()
		cmd := exec.Command("sh", "-ec", command)
		cmd.Dir = filepath.Join("..", "..", "testdata", "documented")
		cmd.Env = append(building(), "GOPROXY=file://"+proxy+","+env.GOPROXY, "GONOSUMDB="+path, "GOFLAGS=-modcacherw",
			"GOMODCACHE="+filepath.Join(dir, "mod"), "GOBIN="+filepath.Join(dir, "bin"), "XDG_CACHE_HOME="+dir, "OUT="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		return string(out)
	}
	shell("cd / && go install " + path + "/cmd/dupinst@latest")
	if out := shell("$OUT/bin/dupinst version"); !strings.Contains(out, version) {
		t.Errorf("the version of %s is %s", version, out)
	}
	shell("$OUT/bin/dupinst build -o $OUT/prog ./cmd/prog && DUPINST_DIR=$OUT/prof $OUT/prog")
	if out := shell("$OUT/bin/dupinst report $OUT/prof"); !strings.Contains(out, "instrumented in the compiler") || !strings.Contains(out, "pkg.find") {
		t.Errorf("the report of what was built:\n%s", out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "prof", "*.dupinst"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if text, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(text), version) {
		t.Errorf("the profile does not say that %s made it: %v", version, err)
	}
}
