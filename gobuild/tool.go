package gobuild

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/version"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/gobuild/cachekey"
)

// IsTool reports whether args is a command that the go command runs through
// -toolexec: a tool by its path, or a C compiler.
func IsTool(args []string) bool {
	return len(args) > 0 && (filepath.IsAbs(args[0]) || strings.ContainsRune(args[0], filepath.Separator))
}

// Tool runs a tool as the go command asked, a compile step rewritten, and
// returns the tool's exit status. An error is dupinst's own.
func Tool(ctx context.Context, c *Config, args []string) (int, error) {
	s, err := newStep(args[0], args[1:])
	if err != nil {
		return 1, err
	}
	if s.name() == "link" && s.flag("importcfg") != "" {
		if err := c.linked(ctx, s, os.Stderr); err != nil {
			return 1, err
		}
		return run(ctx, args[0], append(identified(s), args[1:]...))
	}
	assembles := s.name() == "asm" && s.path() == "runtime"
	if s.name() != "compile" && !assembles {
		return run(ctx, args[0], args[1:])
	}
	asked := slices.Equal(s.args, []string{"-V=full"})
	if !asked && !assembles && (s.flag("p") == "" || s.flag("o") == "") {
		return run(ctx, args[0], args[1:])
	}
	if asked {
		return c.version(ctx, s)
	}
	if c, err = c.settle(ctx, s); err != nil {
		return 1, err
	}
	if assembles {
		if c.Backend == Compiler {
			err = c.assemble(s)
		}
		if err != nil {
			return 1, err
		}
		return run(ctx, s.tool, s.args)
	}
	code, err := c.carryOut(ctx, s, args)
	if errors.Is(err, errNotTyped) {
		// Let the compiler say what is wrong, on the user's own files.
		// It must be the compiler that made what the package imports.
		if code, runErr := run(ctx, cmp.Or(s.runs, s.tool), args[1:]); code != 0 || runErr != nil {
			return code, runErr
		}
	}
	return code, err
}

// carryOut runs a compile step as it was asked for in args, but for what is changed; or takes what was made of it before.
func (c *Config) carryOut(ctx context.Context, s *step, args []string) (int, error) {
	changed, err := c.compile(ctx, s)
	if err != nil {
		return 1, err
	}
	keep, err := c.keep(ctx, s)
	if err != nil {
		return 1, err
	}
	if keep != nil {
		if taken, err := keep.Take(); taken || err != nil {
			return 0, err
		}
	}
	code := 1
	if changed {
		code, err = runChanged(ctx, s, args[1:])
	} else {
		code, err = run(ctx, args[0], args[1:])
	}
	if keep != nil && code == 0 && err == nil {
		err = keep.Put()
	}
	return code, err
}

// position is how the compiler says where something is.
var position = regexp.MustCompile(`(?m)^\S+:\d+`)

