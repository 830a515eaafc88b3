package rewrite

import (
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/dupinst/dupinst/profile"
)

// writeTexts writes the new texts to dir, each where it is in the module.
func (s *Source) writeTexts(dir string) error {
	return s.each(func(rel, _, text string) error { return write(filepath.Join(dir, rel), text) })
}

// writeOverlay writes the file that says that those in dir are to be taken.
func (s *Source) writeOverlay(file, dir string) error {
	replace := map[string]string{}
	if err := s.each(func(rel, name, _ string) error {
		replace[name] = filepath.Join(dir, rel)
		return nil
	}); err != nil {
		return err
	}
	return profile.WriteFile(file, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "\t")
		return enc.Encode(map[string]any{"Replace": replace})
	})
}

// each calls f for each text, with its name and that relative to the module.
func (s *Source) each(f func(rel, name, text string) error) error {
	for name, text := range s.Files {
		rel, err := filepath.Rel(s.module.Dir, name)
		if err != nil {
			return err
		}
		if err := f(rel, name, text); err != nil {
			return err
		}
	}
	return nil
}
