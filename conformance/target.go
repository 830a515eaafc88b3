package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// emulated are the architectures that programs can be built for besides the own one,
// with the names that QEMU's user-mode emulators have for them.
var emulated = map[string]string{"386": "i386", "amd64": "x86_64", "arm64": "aarch64"}

// A target is what all go commands build with and for.
type target struct {
	release string // of Go, as GOTOOLCHAIN names it; "" for the own one
	arch    string // "" for the own one
	// emulator runs programs; "" where the system does so itself.
	emulator string
}

// use makes all go commands from here on build for t.
func (t *target) use() error {
	if t.release != "" {
		if err := os.Setenv("GOTOOLCHAIN", t.release); err != nil {
			return fmt.Errorf("-toolchain: %w", err)
		}
	}
	if t.arch == "" || t.arch == runtime.GOARCH {
		return nil
	}
	name, ok := emulated[t.arch]
	if !ok {
		return fmt.Errorf("-arch: nothing is built for %q", t.arch)
	}
	var err error
	for _, file := range []string{"qemu-" + name, "qemu-" + name + "-static"} {
		if t.emulator, err = exec.LookPath(file); err == nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("-arch: cannot run programs for %s: %w", t.arch, err)
	}
	if err := os.Setenv("GOARCH", t.arch); err != nil {
		return fmt.Errorf("-arch: %w", err)
	}
	return nil
}

// command is what runs a program.
func (t *target) command(file string, args []string) []string {
	all := append([]string{file}, args...)
	if t.emulator != "" {
		all = append([]string{t.emulator}, all...)
	}
	return all
}

// exec are the flags of a go command that runs what it builds.
func (t *target) exec() []string {
	if t.emulator == "" {
		return nil
	}
	return []string{"-exec=" + t.emulator}
}

// host is the environment of a go command whose program is run at once.
var host = []string{"GOARCH=" + runtime.GOARCH}
