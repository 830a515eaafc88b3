package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/gobuild"
	"github.com/dupinst/dupinst/overlap"
	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
	"github.com/dupinst/dupinst/report"
)

func reportCommand(in *invocation) (int, error) {
	fs, parse := in.flags("report", "report [flags] DIR…")
	only := fs.String("instrument", "", "show these `NAMES` only, comma-separated")
	form := fs.String("format", "text", "text, json or csv")
	audit := fs.Bool("audit", false, "show what the framework did in each function of a build with -audit, and whether Property 1 holds")
	targets := fs.Bool("targets", false, "show the calls whose callee is known at run time alone: to how many functions each leads, and how often to the most frequent")
	values := fs.Bool("values", false, "show the places where values were noted: how often, and the most frequent; and what that lets one do")
	from := in.sourceFlags(fs)
	from.per = fs.String("per", "program", "tell profiles apart by `what`: "+strings.Join(format.Per, ", ")+", or the name of a label")
	from.interval = fs.Int64("interval", anyInterval, "on the page, show the profiles with this sample `interval` only")
	html := fs.String("html", "", "write a page for the browser to this `file`")
	address := fs.String("http", "", "serve that page at this `address` (:0: this machine, any port)")
	against := fs.String("against", "", "on the page, compare with the profiles of this `directory`, the exhaustive ones if there are any")
	structs := fs.String("layout", "", "on the page, show how the fields of structs lie that the packages of these `patterns`, comma-separated, declare, and propose an order")
	n := fs.Int("n", -1, "show the `N` hottest keys; 0 shows all (default 20 as text, else all)")
	order := fs.String("sort", report.Orders[0], "as text, the `order` of keys: "+strings.Join(report.Orders, ", "))
	view := viewFlags(fs)
	if err := parse(); err != nil {
		return misuse, err
	}
	if err := view.check("report"); err != nil {
		return misuse, err
	}
	write, ok := map[string]func([]*profile.Profile) error{
		"text": func(p []*profile.Profile) error {
			return report.Text(in.stdout, p, in.terminal(report.Options{N: defaultTo(*n, 20), Sort: *order}))
		},
		"json": func(p []*profile.Profile) error { return report.JSON(in.stdout, p, defaultTo(*n, 0)) },
		"csv":  func(p []*profile.Profile) error { return report.CSV(in.stdout, p, defaultTo(*n, 0)) },
	}[*form]
	switch {
	case !ok:
		return misuse, usagef("report: no format %q; there are text, json and csv", *form)
	case *audit && (*form != "text" || *only != ""):
		return misuse, usagef("report: -audit goes with neither -format nor -instrument")
	case fs.NArg() == 0:
		return misuse, usagef("report: no directory given")
	case *n < -1:
		return misuse, usagef("report: -n must not be negative")
	case !slices.Contains(report.Orders, *order):
		return misuse, usagef("report: no order %q; there are %s", *order, strings.Join(report.Orders, ", "))
	case *values && *targets:
		return misuse, usagef("report: -targets and -values are two reports; choose one")
	case *values && (*audit || *form == "csv" || *html != "" || *address != "" || *view.by != ""):
		return misuse, usagef("report: -values goes with none of -audit, -by, -html, -http and -format=csv")
	case *targets && (*audit || *form == "csv" || *only != "" || *html != "" || *address != "" || *view.by != ""):
		return misuse, usagef("report: -targets goes with none of -audit, -by, -html, -http, -instrument and -format=csv")
	case *audit && view.any():
		return misuse, usagef("report: -audit goes with none of -by, -focus and -ignore")
	case (*html != "" || *address != "") && view.any():
		return misuse, usagef("report: -by, -focus and -ignore are for the other formats; the page has its own")
	case (*html != "" || *address != "") && (*audit || *form != "text" || *n != -1):
		return misuse, usagef("report: -html and -http go with none of -audit, -format and -n")
	case *html != "" && *address != "":
		return misuse, usagef("report: -html and -http are two ways to show one page; choose one")
	case *from.interval != anyInterval && *html == "" && *address == "":
		return misuse, usagef("report: -interval is for -html and -http; the other formats show each interval apart")
	case *against != "" && *html == "" && *address == "":
		return misuse, usagef("report: -against is for -html and -http; see also dupinst compare")
	case *from.per != "program" && (*html != "" || *address != "" || *audit):
		return misuse, usagef("report: -per is for the other formats; a page and an audit are of one program: choose it with -program and -label")
	case *structs != "" && *html == "" && *address == "":
		return misuse, usagef("report: -layout is for -html and -http; see also dupinst layout")
	}
	if *html != "" || *address != "" {
		return in.page(pageOptions{fs.Args(), from, *only, *against, *structs, *html, *address})
	}
	profiles, err := from.profiles(fs.Args()...)
	if err != nil {
		return failed, err
	}
	if *audit {
		return 0, report.Audit(in.stdout, profiles, defaultTo(*n, 20))
	}
	if profiles, err = onlyOf(withoutAudit(profiles), *only); err != nil {
		return failed, err
	}
	if profiles, err = view.of(profiles); err != nil {
		return failed, err
	}
	switch {
	case *targets && *form == "json":
		return 0, report.TargetsJSON(in.stdout, profiles, defaultTo(*n, 0))
	case *values && *form == "json":
		return 0, report.ValuesJSON(in.stdout, profiles, defaultTo(*n, 0))
	case *values:
		return 0, report.Values(in.stdout, profiles, in.terminal(report.Options{N: defaultTo(*n, 20)}))
	case *targets:
		return 0, report.Targets(in.stdout, profiles, in.terminal(report.Options{N: defaultTo(*n, 20)}))
	}
	return 0, write(profiles)
}

