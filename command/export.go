package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/instrumentations/block"
	"github.com/dupinst/dupinst/load"
	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/cover"
	"github.com/dupinst/dupinst/profile/pprof"
	"github.com/dupinst/dupinst/report"
)

// An exporter writes profiles for a tool that is not dupinst's.
type exporter struct {
	name, doc string
	// needs are the instrumentations of which it writes the first that there is; none for any.
	needs []string
	write func(w io.Writer, profiles []*profile.Profile) error
	// into is write's place where files are written into a directory.
	into func(dir string, p *profile.Profile) error
}

func exporters() []exporter {
	one := func(write func(io.Writer, *profile.Profile) error) func(io.Writer, []*profile.Profile) error {
		return func(w io.Writer, profiles []*profile.Profile) error { return write(w, profiles[0]) }
	}
	return []exporter{
		{"pprof", "for go tool pprof", nil, pprof.Write, nil},
		{"pgo", "a default.pgo for go build -pgo", []string{"calledge"}, one(pprof.WritePGO), nil},
		{"cover", "for go tool cover; from builds with -instrument=block", []string{"block"}, one(cover.Write), nil},
		{"covdata", "for go tool covdata, as GOCOVERDIR has it; needs -o, a directory, and likewise blocks", []string{"block"}, nil, cover.WriteData},
		{"folded", "folded stacks, for flame graphs: of calling contexts or, if there are none, call edges", []string{"context", "calledge"}, one(report.Folded), nil},
		{"json", "all there is, as one object", nil, report.Estimates, nil},
		{"csv", "all there is, as a table", nil, report.EstimatesCSV, nil},
	}
}

func exportCommand(in *invocation) (int, error) {
	var list strings.Builder
	var names []string
	for _, x := range exporters() {
		fmt.Fprintf(&list, "\n\t%-8s %s", x.name, x.doc)
		names = append(names, x.name)
	}
	fs, parse := in.flags("export", "export -format=NAME [flags] DIR…\n\nFormats:\n"+list.String()+"\n\nCounts that were sampled are scaled to estimates of the true ones.\n")
	format := fs.String("format", "", "what to write")
	only := fs.String("instrument", "", "export these `NAMES` only, comma-separated")
	from := in.sourceFlags(fs)
	from.interval = fs.Int64("interval", anyInterval, "export the profiles with this sample `interval` only")
	packages := fs.String("packages", "", "with -format=cover or covdata, also write the blocks of the packages of these `patterns`, comma-separated, of which nothing was counted")
	out := fs.String("o", "", "`file` to write to, or directory; default standard output")
	if err := parse(); err != nil {
		return misuse, err
	}
	i := slices.Index(names, *format)
	if i < 0 {
		return misuse, usagef("export: no format %q; there are %s", *format, strings.Join(names, ", "))
	}
	x := exporters()[i]
	switch {
	case fs.NArg() == 0:
		return misuse, usagef("export: no directory given")
	case *packages != "" && !strings.HasPrefix(x.name, "cov"):
		return misuse, usagef("export: -packages is for -format=cover and covdata")
	case x.into != nil && *out == "":
		return misuse, usagef("export: -format=%s writes several files: -o must name a directory", x.name)
	}
	profiles, err := from.single(fs.Args()...)
	if err == nil {
		profiles, err = onlyOf(profiles, *only)
	}
	if err != nil {
		return failed, err
	}
	if len(x.needs) > 0 {
		first := -1
		for _, name := range x.needs {
			if first < 0 {
				first = slices.IndexFunc(profiles, func(p *profile.Profile) bool { return p.Instrumentation == name })
			}
		}
		if first < 0 {
			return failed, fmt.Errorf("cannot export %s: the profiles have no %s; build with -instrument=%[2]s", x.name, strings.Join(x.needs, " or "))
		}
		profiles = profiles[first : first+1]
	}
	if x.name == "pprof" {
		if err := in.located(profiles); err != nil {
			return failed, err
		}
	}
	if *packages != "" {
		if err := in.addUncounted(profiles[0], strings.Split(*packages, ",")); err != nil {
			return failed, err
		}
	}
	switch {
	case x.into != nil:
		return 0, x.into(*out, profiles[0])
	case *out == "":
		return 0, x.write(in.stdout, profiles)
	}
	return 0, profile.WriteFile(*out, func(w io.Writer) error { return x.write(w, profiles) })
}

// addUncounted adds the blocks of packages to p of which it has none: a process knows of
// a package from the first event in it on.
func (in *invocation) addUncounted(p *profile.Profile, patterns []string) error {
	known := map[string]bool{}
	for _, entries := range [][]profile.Entry{p.Entries, p.Never} {
		for i := range entries {
			known[entries[i].Part("function")] = true
		}
	}
	packages, err := load.Patterns(in.ctx, "", patterns)
	if err != nil {
		return err
	}
	for _, pkg := range packages {
		if slices.ContainsFunc(pkg.Funcs, func(fn *flow.Func) bool { return known[fn.Name] }) {
			continue
		}
		unit := &instrumentations.Unit{Package: pkg.Package, Position: pkg.Fset.Position}
		for _, fn := range pkg.Funcs {
			sites, err := block.Instrumentation.Find(unit, fn)
			if err != nil {
				return fmt.Errorf("%s: %w", fn.Name, err)
			}
			for _, site := range sites {
				p.Never = append(p.Never, profile.NewEntry(block.Instrumentation.Format, site.Parts))
			}
		}
	}
	return nil
}
