// Package gobuild owns how dupinst lives inside the go command: as its
// -toolexec program, which rewrites compile steps on their way to the compiler,
// and around it, as dupinst build, test, run and install.
//
// A process runs for each step. It learns all it needs from its flags, the
// step's arguments and the files they name; nothing passes between processes
// but the archives that the go command keeps anyway, and the path of one of
// them, which lies in the go command's own work directory (see archive.go).
//
// Packages in scope are rewritten (package transform); package runtime gets the
// counter and the tables (package patch); every other step runs as it is. Only
// the compiler's version line differs from the plain one (package cachekey), so
// vet, asm, cgo and link steps stay what they are.
package gobuild

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/profile/format"
	"github.com/dupinst/dupinst/transform"
)

// A Config is what dupinst's flags before the command say.
type Config struct {
	Variant          transform.Variant
	Instrumentations []*instrumentations.Instrumentation
	Audit            bool     // see transform.Audit
	Trigger          Trigger  // none: counters
	Packages         []string // patterns; none: the packages of the main module
	Backend          Backend  // none: the source's
	Plans            bool     // keep the compiler's plans, for Explain
	Elide            []string // which checks auto does without in the compiler's back end
	Apart            bool     // each instrumentation is sampled as it is set to be
	Bisect           string   // picks the functions to instrument by their hash, for golang.org/x/tools/cmd/bisect
	// Self is the command by which the go command is to run dupinst with this
	// configuration, as -toolexec takes it.
	Self []string
}

// Phasable reports whether what the program does in phases of its own may be counted: where goroutines have checks
// of which each may be made to begin a sample.
func (c *Config) Phasable() bool {
	switch c.Variant {
	case transform.Full, transform.Partial, transform.No, transform.Auto:
		return c.Backend == Compiler && !c.Apart && (c.Trigger == "" || c.Trigger == Counter)
	}
	return false
}

// A Trigger is what begins samples.
type Trigger string

// The triggers there are.
const (
	Counter Trigger = "counter" // checks count down
	Window  Trigger = "window"  // a thread of the runtime's leads others into copies, and back
	Timer   Trigger = "timer"   // a thread of the runtime's has the next check begin one, now and then
)

// ParseTrigger returns the trigger of that name.
func ParseTrigger(name string) (Trigger, error) {
	switch t := Trigger(name); t {
	case Counter, Window, Timer:
		return t, nil
	}
	return "", fmt.Errorf("no trigger %q; there are %s, %s and %s", name, Counter, Window, Timer)
}

// Elisions are the kinds of checks that auto can do without.
func Elisions() []string { return []string{"bounded", "entries"} }

// ParseElisions returns those of a list with commas, all or none.
func ParseElisions(list string) ([]string, error) {
	switch list {
	case "all":
		return Elisions(), nil
	case "none":
		return nil, nil
	}
	names := strings.Split(list, ",")
	for _, name := range names {
		if !slices.Contains(Elisions(), name) {
			return nil, fmt.Errorf("no checks %q to do without; there are %s, all and none", name, strings.Join(Elisions(), ", "))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// key describes c for the version line.
func (c *Config) key() string {
	return fmt.Sprintf("%s %s %s %t %s %t %t %s %s", c.Trigger, c.Variant, strings.Join(instrumentations.Names(c.Instrumentations), ","), c.Audit, c.Backend, c.Plans, c.Apart, strings.Join(c.Elide, ","), c.Bisect)
}

// Build is what is written into the program's runtime: an encoded format.Build.
func (c *Config) Build() string {
	formats := instrumentations.Formats(c.Instrumentations)
	if c.Audit {
		formats = append(formats, transform.Audit)
	}
	backend := c.Backend
	if backend == "" {
		backend = Source
	}
	trigger := ""
	switch c.Trigger {
	case Window:
		trigger = format.WindowTrigger
	case Timer:
		trigger = format.TimerTrigger
	}
	return format.Build{Variant: string(c.Variant), Instrumentations: formats, Backend: string(backend), Trigger: trigger}.Encode()
}

// lanes are the names of the instrumentations in the order of their lanes of the weight, with commas; "" where they have none.
func (c *Config) lanes() string {
	if !c.Apart {
		return ""
	}
	return strings.Join(instrumentations.Names(c.Instrumentations), ",")
}

// toolexec is Self as the value of the go command's flag, which splits it at
// spaces but for what is quoted.
func (c *Config) toolexec() (string, error) {
	var out []string
	for _, a := range c.Self {
		switch {
		case !strings.ContainsAny(a, " \t\n'\""):
			out = append(out, a)
		case !strings.Contains(a, "'"):
			out = append(out, "'"+a+"'")
		case !strings.Contains(a, `"`):
			out = append(out, `"`+a+`"`)
		default:
			return "", fmt.Errorf("cannot pass %q to the go command: it has both kinds of quotes", a)
		}
	}
	return strings.Join(out, " "), nil
}
