// Package archives keeps what the compiler made of packages that nothing is put into, and gives it again.
//
// For the go command all that dupinst is told is part of the compiler's version (package cachekey), so that it has the standard
// library compiled for each variant, each set of instrumentations and each version of dupinst, though most often none of it is
// instrumented. What a compile step makes is a function of the tool, of its arguments, of what is in the files that they name, of
// what archives of imports export, and of the environment; not of the work directory, nor of the build ID, which stands in the archive
// as it was given. A step is known by a hash of the former, and the latter is put into the archive that was kept. A
// step with a flag that is not among those below, or an environment that makes the compiler write what is not its archive, is
// not kept.
package archives

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// kind is what a flag's value is to a key.
type kind int

const (
	boolean kind = iota // there is none: the flag itself counts
	text                // counts as it is
	file                // names a file that counts
	imports             // names the file that names archives of imports
	output              // names a file that the step writes
	ignored             // does not count: how many threads compile, and what is replaced
)

var flags = map[string]kind{
	"+": boolean, "B": boolean, "N": boolean, "asan": boolean, "complete": boolean, "dwarf": boolean, "dynlink": boolean, "l": boolean,
	"msan": boolean, "nolocalimports": boolean, "pack": boolean, "race": boolean, "shared": boolean, "std": boolean,
	"D": text, "goversion": text, "installsuffix": text, "lang": text, "p": text, "trimpath": text,
	"pgoprofile": file, "symabis": file, "importcfg": imports, "o": output, "asmhdr": output, "buildid": ignored, "c": ignored,
}

// elsewhere are variables of the go command's that say nothing to the compiler.
var elsewhere = map[string]bool{
	"GOAUTH": true, "GOBIN": true, "GOCACHE": true, "GOCACHEPROG": true, "GOENV": true, "GOFLAGS": true, "GOGC": true, "GOINSECURE": true,
	"GOMAXPROCS": true, "GOMEMLIMIT": true, "GOMOD": true, "GOMODCACHE": true, "GONOPROXY": true, "GONOSUMDB": true, "GOPATH": true,
	"GOPRIVATE": true, "GOPROXY": true, "GOSUMDB": true, "GOTELEMETRY": true, "GOTELEMETRYDIR": true, "GOTMPDIR": true, "GOTOOLCHAIN": true,
	"GOTOOLDIR": true, "GOTRACEBACK": true, "GOVCS": true, "GOVERSION": true, "GOWORK": true,
}

// A Step is a compile step whose archive can be kept.
type Step struct {
	place           string // where it is kept, without an extension
	buildID         string
	archive, header string // what it writes; the header may be ""
}

// Of returns the step in which tool runs with args, an environment and what it reads on its standard input, to be kept in
// a directory; nil if it cannot be.
func Of(dir, tool string, args, env []string, input string) (*Step, error) {
	info, err := os.Stat(tool)
	if err != nil {
		return nil, fmt.Errorf("cannot keep an archive: %w", err)
	}
	k := &key{Hash: sha256.New()}
	fmt.Fprintf(k, "1 %q %d %d %q\n", tool, info.Size(), info.ModTime().UnixNano(), input)
	if !k.environment(env) {
		return nil, nil
	}
	given, rest, ok := parse(args)
	if !ok || given["o"] == "" || given["buildid"] == "" {
		return nil, nil
	}
	k.work = filepath.Dir(given["o"])
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if err := k.flag(name, given[name]); err != nil {
			return nil, err
		}
	}
	for _, name := range rest {
		if err := k.file(name); err != nil {
			return nil, err
		}
	}
	sum := hex.EncodeToString(k.Sum(nil))
	return &Step{place: filepath.Join(dir, sum[:2], sum[2:]), buildID: given["buildid"], archive: given["o"], header: given["asmhdr"]}, nil
}

// parse divides arguments into flags and files, and reports whether it knows all of them.
func parse(args []string) (given map[string]string, rest []string, ok bool) {
	given = map[string]string{}
	for i := 0; i < len(args); i++ {
		if args[i] == "" || args[i][0] != '-' {
			return given, args[i:], true
		}
		name, value, joined := strings.Cut(args[i][1:], "=")
		kind, known := flags[name]
		if _, twice := given[name]; twice || !known {
			return nil, nil, false
		}
		if kind != boolean && !joined {
			if i++; i == len(args) {
				return nil, nil, false
			}
			value = args[i]
		}
		given[name] = value
	}
	return given, nil, true
}

// A key is made by hashing what a step depends on.
type key struct {
	hash.Hash
	work string // the work directory, which no key depends on
}

// environment adds variables that may count, and reports whether none of them is one that has the compiler write something.
func (k *key) environment(env []string) bool {
	var counts []string
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "GOSSA") || strings.HasPrefix(name, "GOCOMPILE") {
			return false
		}
		if strings.HasPrefix(name, "GO") && !elsewhere[name] || name == "DUPINST_PASS" {
			counts = append(counts, e)
		}
	}
	slices.Sort(counts)
	fmt.Fprintf(k, "%q\n", counts)
	return true
}

func (k *key) flag(name, value string) error {
	switch flags[name] {
	case boolean, text:
		fmt.Fprintf(k, "%s %q\n", name, strings.ReplaceAll(value, k.work, "$WORK"))
	case output:
		fmt.Fprintf(k, "%s\n", name)
	case file:
		fmt.Fprintf(k, "%s ", name)
		return k.file(value)
	case imports:
		return k.imports(value)
	}
	return nil
}

// file adds a file.
func (k *key) file(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("cannot keep an archive: %w", err)
	}
	fmt.Fprintf(k, "%q %x\n", strings.ReplaceAll(name, k.work, "$WORK"), sha256.Sum256(text))
	return nil
}

