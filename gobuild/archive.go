package gobuild

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"
)

const (
	hostOS   = runtime.GOOS
	hostArch = runtime.GOARCH
)

// building is set in the environment of the go command that builds package
// runtime on our behalf.
const building = "DUPINST_BUILDING_RUNTIME"

// archive returns the archive of the patched package runtime, for a step whose
// importcfg does not have it because the package does not import runtime. Only
// the go command knows where it is. It is asked once in a build: the answer is
// kept in its own work directory, gone when the build is done.
func (c *Config) archive(ctx context.Context, s *step) (string, error) {
	if os.Getenv(building) != "" {
		// The archive would need itself. Without this, processes without end.
		return "", fmt.Errorf("cannot instrument package %s: package runtime is built from it; this Go release is not supported", s.path())
	}
	work := filepath.Dir(filepath.Dir(s.flag("o")))
	f, err := lockedfile.Edit(filepath.Join(work, "dupinst-runtime"))
	if err != nil {
		return "", fmt.Errorf("cannot share the archive of package runtime: %w", err)
	}
	defer f.Close()
	known, err := io.ReadAll(f)
	if err != nil {
		return "", fmt.Errorf("cannot share the archive of package runtime: %w", err)
	}
	if len(known) > 0 {
		return string(known), nil
	}
	toolexec, err := c.toolexec()
	if err != nil {
		return "", err
	}
	args := append([]string{"list", "-export", "-f", "{{.Export}}", "-toolexec", toolexec}, outerFlags(s)...)
	cmd := exec.CommandContext(ctx, s.goCommand(), append(args, "runtime")...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "TOOLEXEC_IMPORTPATH=") })
	cmd.Env = append(cmd.Env, building+"=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("cannot build package runtime: %w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	name := strings.TrimSpace(string(out))
	if _, err := f.WriteString(name); err != nil {
		return "", fmt.Errorf("cannot share the archive of package runtime: %w", err)
	}
	return name, nil
}

// shared are the flags of the outer go command that decide which archive of
// package runtime it links.
var shared = map[string]bool{ // whether the flag takes a value
	"race": false, "msan": false, "asan": false, "trimpath": false, "linkshared": false,
	"buildmode": true, "gcflags": true, "asmflags": true, "tags": true, "installsuffix": true,
	"compiler": true, "pkgdir": true, "mod": true, "modfile": true, "overlay": true,
}

// outerFlags returns those flags. They do not reach a tool, but the go command
// is our parent, and on Linux its arguments can be read. Elsewhere, those that
// show in the step's own arguments must do.
func outerFlags(s *step) []string {
	args := parentArgs()
	if args == nil {
		var out []string
		for _, f := range []string{"race", "msan", "asan"} {
			if slices.Contains(s.args, "-"+f) {
				out = append(out, "-"+f)
			}
		}
		return out
	}
	var out []string
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		takes, ok := shared[name]
		if !ok || args[i] == name {
			continue
		}
		out = append(out, args[i])
		if takes && !joined && i+1 < len(args) {
			i++
			out = append(out, args[i])
		}
	}
	return out
}

// parentArgs returns the arguments of the go command that runs us, or nil.
func parentArgs() []string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", os.Getppid()))
	if err != nil {
		return nil
	}
	args := strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
	if strings.TrimSuffix(filepath.Base(args[0]), ".exe") != "go" {
		return nil
	}
	return args[1:]
}