// onlyOf leaves the profiles of the instrumentations of a list with commas; "" names all. Which
// there are the profiles say: some may be nobody's but the user's.
func onlyOf(profiles []*profile.Profile, list string) ([]*profile.Profile, error) {
	if list == "" {
		return profiles, nil
	}
	var there []string
	for _, p := range profiles {
		if !slices.Contains(there, p.Instrumentation) {
			there = append(there, p.Instrumentation)
		}
	}
	names := strings.Split(list, ",")
	for _, name := range names {
		if !slices.Contains(there, name) {
			return nil, fmt.Errorf("the profiles have nothing of instrumentation %q; they have %s", name, cmp.Or(strings.Join(there, ", "), "none"))
		}
	}
	return slices.DeleteFunc(profiles, func(p *profile.Profile) bool { return !slices.Contains(names, p.Instrumentation) }), nil
}

func defaultTo(n, otherwise int) int {
	if n == -1 {
		return otherwise
	}
	return n
}

func overlapCommand(in *invocation) (int, error) {
	fs, parse := in.flags("overlap", "overlap [flags] TRUE_DIR SAMPLED_DIR")
	format := fs.String("format", "text", "text or json")
	by := fs.String("by", "", "add up the keys of each `group` before: "+strings.Join(profile.Groups, ", "))
	truthful := in.sourceFlags(fs)
	from := *truthful
	from.interval = fs.Int64("interval", anyInterval, "take the sampled profiles with this sample `interval` only")
	if err := parse(); err != nil {
		return misuse, err
	}
	if *format != "text" && *format != "json" {
		return misuse, usagef("overlap: no format %q; there are text and json", *format)
	}
	if *by != "" && !slices.Contains(profile.Groups, *by) {
		return misuse, usagef("overlap: -by: no group %q; there are %s", *by, strings.Join(profile.Groups, ", "))
	}
	if fs.NArg() != 2 {
		return misuse, usagef("overlap: two directories are needed, the true profile's and the sampled one's; %d given", fs.NArg())
	}
	truth, err := truthful.single(fs.Arg(0))
	if err != nil {
		return failed, err
	}
	sampled, err := from.single(fs.Arg(1))
	if err != nil {
		return failed, err
	}
	results := []overlap.Result{}
	for _, t := range truth {
		i := slices.IndexFunc(sampled, func(p *profile.Profile) bool { return p.Instrumentation == t.Instrumentation })
		if i < 0 {
			continue
		}
		s, ok := sampled[i], true
		if *by != "" {
			if t, ok = t.By(*by); ok {
				s, ok = s.By(*by)
			}
		}
		if ok {
			results = append(results, overlap.Compare(t, s))
		}
	}
	switch {
	case len(results) == 0 && *by != "":
		return failed, fmt.Errorf("cannot compare %s and %s by %s: no instrumentation whose keys have one is in both", fs.Arg(0), fs.Arg(1), *by)
	case len(results) == 0:
		return failed, fmt.Errorf("cannot compare %s and %s: no instrumentation is in both", fs.Arg(0), fs.Arg(1))
	}
	if *format == "json" {
		enc := json.NewEncoder(in.stdout)
		enc.SetIndent("", " ")
		return 0, enc.Encode(map[string]any{"overlaps": results})
	}
	fmt.Fprintf(in.stdout, "%-14s %9s %9s %14s %14s %9s %9s %9s\n", "", "overlap", "expected", "true events", "sampled events", "hot 90 %", "top 5 %", "top value")
	for _, r := range results {
		invariance := "-"
		if r.Invariance != nil {
			invariance = fmt.Sprintf("±%.2f%%", *r.Invariance)
		}
		fmt.Fprintf(in.stdout, "%-14s %8.2f%% %8.2f%% %14d %14d %8.2f%% %8.2f%% %9s\n", r.Instrumentation, r.Overlap, r.Expected, r.TrueTotal, r.SampledTotal, r.Relative, r.Matched, invariance)
	}
	if slices.ContainsFunc(results, func(r overlap.Result) bool { return r.TrueSampled }) {
		fmt.Fprintf(in.stdout, "%s is sampled itself, so that this is no accuracy: dupinst compare %s %s says what differs by more than chance\n", fs.Arg(0), fs.Arg(0), fs.Arg(1))
	}
	return 0, nil
}

