package command

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

	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/report"
)

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