// imports adds what archives of imports export.
func (k *key) imports(name string) error {
	list, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("cannot keep an archive: %w", err)
	}
	for line := range strings.Lines(string(list)) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "packagefile ")
		if !ok {
			fmt.Fprintf(k, "%q\n", line)
			continue
		}
		path, archive, _ := strings.Cut(rest, "=")
		sum, err := exported(archive)
		if err != nil {
			return fmt.Errorf("cannot keep an archive: %w", err)
		}
		fmt.Fprintf(k, "%q %x\n", path, sum)
	}
	return nil
}

// Of an archive's member: the line that begins it (ar's, as cmd/internal/archive reads it), and what the compiler calls what exports.
const (
	magic     = "!<arch>\n"
	entry     = 60
	sizeAt    = 48
	exporting = "__.PKGDEF"
)

var idLine = []byte("\nbuild id \"")

// exported is the hash of what an archive exports, but for its build ID.
func exported(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, len(magic)+entry)
	if _, err := io.ReadFull(f, head); err != nil {
		return nil, fmt.Errorf("%s is no archive: %w", name, err)
	}
	member := head[len(magic):]
	size, err := strconv.Atoi(strings.TrimSpace(string(member[sizeAt : entry-2])))
	if err != nil || string(head[:len(magic)]) != magic || !bytes.HasPrefix(member, []byte(exporting)) {
		return nil, fmt.Errorf("%s is no archive that begins with what it exports", name)
	}
	text, err := io.ReadAll(io.LimitReader(f, int64(size)))
	if err != nil {
		return nil, err
	}
	if len(text) != size {
		return nil, fmt.Errorf("%s is no whole archive: what it exports has %d bytes of %d", name, len(text), size)
	}
	h := sha256.New()
	if at := bytes.Index(text, idLine); at >= 0 {
		h.Write(text[:at])
		_, after, _ := bytes.Cut(text[at+1:], []byte("\n"))
		text = after
	}
	h.Write(text)
	return h.Sum(nil), nil
}

// Take writes what was kept of the step to where it is asked for, and reports whether there was anything.
func (s *Step) Take() (bool, error) {
	text, err := os.ReadFile(s.place + ".a")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot read an archive that was kept: %w", err)
	}
	_, id, _ := bytes.Cut(text, idLine)
	id, _, _ = bytes.Cut(id, []byte("\"\n"))
	if len(id) != len(s.buildID) || len(id) == 0 {
		return false, nil // it was made where build IDs are of another length
	}
	var header []byte
	if s.header != "" {
		header, err = os.ReadFile(s.place + ".h")
		if errors.Is(err, fs.ErrNotExist) { // removed just now
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("cannot read a header that was kept: %w", err)
		}
	}
	if err := s.used(time.Now()); err != nil {
		return false, err
	}
	id = bytes.Clone(id)
	for rest := text; ; {
		at := bytes.Index(rest, id)
		if at < 0 {
			break
		}
		copy(rest[at:], s.buildID)
		rest = rest[at+len(id):]
	}
	err = os.WriteFile(s.archive, text, 0o666)
	if err == nil && s.header != "" {
		err = os.WriteFile(s.header, header, 0o666)
	}
	if err != nil {
		return false, fmt.Errorf("cannot write an archive that was kept: %w", err)
	}
	return true, nil
}

// used notes when something was asked for.
func (s *Step) used(now time.Time) error {
	names := []string{s.place + ".a"}
	if s.header != "" {
		names = append(names, s.place+".h")
	}
	for _, name := range names {
		if err := os.Chtimes(name, now, now); err != nil && !errors.Is(err, fs.ErrNotExist) { // another process may have removed it
			return fmt.Errorf("cannot note that an archive was used: %w", err)
		}
	}
	return nil
}

// Put keeps what the step has made.
func (s *Step) Put() error {
	if err := os.MkdirAll(filepath.Dir(s.place), 0o777); err != nil {
		return fmt.Errorf("cannot keep an archive: %w", err)
	}
	if s.header != "" { // first, for the archive says that both are there
		if err := put(s.header, s.place+".h"); err != nil {
			return err
		}
	}
	return put(s.archive, s.place+".a")
}

// put copies a file to where others may be doing the same.
func put(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("cannot keep an archive: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(to), "new-")
	if err != nil {
		return fmt.Errorf("cannot keep an archive: %w", err)
	}
	_, err = f.Write(text)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		if err = os.Rename(f.Name(), to); err != nil {
			if _, there := os.Stat(to); there == nil { // Windows replaces none that is being read
				err = os.Remove(f.Name())
			}
		}
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("cannot keep an archive: %w", err)
	}
	return nil
}

// Trim removes what nobody has asked for since then. It looks once a day at most.
func Trim(dir string, now time.Time, kept time.Duration) error {
	mark := filepath.Join(dir, "trimmed")
	if info, err := os.Stat(mark); err == nil && now.Sub(info.ModTime()) < 24*time.Hour {
		return nil
	}
	if err := os.WriteFile(mark, nil, 0o666); err != nil {
		return fmt.Errorf("cannot remove old archives: %w", err)
	}
	if err := os.Chtimes(mark, now, now); err != nil {
		return fmt.Errorf("cannot remove old archives: %w", err)
	}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == mark {
			return err
		}
		info, err := d.Info()
		if err == nil && now.Sub(info.ModTime()) > kept {
			err = os.Remove(name)
		}
		if errors.Is(err, fs.ErrNotExist) { // another process has removed it
			err = nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot remove old archives: %w", err)
	}
	return nil
}
