package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// wine are the names of the emulator for Windows; the last is where Debian has it.
var wine = []string{"wine64", "/usr/lib/wine/wine64"}

// emulated are the architectures that programs can be built for besides the own one,
// with the names that QEMU's user-mode emulators have for them.
var emulated = map[string]string{"386": "i386", "amd64": "x86_64", "arm64": "aarch64"}

// A target is what all go commands build with and for.
type target struct {
	release string // of Go, as GOTOOLCHAIN names it; "" for the own one
	system  string // "" for the own one
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
	if t.system != "" && t.system != runtime.GOOS {
		if t.system != "windows" {
			return fmt.Errorf("-os: nothing runs programs for %q", t.system)
		}
		if t.arch != "" && t.arch != runtime.GOARCH {
			return fmt.Errorf("-os, -arch: nothing runs programs for %s on %s", t.system, t.arch)
		}
		// What Wine says of its own belongs to no program.
		if err := t.emulate("-os", wine, "GOOS="+t.system, "WINEDEBUG=-all"); err != nil {
			return err
		}
		return keepWine(t.emulator)
	}
	if t.arch != "" && t.arch != runtime.GOARCH {
		name, ok := emulated[t.arch]
		if !ok {
			return fmt.Errorf("-arch: nothing is built for %q", t.arch)
		}
		return t.emulate("-arch", []string{"qemu-" + name, "qemu-" + name + "-static"}, "GOARCH="+t.arch)
	}
	return nil
}

// emulate has programs run by the first of some emulators that is there, and all
// commands from here on run with env.
func (t *target) emulate(flag string, emulators []string, env ...string) error {
	var err error
	for _, name := range emulators {
		if t.emulator, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("%s: nothing runs the programs: %w", flag, err)
	}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		if err := os.Setenv(name, value); err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
	}
	return nil
}

// keepWine starts a command prompt, which ends when its standard input does: with this
// process. Wine's services live as long as any program does and write to the standard
// error of the first, which must be none that is compared.
func keepWine(wine string) error {
	prompt := exec.Command(wine, "cmd")
	if _, err := prompt.StdinPipe(); err != nil {
		return fmt.Errorf("-os: start Wine: %w", err)
	}
	stdout, err := prompt.StdoutPipe()
	if err != nil {
		return fmt.Errorf("-os: start Wine: %w", err)
	}
	if err := prompt.Start(); err != nil {
		return fmt.Errorf("-os: start Wine: %w", err)
	}
	_, err = stdout.Read(make([]byte, 1))
	go prompt.Wait() // which keeps its standard input from being collected, and so closed
	if err != nil {
		return fmt.Errorf("-os: start Wine's command prompt: %w", err)
	}
	return nil
}

// program is the name of a file that can be run.
func (t *target) program(name string) string {
	if t.system == "windows" {
		name += ".exe"
	}
	return name
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
var host = []string{"GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH}
