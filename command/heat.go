package command

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/dupinst/dupinst/heat"
	"github.com/dupinst/dupinst/profile"
)

func heatCommand(in *invocation) (int, error) {
	fs, parse := in.flags("heat", `heat [flags] DIR…

Shows how the fields of structs are used, from builds with -instrument=reference
-trigger=window: how often each is loaded and stored, by how many goroutines, which are
used together, and which cache lines go from one goroutine to another; or which sequences
of references to the same objects come again and again. With -instrument=reference,allocation
it says of each type where its objects are put on the heap, too.`)
	n := fs.Int("n", 10, "show the `N` most used structs, or hottest streams; 0 shows all")
	streams := fs.Bool("streams", false, "show hot data streams")
	form := fs.String("format", "text", "text or json")
	from := in.sourceFlags(fs)
	if err := parse(); err != nil {
		return misuse, err
	}
	switch {
	case fs.NArg() == 0:
		return misuse, usagef("heat: no directory given")
	case *n < 0:
		return misuse, usagef("heat: -n must not be negative")
	case *form != "text" && *form != "json":
		return misuse, usagef("heat: no format %q; there are text and json", *form)
	}
	profiles, err := from.single(fs.Args()...)
	if err != nil {
		return failed, err
	}
	var with []*profile.Profile
	for _, p := range profiles {
		if heat.Has(p) {
			with = append(with, p)
		}
	}
	switch len(with) {
	case 0:
		return failed, heat.ErrNone
	case 1:
	default:
		return failed, fmt.Errorf("there are references of %d builds, or settings of windows; give a directory of each alone", len(with))
	}
	made, err := heat.Made(profiles)
	if err != nil {
		return failed, err
	}
	if *streams {
		found, err := heat.Streams(with[0])
		switch {
		case err != nil:
			return failed, err
		case *form == "json":
			return 0, indented(in.stdout, struct {
				Streams []heat.Stream           `json:"streams"`
				Made    map[string][]heat.Place `json:"made,omitempty"` // by type
			}{found, made})
		}
		return 0, heat.FprintStreams(in.stdout, found, made, *n)
	}
	h, err := heat.Of(with[0])
	if err != nil {
		return failed, err
	}
	h.Put(made)
	if *form == "json" {
		return 0, indented(in.stdout, h)
	}
	return 0, h.Fprint(in.stdout, *n)
}

// indented writes v as JSON.
func indented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
