//go:build !dupinst_runtime

package core

import (
	"embed"
	"io/fs"
	"strconv"
	"strings"
)

//go:embed *.go
var files embed.FS

// Source returns the files to be added to package runtime, by name, for a
// target. It reports false where there are none for the target.
func Source(goos, goarch string) (map[string]string, bool) {
	out := map[string]string{}
	target := "patched_" + goos + "_" + goarch + ".go"
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic(err) // the files are part of the program
	}
	for _, e := range entries {
		name := e.Name()
		text, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		switch {
		case strings.Contains(string(text), "//go:build !dupinst_runtime"), name == linkedName, strings.HasSuffix(name, "_test.go"):
			continue
		case strings.HasPrefix(name, "patched_") && name != target:
			continue
		}
		out[name] = strings.Replace(string(text), "package core\n", "package runtime\n", 1)
	}
	return out, out[target] != ""
}

const linkedName = "linked.go"

// Linked is the source of the file that takes the place of the public package's
// plain.go.
func Linked() string {
	text, err := files.ReadFile(linkedName)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return strings.Replace(string(text), "//go:build dupinst_linked\n", "", 1)
}

// CopyName is the name of a copy of a declared function: of one with probes or
// without, of a function or, where recv names a type, a method. A quiet one calls
// nothing that has a check.
func CopyName(probed, quiet bool, recv string, pointer bool, name string) string {
	copy, kind, length := "C", "F", ""
	if probed {
		copy = "D"
	}
	if recv != "" {
		kind, length = "V", strconv.Itoa(len(recv))
		if pointer {
			kind = "P"
		}
	}
	if quiet {
		kind = strings.ToLower(kind)
	}
	return dupinstCopy[1:] + copy + kind + length + "_" + recv + name
}

// OriginalName is what the runtime says for the name of a copy, with the package
// before it or without.
func OriginalName(name string) string {
	name = "." + name
	dot := dupinstCopyAt(name)
	if dot < 0 {
		return name[1:]
	}
	out := make([]byte, len(name))
	return string(out[1:dupinstOriginalName(out, name, dot)])
}
