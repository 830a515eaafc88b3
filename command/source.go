package command

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/load"
	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
	"github.com/dupinst/dupinst/transform"
)

// anyInterval is the flag -interval if it is not given.
const anyInterval = -1

// A source is where profiles come from: those of a command's directories that its flags choose.
type source struct {
	in       *invocation
	interval *int64
	program  *string
	labels   *string
	per      *string
}

func (in *invocation) sourceFlags(fs *flag.FlagSet) *source {
	return &source{
		in: in, interval: new(int64(anyInterval)), per: new("program"),
		program: fs.String("program", "", "only profiles of the `program`, by its main package's path"),
		labels:  fs.String("label", "", "only profiles with these `labels`, name=value, comma-separated (DUPINST_LABELS)"),
	}
}

// processes reads directories. Files that cannot be read are named, and left out if there are
// others.
func (s *source) processes(dirs ...string) ([]*format.Process, error) {
	f := profile.Filter{Program: *s.program}
	if *s.labels != "" {
		f.Labels = strings.Split(*s.labels, ",")
	}
	out, err := f.Read(dirs...)
	return out, s.beside(err)
}

// beside takes an error of files that others can be read beside: it is said, once where they are
// read again and again, and dupinst fails in the end.
func (s *source) beside(err error) error {
	if !errors.Is(err, profile.ErrFiles) {
		return err
	}
	if s.in.left != err.Error() {
		s.in.left = err.Error()
		fmt.Fprintf(s.in.stderr, "dupinst: %v\n", err)
	}
	return nil
}

// profiles are those of all processes.
func (s *source) profiles(dirs ...string) ([]*profile.Profile, error) {
	processes, err := s.processes(dirs...)
	if err != nil {
		return nil, err
	}
	profiles, err := profile.BuildPer(processes, func(o *format.Origin) string {
		if *s.per == "program" {
			return o.Name()
		}
		return fmt.Sprintf("%s, %s %s", o.Name(), *s.per, cmp.Or(o.Facet(*s.per), "unknown"))
	})
	return profiles, s.beside(err)
}

// single reads directories whose profiles can be taken as one of each
// instrumentation: those of several intervals are combined, unless one is chosen.
func (s *source) single(dirs ...string) ([]*profile.Profile, error) {
	profiles, err := s.profiles(dirs...)
	if err != nil {
		return nil, err
	}
	in := strings.Join(dirs, " ")
	if profiles = withoutAudit(profiles); len(profiles) == 0 {
		return nil, fmt.Errorf("%s: nothing but an audit; see dupinst report -audit", in)
	}
	profiles = slices.DeleteFunc(profiles, func(p *profile.Profile) bool {
		return *s.interval != anyInterval && int64(p.Interval) != *s.interval
	})
	if len(profiles) == 0 {
		return nil, fmt.Errorf("%s: no profile has interval %d", in, *s.interval)
	}
	profiles = profile.Combine(profiles)
	for i := 1; i < len(profiles); i++ {
		a, b := profiles[i-1], profiles[i]
		if a.Program != b.Program {
			return nil, fmt.Errorf("cannot take %s as one: there are profiles of several programs (%s and %s); choose one with -program", in, a.Program, b.Program)
		}
		if a.Instrumentation == b.Instrumentation {
			return nil, fmt.Errorf("cannot take %s as one: there are %s profiles of different variants (%s and %s)",
				in, a.Instrumentation, a.Variant, b.Variant)
		}
	}
	return profiles, nil
}

// packages loads those that match the patterns, by default all of here.
func (in *invocation) packages(patterns []string) ([]*load.Package, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	return load.Patterns(in.ctx, "", patterns)
}

// located gives files of profiles the names that they have on this machine, where builds with
// -trimpath gave them others.
func (in *invocation) located(profiles []*profile.Profile) error {
	trimmed := false
	for _, p := range profiles {
		for i := range p.Entries {
			file := p.Entries[i].Part("file")
			trimmed = trimmed || file != "" && !filepath.IsAbs(file)
		}
		for _, f := range p.Functions {
			trimmed = trimmed || f.File != "" && !filepath.IsAbs(f.File)
		}
	}
	if !trimmed {
		return nil
	}
	sources, err := load.FindSources(in.ctx)
	if err != nil {
		return err
	}
	profile.Locate(profiles, sources.Find)
	return nil
}

// withoutAudit leaves out what an audit counted: it is no profile of the program.
func withoutAudit(profiles []*profile.Profile) []*profile.Profile {
	return slices.DeleteFunc(profiles, func(p *profile.Profile) bool { return p.Instrumentation == transform.Audit.Name })
}
