// Package importcfg owns one fact of the toolchain: the file by which the go
// command tells a compile step where the archives of its imports are.
package importcfg

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// A Config is a parsed importcfg.
type Config struct {
	text    string
	imports map[string]string // source path to package path
	files   map[string]string // package path to archive
}

// Read reads the importcfg of that name.
func Read(name string) (*Config, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read importcfg: %w", err)
	}
	c := &Config{text: string(data), imports: map[string]string{}, files: map[string]string{}}
	for i, line := range strings.Split(c.text, "\n") {
		verb, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		from, to, ok := strings.Cut(strings.TrimSpace(args), "=")
		switch {
		case verb == "" || verb[0] == '#':
		case !ok:
			return nil, fmt.Errorf("%s:%d: cannot read importcfg: no = in %q", name, i+1, line)
		case verb == "importmap":
			c.imports[from] = to
		case verb == "packagefile":
			c.files[from] = to
		}
	}
	return c, nil
}

// Has reports whether the archive of a package is known.
func (c *Config) Has(path string) bool { return c.files[path] != "" }

// Add makes the archive of a package known.
func (c *Config) Add(path, archive string) {
	c.files[path] = archive
	if c.text != "" && !strings.HasSuffix(c.text, "\n") {
		c.text += "\n"
	}
	c.text += fmt.Sprintf("packagefile %s=%s\n", path, archive)
}

// Write writes the importcfg to a file.
func (c *Config) Write(name string) error {
	if err := os.WriteFile(name, []byte(c.text), 0o666); err != nil {
		return fmt.Errorf("cannot write importcfg: %w", err)
	}
	return nil
}

// Open opens the archive of an import, as the importing source names it.
func (c *Config) Open(path string) (io.ReadCloser, error) {
	if to, ok := c.imports[path]; ok {
		path = to
	}
	file, ok := c.files[path]
	if !ok {
		return nil, fmt.Errorf("no archive of package %q in importcfg", path)
	}
	return os.Open(file)
}
