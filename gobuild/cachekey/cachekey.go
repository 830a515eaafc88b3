// Package cachekey owns one fact of the toolchain: the line that a tool prints
// for -V=full is part of the key of everything the go command builds with it.
// Whatever changes what dupinst makes of a package must change that line; the
// go command does not otherwise know that dupinst exists.
package cachekey

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strings"
)

// Line returns the version line of a tool that runs under dupinst, given the
// tool's own line and the configuration: everything but dupinst itself that its
// output depends on. The form serves releases, whose whole line counts, and
// development versions, of which only the text after buildID= and its last
// slash does.
func Line(own string, config ...string) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", own, config)
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("cannot find dupinst itself: %w", err)
	}
	f, err := os.Open(exe)
	if err != nil {
		return "", fmt.Errorf("cannot read dupinst itself: %w", err)
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("cannot read dupinst itself: %w", err)
	}
	id := base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:15])
	return fmt.Sprintf("%s +dupinst buildID=_/_/_/%s", strings.TrimSpace(own), id), nil
}
