package gobuild

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/dupinst/dupinst/gobuild/archives"
)

// archivesKept is how long what nobody asks for is kept, as in the go command's cache.
const archivesKept = 5 * 24 * time.Hour

// archivesDir is where archives are kept, and whether there is such a place: without one all is compiled.
func archivesDir() (string, bool) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", false
	}
	dir := filepath.Join(cache, "dupinst", "archives")
	return dir, os.MkdirAll(dir, 0o777) == nil
}

// keep returns a compile step, changed as it is, for its archive to be kept or taken, or nil if it is not one of those:
// packages of the standard library that have nothing to count of their own. What may be inlined there is in what their imports export.
func (c *Config) keep(ctx context.Context, s *step) (*archives.Step, error) {
	if !s.std() { // before the go command is asked for the scope, which takes as long as a small package
		return nil, nil
	}
	sc, err := c.resolveFor(ctx, s)
	if err != nil || sc.contains(s) || c.Plans && sc.reachesStd(s.src()) { // whose plans are in files that build IDs name
		return nil, err
	}
	dir, ok := archivesDir()
	if !ok {
		return nil, nil
	}
	input := ""
	if s.input != nil {
		if input, err = s.input(); err != nil {
			return nil, err
		}
		s.input = func() (string, error) { return input, nil }
	}
	return archives.Of(dir, cmp.Or(s.runs, s.tool), s.args, append(os.Environ(), s.env...), input)
}

func trimArchives() error {
	dir, ok := archivesDir()
	if !ok {
		return nil
	}
	return archives.Trim(dir, time.Now(), archivesKept)
}
