package measure

import (
	"context"
	"debug/elf"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"encoding/json"
)

// build builds the program twice: the second build, measured, compiles the main
// module's packages anew, and nothing else.
func (e *experiment) build(b *Build) error {
	args := []string{"build"}
	if e.Test {
		args = []string{"test", "-c"}
	}
	args = append(args, b.flags...)
	if b.Variant != "" {
		args = append(args, "-toolexec="+e.toolexec(b))
	}
	if b.Name == timer && !e.Test {
		overlay, err := Timed(e.ctx, e.Package, "", e.dir)
		if err != nil {
			return err
		}
		args = append(args, "-overlay="+overlay)
	}
	e.step("building %s", b.Name)
	if _, err := e.command("go", append(args, "-o", b.file, e.Package)...); err != nil {
		return err
	}
	sum, err := checksum(b.file)
	if err != nil {
		return err
	}
	if e.known(b, sum) {
		e.done++
		return nil
	}
	module, err := e.command("go", "list", "-f", "{{with .Module}}{{.Path}}{{end}}", e.Package)
	if err != nil {
		return err
	}
	if module != "" {
		// A search path on which nothing is found makes the compiler run again.
		args = append(args, fmt.Sprintf("-gcflags=%s/...=-I=%s", module, filepath.Join(e.dir, fmt.Sprint(time.Now().UnixNano()))))
	}
	e.step("building %s again", b.Name)
	start := time.Now()
	if _, err := e.command("go", append(args, "-o", b.file, e.Package)...); err != nil {
		return err
	}
	b.Seconds = time.Since(start).Seconds()
	if b.Text, err = textSize(b.file); err != nil {
		return err
	}
	return e.built(b, sum)
}

// toolexec is the go command's flag for b.
func (e *experiment) toolexec(b *Build) string {
	in := b.Instrument
	if in == Both {
		in = strings.Join(e.Instrumentations, ",")
	}
	words := append([]string{e.Dupinst}, e.Flags...)
	words = append(words, "-variant="+b.Variant, "-instrument="+in)
	if b.trigger != "" {
		words = append(words, "-trigger="+b.trigger)
	}
	if e.Packages != "" {
		words = append(words, "-pkgs="+e.Packages)
	}
	return strings.Join(words, " ")
}

// command runs a command and returns what it prints.
func (e *experiment) command(name string, args ...string) (string, error) {
	return command(e.ctx, "", name, args...)
}

func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// textSize is the size of a program's machine code.
func textSize(name string) (uint64, error) {
	f, err := elf.Open(name)
	if err != nil {
		return 0, fmt.Errorf("cannot read the built program: %w", err)
	}
	defer f.Close()
	s := f.Section(".text")
	if s == nil {
		return 0, fmt.Errorf("%s has no text section", name)
	}
	return s.Size, nil
}

// Timed writes to the directory out an overlay (see go help build) of a main
// package, named as in dir, whose main function runs with a CPU profile, at the
// default rate. The file for it is in the environment variable DUPINST_CPUPROFILE.
func Timed(ctx context.Context, pkg, dir, out string) (overlay string, err error) {
	listed, err := command(ctx, dir, "go", "list", "-json=Dir,GoFiles", pkg)
	if err != nil {
		return "", err
	}
	var p struct {
		Dir     string
		GoFiles []string
	}
	if err := json.Unmarshal([]byte(listed), &p); err != nil {
		return "", err
	}
	for _, name := range p.GoFiles {
		name = filepath.Join(p.Dir, name)
		src, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || fn.Name.Name != "main" {
				continue
			}
			at := fset.Position(fn.Name.Pos()).Offset
			text := string(src[:at]) + "dupinst_main" + string(src[at+len("main"):])
			return writeOverlay(out, p.Dir, name, text)
		}
	}
	return "", fmt.Errorf("cannot profile %s: it has no main function", pkg)
}

const timedMain = `package main

import (
	"os"
	"runtime/pprof"
)

func main() {
	f, err := os.Create(os.Getenv("DUPINST_CPUPROFILE"))
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		panic(err)
	}
	defer pprof.StopCPUProfile()
	dupinst_main()
}
`

// writeOverlay writes the overlay of a package in dir to out: text in the place of
// the file name, and a main function in a file of its own.
func writeOverlay(out, dir, name, text string) (string, error) {
	at := func(base string) string { return filepath.Join(out, base) }
	list, err := json.Marshal(map[string]map[string]string{"Replace": {
		name: at("main.go.txt"), filepath.Join(dir, "dupinst_timer.go"): at("timer.go.txt"),
	}})
	if err != nil {
		return "", err
	}
	for base, content := range map[string]string{"main.go.txt": text, "timer.go.txt": timedMain, "overlay.json": string(list)} {
		if err := os.WriteFile(at(base), []byte(content), 0o666); err != nil {
			return "", fmt.Errorf("cannot write the overlay: %w", err)
		}
	}
	return at("overlay.json"), nil
}

// machine describes where the experiment runs.
func machine() string {
	cpu := ""
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				cpu = ", " + strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %s/%s, %d CPUs%s", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), cpu)
}
