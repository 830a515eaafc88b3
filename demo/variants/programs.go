package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// A program is one of those compared.
type program struct {
	name     string
	module   string // with version; "" for the standard distribution
	pkg      string // as go build takes it, in the module's directory
	pkgs     string // what to instrument
	workload func(b *bench, src string) (workload, error)
}

// A workload is one run of a program.
type workload struct {
	args  []string
	stdin string // a file, or ""
}

var programs = []program{
	{"minify", "github.com/tdewolff/minify/v2@v2.24.25", "./cmd/minify", "github.com/...,gopkg.in/...", minify},
	{"esbuild", "github.com/evanw/esbuild@v0.25.0", "./cmd/esbuild", "github.com/...", esbuild},
	{"shfmt", "mvdan.cc/sh/v3@v3.10.0", "./cmd/shfmt", "mvdan.cc/...", shfmt},
	{"jsonnet", "github.com/google/go-jsonnet@v0.20.0", "./cmd/jsonnet", "github.com/...", jsonnet},
	{"gojq", "github.com/itchyny/gojq@v0.12.17", "./cmd/gojq", "github.com/...", gojq},
	{"gofmt", "", "cmd/gofmt", "cmd/gofmt,go/...,text/tabwriter", gofmt},
	{"starlark", "go.starlark.net@v0.0.0-20250318223901-d9371fef63fe", "./cmd/starlark", "go.starlark.net/...", starlark},
}

func (b *bench) goroot(name string) (string, error) {
	root, err := b.output("", "go", "env", "GOROOT")
	return filepath.Join(root, name), err
}

// repeated writes a file that is another one many times over.
func (b *bench) repeated(out, from string, n int) (string, error) {
	data, err := os.ReadFile(from)
	if err != nil {
		return "", err
	}
	name := filepath.Join(b.dir, out)
	return name, os.WriteFile(name, bytes.Repeat(append(data, '\n'), n), 0o666)
}

func minify(b *bench, _ string) (workload, error) {
	html, err := b.goroot("src/internal/trace/traceviewer/static/trace_viewer_full.html")
	if err != nil {
		return workload{}, err
	}
	in, err := b.repeated("minify.html", html, 3)
	return workload{[]string{"-q", "--type=html"}, in}, err
}

func esbuild(b *bench, _ string) (workload, error) {
	js, err := b.goroot("src/internal/trace/traceviewer/static/webcomponents.min.js")
	if err != nil {
		return workload{}, err
	}
	in, err := b.repeated("esbuild.js", js, 12)
	return workload{[]string{"--minify", "--log-level=error"}, in}, err
}

func gofmt(_ *bench, src string) (workload, error) {
	args := []string{"-l"}
	for _, dir := range []string{"net", "os", "crypto", "encoding", "image", "text"} {
		args = append(args, filepath.Join(src, dir))
	}
	return workload{args: args}, nil
}

func shfmt(b *bench, _ string) (workload, error) {
	sh, err := b.goroot("src/make.bash")
	if err != nil {
		return workload{}, err
	}
	in, err := b.repeated("shfmt.sh", sh, 250)
	return workload{[]string{"-s"}, in}, err
}

func jsonnet(*bench, string) (workload, error) {
	const text = `local fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2);
		{ fib: fib(23), s: std.foldl(function(a, x) a + x.v, [{ v: i } for i in std.range(0, 20000)], 0) }`
	return workload{args: []string{"-e", text}}, nil
}

func gojq(*bench, string) (workload, error) {
	return workload{args: []string{"-n", "[range(360000) | {a: ., b: (. * 3 % 7)} | select(.b > 2) | .a + .b] | add"}}, nil
}

func starlark(b *bench, _ string) (workload, error) {
	name := filepath.Join(b.dir, "sieve.star")
	text := fmt.Sprintf(`def sieve(n):
    composite = [False] * n
    primes = []
    for i in range(2, n):
        if not composite[i]:
            primes.append(i)
            for j in range(i * i, n, i):
                composite[j] = True
    return primes

def words(n):
    d = {}
    for i in range(n):
        k = "k%%d" %% (i %% 1000)
        d[k] = d.get(k, 0) + i
    return d

print(len(sieve(%d)), len(words(%d)))
`, 400000, 150000)
	return workload{args: []string{name}}, os.WriteFile(name, []byte(text), 0o666)
}