// runChanged runs a compile step that was changed. What the compiler finds in it,
// but go/types did not, the compiler is to say of the user's own source.
func runChanged(ctx context.Context, s *step, unchanged []string) (int, error) {
	var stdout, stderr bytes.Buffer
	tool := cmp.Or(s.runs, s.tool)
	cmd := exec.CommandContext(ctx, tool, s.args...)
	cmd.Env = append(os.Environ(), s.env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	code, err := feed(cmd, s.input)
	if err != nil {
		return code, err
	}
	if code != 0 {
		if code, err := run(ctx, tool, unchanged); code != 0 || err != nil {
			return code, err
		}
		said := bytes.TrimSpace(append(stdout.Bytes(), stderr.Bytes()...))
		why := "the compiler takes its source, but not what was made of it: this is a mistake in dupinst"
		if !position.Match(said) { // a full disk, say, which had room for the second time
			why = "the compiler failed, and names no place in the source"
		}
		err = fmt.Errorf("cannot instrument package %s: %s:\n%s", s.path(), why, said)
		stdout.Reset()
		stderr.Reset()
	}
	for _, stream := range []struct {
		to  *os.File
		out *bytes.Buffer
	}{{os.Stdout, &stdout}, {os.Stderr, &stderr}} {
		if _, writeErr := stream.to.Write(stream.out.Bytes()); writeErr != nil && err == nil {
			err = fmt.Errorf("cannot pass on what %s prints: %w", s.tool, writeErr)
		}
	}
	if err != nil {
		return 1, err
	}
	return code, nil
}

// run runs a tool with our own streams and returns its exit status.
func run(ctx context.Context, tool string, args []string) (int, error) {
	return status(exec.CommandContext(ctx, tool, args...))
}

// status runs cmd with our own streams and returns its exit status.
func status(cmd *exec.Cmd) (int, error) {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return exited(cmd, cmd.Run())
}

// feed runs cmd with what input makes meanwhile, and returns its exit status.
func feed(cmd *exec.Cmd, input func() (string, error)) (int, error) {
	if input == nil {
		cmd.Stdin = os.Stdin
		return exited(cmd, cmd.Run())
	}
	to, err := cmd.StdinPipe()
	if err != nil {
		return 1, fmt.Errorf("cannot run %s: %w", cmd.Path, err)
	}
	if err := cmd.Start(); err != nil {
		return 1, fmt.Errorf("cannot run %s: %w", cmd.Path, err)
	}
	text, err := input()
	if err != nil {
		_ = cmd.Process.Kill() // it has written nothing yet, or has ended with an error of its own
		_ = cmd.Wait()
		return 1, err
	}
	_, err = io.WriteString(to, text)
	if e := to.Close(); err == nil {
		err = e
	}
	code, waitErr := exited(cmd, cmd.Wait())
	if code == 0 && waitErr == nil && err != nil {
		return 1, fmt.Errorf("cannot tell %s what to instrument: %w", cmd.Path, err)
	}
	return code, waitErr
}

// exited is the exit status of cmd, which ended with err.
func exited(cmd *exec.Cmd, err error) (int, error) {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() >= 0 {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 1, fmt.Errorf("cannot run %s: %w", cmd.Path, err)
	}
	return 0, nil
}

// toolLine is what a tool answers to -V=full.
func toolLine(ctx context.Context, tool string) (string, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, tool, "-V=full")
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("cannot ask %s for its version: %w", tool, err)
	}
	return out.String(), nil
}

// version answers -V=full of the compiler.
func (c *Config) version(ctx context.Context, s *step) (int, error) {
	own, err := toolLine(ctx, s.tool)
	if err != nil {
		return 1, err
	}
	if err := supported(own); err != nil {
		return 1, err
	}
	goCommand := s.goCommand()
	if c, err = c.settle(ctx, s); err != nil {
		return 1, err
	}
	sc, err := c.resolve(ctx, goCommand)
	if err != nil {
		return 1, err
	}
	if err := trimArchives(); err != nil {
		return 1, err
	}
	line, err := cachekey.Line(own, c.key(), sc.key())
	if err != nil {
		return 1, err
	}
	fmt.Println(line)
	return 0, nil
}

// The Go releases whose runtime dupinst knows how to patch.
var releases = []string{"go1.24", "go1.25", "go1.26", "go1.27"}

// supported says whether the toolchain with this version line is one of them, and whether
// dupinst reads what it writes of types: each release does what it and older ones write.
func supported(line string) error { return supportedBy(runtime.Version(), line) }

func supportedBy(own, line string) error {
	own, _, _ = strings.Cut(own, " ") // experiments follow
	for _, f := range strings.Fields(line) {
		if !strings.HasPrefix(f, "go1.") {
			continue
		}
		for _, r := range releases {
			if f != r && !strings.HasPrefix(f, r+".") && !strings.HasPrefix(f, r+"rc") && !strings.HasPrefix(f, r+"-") {
				continue
			}
			if own := version.Lang(own); own != "" && version.Compare(own, r) < 0 {
				return fmt.Errorf("cannot instrument with %s: this dupinst was built with %s; build it with GOTOOLCHAIN=%s, or set GOTOOLCHAIN to an older one to instrument with", f, own, f)
			}
			return nil
		}
		return fmt.Errorf("cannot instrument with %s: dupinst supports %s; set GOTOOLCHAIN to one of them", f, strings.Join(releases, ", "))
	}
	return fmt.Errorf("cannot instrument with this Go: %q names no release", strings.TrimSpace(line))
}
