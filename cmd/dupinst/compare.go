package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/dupinst/dupinst/overlap"
	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/report"
)

func compareCommand(in *invocation) (int, error) {
	fs, parse := in.flags("compare", `compare [flags] BEFORE_DIR AFTER_DIR

Says of two profiles, of before and after a change, which keys' shares of all events differ,
by how much, and whether by more than samples do by chance. Keys that differ in their positions alone
are added up, for a change of the source moves them.`)
	lines := fs.Bool("lines", false, "tell keys apart by their positions: of profiles of one source")
	format := fs.String("format", "text", "text or json")
	n := fs.Int("n", 20, "as text, show the `N` most significant differences; 0 shows all")
	view, from := viewFlags(fs), in.sourceFlags(fs)
	if err := parse(); err != nil {
		return misuse, err
	}
	if err := view.check("compare"); err != nil {
		return misuse, err
	}
	switch {
	case *format != "text" && *format != "json":
		return misuse, usagef("compare: no format %q; there are text and json", *format)
	case fs.NArg() != 2:
		return misuse, usagef("compare: two directories are needed, that of before and that of after; %d given", fs.NArg())
	case *n < 0:
		return misuse, usagef("compare: -n must not be negative")
	}
	var sides [2][]*profile.Profile
	for i := range sides {
		profiles, err := from.single(fs.Arg(i))
		if err == nil {
			sides[i], err = view.of(profiles)
		}
		for j, p := range sides[i] {
			if !*lines && *view.by == "" {
				sides[i][j] = p.Unplaced()
			}
		}
		if err != nil {
			return failed, err
		}
	}
	comparisons := differences(sides[0], sides[1])
	if len(comparisons) == 0 {
		return failed, fmt.Errorf("cannot compare %s and %s: no instrumentation is in both", fs.Arg(0), fs.Arg(1))
	}
	if *format == "json" {
		return 0, report.CompareJSON(in.stdout, comparisons)
	}
	return 0, report.Compare(in.stdout, comparisons, in.terminal(report.Options{N: *n}))
}

// differences compares the profiles of each instrumentation that both have.
func differences(before, after []*profile.Profile) (out []overlap.Comparison) {
	for _, p := range before {
		if i := slices.IndexFunc(after, func(q *profile.Profile) bool { return q.Instrumentation == p.Instrumentation }); i >= 0 {
			out = append(out, overlap.Differ(p, after[i]))
		}
	}
	return out
}

// A view chooses what of profiles is shown, and what is added up.
type view struct {
	by, focusText, ignoreText *string
	focus, ignore             *regexp.Regexp
}

func viewFlags(fs *flag.FlagSet) *view {
	return &view{
		by:         fs.String("by", "", "add up the keys of each `group`: "+strings.Join(profile.Groups, ", ")),
		focusText:  fs.String("focus", "", "only keys that this `regexp` matches; shares stay those in all"),
		ignoreText: fs.String("ignore", "", "only keys that this `regexp` does not match"),
	}
}

func (v *view) any() bool { return *v.by != "" || *v.focusText != "" || *v.ignoreText != "" }

// check reads the flags of a command.
func (v *view) check(command string) (err error) {
	if *v.by != "" && !slices.Contains(profile.Groups, *v.by) {
		return usagef("%s: -by: no group %q; there are %s", command, *v.by, strings.Join(profile.Groups, ", "))
	}
	if *v.focusText != "" {
		if v.focus, err = regexp.Compile(*v.focusText); err != nil {
			return usagef("%s: -focus: %v", command, err)
		}
	}
	if *v.ignoreText != "" {
		if v.ignore, err = regexp.Compile(*v.ignoreText); err != nil {
			return usagef("%s: -ignore: %v", command, err)
		}
	}
	return nil
}

// of is the view of profiles. Those whose keys do not have the group are left out.
func (v *view) of(profiles []*profile.Profile) ([]*profile.Profile, error) {
	var out []*profile.Profile
	for _, p := range profiles {
		if v.focus != nil || v.ignore != nil {
			p = p.Select(v.focus, v.ignore)
		}
		if *v.by != "" {
			var ok bool
			if p, ok = p.By(*v.by); !ok {
				continue
			}
		}
		out = append(out, p)
	}
	if len(out) == 0 && len(profiles) > 0 {
		return nil, fmt.Errorf("cannot add up by %s: no profile's keys have one", *v.by)
	}
	return out, nil
}

// terminal adds what a terminal can show: its width, or that of COLUMNS, and colours, unless
// NO_COLOR is set (no-color.org).
func (in *invocation) terminal(o report.Options) report.Options {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		o.Width = n
	}
	fd, ok := descriptor(in.stdout)
	if !ok || !term.IsTerminal(fd) {
		return o
	}
	if width, _, err := term.GetSize(fd); err == nil && o.Width == 0 {
		o.Width = width
	}
	o.Color = os.Getenv("NO_COLOR") == ""
	return o
}

// descriptor is that of a stream, if it is a file.
func descriptor(w io.Writer) (int, bool) {
	f, ok := w.(*os.File)
	if !ok {
		return 0, false
	}
	return int(f.Fd()), true
}
