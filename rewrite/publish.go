package rewrite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// mark is the file by which a directory that dupinst made is known.
const mark = "made-by-dupinst-rewrite"

// publish makes a directory of what fill puts there, whole or not at all. One that is
// there is replaced if it is empty, or was made so before.
func publish(dir string, fill func(dir string) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, e := os.Stat(filepath.Join(dir, mark)); e != nil && len(entries) > 0 {
		return fmt.Errorf("%s was not made by dupinst rewrite, and is not empty", dir)
	}
	staged := fmt.Sprintf("%s.tmp%d", dir, os.Getpid())
	if err := os.RemoveAll(staged); err != nil { // of a process that was killed
		return err
	}
	if err := os.MkdirAll(staged, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(staged)
	text := "This directory was made by dupinst rewrite, which replaces it as a whole.\n"
	if err := write(filepath.Join(staged, mark), text); err != nil {
		return err
	}
	if err := fill(staged); err != nil {
		return err
	}
	old := staged + ".old"
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(staged, dir); err != nil {
		if e := os.Rename(old, dir); e != nil && !errors.Is(e, fs.ErrNotExist) {
			return fmt.Errorf("%w; what was there is in %s: %w", err, old, e)
		}
		return err
	}
	return os.RemoveAll(old)
}

// write writes a file, and makes the directories above it.
func write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o666)
}