func mergeCommand(in *invocation) (int, error) {
	fs, parse := in.flags("merge", `merge -o DIR [flags] DIR…

Adds up profiles of one program; those of different builds and settings stay apart in DIR.`)
	mixed := fs.Bool("mixed", false, "also take profiles of several programs, which stay apart")
	from := in.sourceFlags(fs)
	out := fs.String("o", "", "directory to write the sum to, made if missing")
	if err := parse(); err != nil {
		return misuse, err
	}
	if *out == "" || fs.NArg() == 0 {
		return misuse, usagef("merge: a directory to write to (-o) and directories to read are needed")
	}
	processes, err := from.processes(fs.Args()...)
	if err != nil {
		return failed, err
	}
	programs := map[string]bool{}
	for _, p := range processes {
		programs[p.Origin.Name()] = true
	}
	if names := slices.Sorted(maps.Keys(programs)); len(names) > 1 && !*mixed {
		return failed, fmt.Errorf("cannot merge: there are profiles of several programs (%s); choose one with -program, or take -mixed", strings.Join(names, " and "))
	}
	if old, err := profile.Read(*out); err == nil && len(old) > 0 {
		return failed, fmt.Errorf("cannot merge into %s: it has profiles, which would count once more; choose another directory", *out)
	}
	return 0, profile.Write(*out, profile.Merge(processes))
}

func versionCommand(in *invocation) (int, error) {
	fs, parse := in.flags("version", "version")
	if err := parse(); err != nil {
		return misuse, err
	}
	if fs.NArg() > 0 {
		return misuse, usagef("version: takes no arguments")
	}
	fmt.Fprintf(in.stdout, "dupinst %s, built with %s\n", gobuild.Version(), runtime.Version())
	return 0, nil
}
