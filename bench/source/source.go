// Package source finds the real input that the workloads read: files that lie
// beside the source of the libraries that they drive.
package source

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
)

// Near returns the path of a file, given relative to the directory of the
// source file that declares the function fn.
func Near(fn any, file string) string {
	name, _ := runtime.FuncForPC(reflect.ValueOf(fn).Pointer()).FileLine(reflect.ValueOf(fn).Pointer())
	return filepath.Join(filepath.Dir(name), file)
}

// Check ends the program if err is one.
func Check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Read reads a file that Near finds.
func Read(fn any, file string) []byte {
	data, err := os.ReadFile(Near(fn, file))
	Check(err)
	return data
}
