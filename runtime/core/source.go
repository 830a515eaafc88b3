//go:build !dupinst_runtime

package core

import (
	"embed"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

//go:embed *.go *.s
var files embed.FS

// Targets are those of whose runtime core can be a part, as GOOS/GOARCH.
func Targets() []string {
	return []string{"darwin/amd64", "darwin/arm64", "linux/386", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64"}
}

// Source returns the files to be added to package runtime, by name, for one of Targets
// and a release of Go, such as go1.26.
func Source(goos, goarch, release string) (map[string]string, error) {
	minor, err := strconv.Atoi(strings.TrimPrefix(release, "go1."))
	if err != nil {
		return nil, fmt.Errorf("%q names no release of Go", release)
	}
	ctx := build.Context{
		GOOS: goos, GOARCH: goarch, Compiler: "gc", BuildTags: []string{"dupinst_runtime"},
		JoinPath: path.Join,
		OpenFile: func(name string) (io.ReadCloser, error) { return files.Open(name) },
	}
	for i := range minor {
		ctx.ReleaseTags = append(ctx.ReleaseTags, "go1."+strconv.Itoa(i+1))
	}
	texts, err := goTexts()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for name, text := range texts {
		matches, err := ctx.MatchFile(".", name)
		if err != nil {
			return nil, err
		}
		if matches {
			out[name] = strings.Replace(text, "package core\n", "package runtime\n", 1)
		}
	}
	return out, nil
}

// goTexts are the package's Go files but for tests, by name.
func goTexts() (map[string]string, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			text, err := files.ReadFile(name)
			if err != nil {
				return nil, err
			}
			out[name] = string(text)
		}
	}
	return out, nil
}

// Assembly is what is added to the runtime's assembly for an architecture, for code that
// was duplicated in the compiler.
func Assembly(goarch string) (string, error) {
	text, err := files.ReadFile("trigger_sample_" + goarch + ".s")
	if err != nil {
		return "", fmt.Errorf("no assembly for %s", goarch)
	}
	return strings.Replace(string(text), "//go:build dupinst_runtime\n", "", 1), nil
}

// Portable returns the files of this package as an ordinary one, by name, for a module of any
// Go version to have as its own, in any package of its. The version of dupinst that made it is noted.
func Portable(version string) (map[string]string, error) {
	texts, err := goTexts()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for name, text := range texts {
		if name == linkedName || name == "source.go" {
			continue
		}
		constraint := ""
		if line, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(line, "//go:build ") {
			if constraint, text = strings.TrimPrefix(line, "//go:build "), rest; strings.HasPrefix(constraint, "dupinst_runtime") {
				continue
			}
			constraint = " && (" + constraint + ")"
		}
		text = strings.Replace(text, "var dupinstVersion = \"\"\n", "var dupinstVersion = "+strconv.Quote(version)+"\n", 1)
		// The constraint also says of which version of the language the file is.
		out[name] = "//go:build " + oldest + constraint + "\n\n" + strings.TrimLeft(text, "\n")
	}
	return out, nil
}

// oldest is the release of Go that this package needs.
const oldest = "go1.24"

const linkedName = "control_linked.go"

// Linked is the source of the file that takes the place of the public package's
// plain.go.
func Linked() string {
	text, err := files.ReadFile(linkedName)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return strings.Replace(string(text), "//go:build dupinst_linked\n", "", 1)
}
