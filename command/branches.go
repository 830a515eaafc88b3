package command

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/edge"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/instrumentations/block"
	"github.com/dupinst/dupinst/profile"
)

func branchesCommand(in *invocation) (int, error) {
	fs, parse := in.flags("branches", `branches [flags] DIR [packages]

Shows which way branches of the packages (default ./...) go, and how often, from a
profile of a build with -instrument=block: counts of blocks, put right so that
as much comes out of each branch as goes in.`)
	n := fs.Int("n", 20, "show the `N` most frequent branches; 0 shows all")
	form := fs.String("format", "text", "text or json")
	against := fs.String("truth", "", "say instead how well they agree with those of an exhaustive profile in `DIR`, of the same source")
	from := in.sourceFlags(fs)
	if err := parse(); err != nil {
		return misuse, err
	}
	switch {
	case fs.NArg() == 0:
		return misuse, usagef("branches: no directory of profiles given")
	case *n < 0:
		return misuse, usagef("branches: -n must not be negative")
	case *form != "text" && *form != "json":
		return misuse, usagef("branches: no format %q; there are text and json", *form)
	case *against != "" && *form == "json":
		return misuse, usagef("branches: -truth says a line, and no json")
	}
	blocks, err := in.blocks(from, fs.Arg(0))
	if err != nil {
		return failed, err
	}
	packages, err := in.packages(fs.Args()[1:])
	if err != nil {
		return failed, err
	}
	var units []*instrumentations.Unit
	for _, pkg := range packages {
		units = append(units, &instrumentations.Unit{Package: pkg.Package, Position: pkg.Fset.Position})
	}
	r, err := edge.Of(blocks, units)
	if err != nil {
		return failed, err
	}
	if *against != "" {
		return in.accuracy(from, *against, r, units)
	}
	if len(r.Branches) == 0 {
		return failed, fmt.Errorf("cannot show branches: no function that has one was counted")
	}
	shown := r.Branches
	if *n > 0 {
		shown = shown[:min(*n, len(shown))]
	}
	if *form == "json" {
		enc := json.NewEncoder(in.stdout)
		enc.SetIndent("", " ")
		return 0, enc.Encode(map[string]any{"branches": shown, "counted": r.Counted, "changed": r.Changed, "unsampled": r.Unsampled, "other": r.Other})
	}
	return 0, in.branches(r, shown)
}

// accuracy says how well branches agree with those of an exhaustive profile.
func (in *invocation) accuracy(from *source, dir string, r *edge.Result, units []*instrumentations.Unit) (int, error) {
	blocks, err := in.blocks(from, dir)
	if err != nil {
		return failed, err
	}
	if blocks.Variant != "exhaustive" {
		return failed, fmt.Errorf("cannot compare branches: the profile in %s is not exhaustive; build with -variant=exhaustive", dir)
	}
	truth, err := edge.Of(blocks, units)
	if err != nil {
		return failed, err
	}
	if len(truth.Branches) == 0 {
		return failed, fmt.Errorf("cannot compare branches: no function that has one was counted in %s", dir)
	}
	_, err = fmt.Fprintf(in.stdout, "edges overlap by %.2f%%; which way branches go agrees by %.2f%%\n", edge.Overlap(truth, r), edge.Agreement(truth, r))
	return 0, err
}

// blocks is the one profile of blocks in a directory.
func (in *invocation) blocks(from *source, dir string) (*profile.Profile, error) {
	profiles, err := from.single(dir)
	if err != nil {
		return nil, err
	}
	name := block.Instrumentation.Format.Name
	i := slices.IndexFunc(profiles, func(p *profile.Profile) bool { return p.Instrumentation == name })
	if i < 0 {
		return nil, fmt.Errorf("cannot show branches: %s has no profile of blocks; build with -instrument=%s", dir, name)
	}
	if profiles[i].Once() {
		return nil, fmt.Errorf("cannot show branches: %s says which blocks were entered, and not how often", dir)
	}
	return profiles[i], nil
}

// branches prints branches, of a result.
func (in *invocation) branches(r *edge.Result, shown []edge.Branch) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d branches; %.2g %% of the blocks' counts were changed to agree with each other\n", len(r.Branches), 100*r.Changed/max(r.Counted, 1))
	if r.Unsampled > 0 {
		fmt.Fprintf(&b, "of %d functions no block was counted: nothing is known of their branches\n", r.Unsampled)
	}
	if r.Other > 0 {
		fmt.Fprintf(&b, "%d functions were left out: their source has changed since the program was built\n", r.Other)
	}
	for _, branch := range shown {
		var ways []string
		for _, w := range branch.Ways {
			ways = append(ways, fmt.Sprintf("%s %.1f%%", w.To, 100*w.Share))
		}
		fmt.Fprintf(&b, "%14.0f  %s:%d %s: %s  %s\n", branch.Count, path.Base(branch.File), branch.Line, branch.Kind, strings.Join(ways, ", "), branch.Function)
	}
	if left := len(r.Branches) - len(shown); left > 0 {
		fmt.Fprintf(&b, "%14s  %d more; -n 0 shows all\n", "…", left)
	}
	_, err := in.stdout.Write([]byte(b.String()))
	return err
}
