package command

import (
	"fmt"

	"github.com/dupinst/dupinst/gobuild"
	"github.com/dupinst/dupinst/rewrite"
)

const rewriteSynopsis = `[flags] rewrite -overlay FILE|-o DIR [packages]

Writes the packages (default ./...), which must be of the main module, instrumented,
for the plain go command to build: for go build -overlay FILE, with the source in a
directory beside it (_overlay for overlay.json), or as a module of its own in DIR. In a go:generate comment:

	//go:generate dupinst rewrite -overlay overlay.json ./...

Where the module requires github.com/dupinst/dupinst, such programs use its counters; else what they
need of it is added to the source, as package internal/dupinst of the module, so that it builds
without. They read the same environment as others (dupinst help environment), and write their
profile when main ends, before os.Exit in rewritten source, and periodically, but not
when a signal or a fatal error ends them. Packages with cgo stay as they are.

Flags before rewrite, -variant and -instrument, are those of a build.
`

// rewriteCommand writes instrumented source.
func rewriteCommand(in *invocation) (int, error) {
	fs, parse := in.flags("rewrite", rewriteSynopsis)
	overlay := fs.String("overlay", "", "`file` for go build -overlay")
	dir := fs.String("o", "", "`directory` for a module of its own")
	if err := parse(); err != nil {
		return misuse, err
	}
	if (*overlay == "") == (*dir == "") {
		return misuse, usagef("rewrite: needs one of -overlay and -o")
	}
	if in.config.Packages != nil || in.config.Audit || in.config.Apart {
		return misuse, usagef("rewrite: takes -variant and -instrument before it, not -pkgs, -audit nor -apart; name packages after it")
	}
	if t := in.config.Trigger; t != gobuild.Counter {
		return misuse, usagef("rewrite: source has no %s to begin samples; -trigger=counter does without", t)
	}
	patterns := fs.Args()
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	write, to := rewrite.Overlay, *overlay
	if *dir != "" {
		write, to = rewrite.Tree, *dir
	}
	in.config.Backend = gobuild.Source
	source, err := write(in.ctx, rewrite.Options{
		Patterns: patterns, Variant: in.config.Variant, Instrumentations: in.config.Instrumentations, Build: in.config.Build(), Version: gobuild.Version(),
	}, to)
	if err != nil {
		return failed, err
	}
	for _, why := range source.Left {
		fmt.Fprintf(in.stderr, "dupinst: left as it is: package %s\n", why)
	}
	return 0, nil
}
