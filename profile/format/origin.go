package format

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// An Origin says which process a profile is of. What a system or a build does not tell is "" or 0.
type Origin struct {
	Program string // as it was started
	BuildID string // the go command's
	// Module is the head of the program's build information (see runtime/debug.ParseBuildInfo): the
	// lines of its main package's path and of its main module.
	Module    string
	Host      string
	Go        string // the release that built it
	Dupinst   string // the version that instrumented it
	Labels    string // DUPINST_LABELS: name=value, comma-separated
	Process   uint64 // its number
	Begun     uint64 // nanoseconds since 1970
	Ended     uint64 // likewise, or when the file was written
	Processes uint64 // that were added up
}

func (o *Origin) strings() []*string {
	return []*string{&o.Program, &o.BuildID, &o.Module, &o.Host, &o.Go, &o.Dupinst, &o.Labels}
}

func (o *Origin) numbers() []*uint64 { return []*uint64{&o.Process, &o.Begun, &o.Ended, &o.Processes} }

// line is what follows a word in the build information.
func (o *Origin) line(word string) string {
	for line := range strings.Lines(o.Module) {
		if rest, ok := strings.CutPrefix(line, word+"\t"); ok {
			return strings.TrimSuffix(rest, "\n")
		}
	}
	return ""
}

// Main is the main package's path; "" if there is none or it is not known.
func (o *Origin) Main() string {
	if name := o.line("path"); name != "command-line-arguments" {
		return name
	}
	return ""
}

// Name is what tells programs apart: the main package's path, or the file's name where that is
// not known. The test programs of a module's packages are one program.
func (o *Origin) Name() string {
	switch name := o.Main(); {
	case name == "":
		return strings.TrimSuffix(path.Base(strings.ReplaceAll(o.Program, "\\", "/")), ".exe")
	case strings.HasSuffix(name, ".test"):
		if module, _, _ := strings.Cut(o.line("mod"), "\t"); module != "" {
			return "tests of " + module
		}
		return name
	default:
		return name
	}
}

// Version is the main module's.
func (o *Origin) Version() string {
	if f := strings.Split(o.line("mod"), "\t"); len(f) > 1 {
		return f[1]
	}
	return ""
}

// Labelled reports whether o has all of the labels, each as name=value.
func (o *Origin) Labelled(labels []string) bool {
	own := strings.Split(o.Labels, ",")
	return !slices.ContainsFunc(labels, func(l string) bool { return !slices.Contains(own, l) })
}

// Both is the origin of the sum of two: what they have in common.
func (o Origin) Both(p Origin) Origin {
	other := p.strings()
	for i, s := range o.strings() {
		if *s != *other[i] {
			*s = ""
		}
	}
	if o.Process != p.Process {
		o.Process = 0
	}
	if o.Begun == 0 || p.Begun != 0 && p.Begun < o.Begun {
		o.Begun = p.Begun
	}
	o.Ended = max(o.Ended, p.Ended)
	o.Processes += p.Processes
	return o
}

// Per are what Facet knows besides the names of labels.
var Per = []string{"program", "version", "build", "host", "process"}

// Facet is what o says of one thing: of those of Per, or of the label of that name.
func (o *Origin) Facet(per string) string {
	switch per {
	case "program":
		return o.Name()
	case "version":
		return o.Version()
	case "build":
		return o.BuildID
	case "host":
		return o.Host
	case "process":
		return strconv.FormatUint(o.Process, 10)
	}
	for _, l := range strings.Split(o.Labels, ",") {
		if value, ok := strings.CutPrefix(l, per+"="); ok {
			return value
		}
	}
	return ""
}
