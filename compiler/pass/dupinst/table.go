//go:build dupinst_compiler

package dupinst

import (
	"bufio"
	"encoding/hex"
	"os"
	"strconv"
	"strings"

	"cmd/compile/internal/base"
	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/inline"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/ssagen"
	"cmd/internal/obj"
	"cmd/internal/src"
)

// A Class says at what kind of node an event is.
type Class int

// The classes there are. The numbers stand in compiler/sites and in export data.
const (
	Field     Class = 1 + iota // a selector that names a field
	Call                       // a call
	Dynamic                    // a call whose callee is known at run time
	Launch                     // the call of a go or defer statement
	Statement                  // a statement of a list
	Index                      // an index expression
	Argument                   // a call, of which an argument is noted (value.go)
	Result                     // or a result
	Made                       // make
	Grown                      // append
	Mapped                     // what accesses a map
	Divided                    // a division
	Referred                   // a selector of a field, of whose loads or stores the addresses are noted (reference.go)
	Allocated                  // what may put an object on the heap (allocation.go)
)

// The words of statements that show where control comes by. The numbers stand in compiler/sites.
const (
	Passed = 1 + iota // which path is taken (path.go)
	Come              // a loop begins (trip.go)
	Lap               // a round of it does
	Across            // which path is taken that goes on in what is called (across.go)
)

// A Listed is a site as it is listed for its own package.
type Listed struct {
	Class Class
	Index int // of its counter
	// Of one that notes a value: its number among those, and where the value is found. Of a statement that
	// shows where control comes by, Word is Passed, Come, Lap or Across.
	Value, Word int
	Lane        int // of the weight, by which its instrumentation counts where there are lanes
}

// A Site is one at a position.
type Site struct {
	Listed
	Counters *obj.LSym // of its package
	Values   *obj.LSym // of its package, if it notes one
	callee   *obj.LSym // what the call calls, where no call is left (callee.go)
	pos      src.XPos  // of a statement whose context is noted, or that shows a path: what it was inlined into is part of that
}

type spot struct {
	file      string
	line, col uint
}

// What is to be done. It is set before functions are compiled, and then only read.
var (
	variant plan.Variant // "": nothing
	listed  = map[spot][]Listed{}
	taken   = map[spot]bool{}
	sites   = map[src.XPos][]Site{}
	count   int       // of the package's own sites
	noted   []value   // of those, the ones that note values
	meta    string    // their description, as profile/format encodes it
	every   *obj.LSym // what an event counts in an exhaustive build
	ended   *obj.LSym // how many paths windows have counted
	// onceFor is how many events windows have counted that were not one by one (clear.go).
	onceFor *obj.LSym
	// uncounted stands for the counter of a call at which nothing is.
	uncounted *obj.LSym
	left      = map[string]bool{} // functions that stay as they are
	// bisect picks functions by hash, to find the one whose change does harm.
	bisect *base.HashDebug
	elided = map[string]bool{} // which checks auto does without
	// lanes says that each instrumentation has a byte of the weight, by which it counts, and not the whole: what is
	// sampled at a moment is some of them and not others (runtime/core, trigger_apart.go).
	lanes bool
)

// Begin reads from standard input, if DUPINST_PASS is set:
//
//	variant NAME
//	audit INDEX
//	elide NAME
//	lanes
//	bisect PATTERN
//	plans FILE
//	leave FUNCTION
//	known FUNCTION
//	sites COUNT
//	spots COUNT
//	meta HEX
//	file NAME
//	LINE COL CLASS INDEX VALUE FORM WORD LANE
func Begin() {
	if os.Getenv("DUPINST_PASS") == "" {
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<30)
	file, spots, spotted := "", 0, 0
	for n := 1; lines.Scan(); n++ {
		var err error
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "variant":
			variant = plan.Variant(rest)
		case "bisect":
			bisect = base.NewHashDebug("dupinst", rest, nil)
		case "plans":
			plansName = rest
		case "audit":
			audit, err = strconv.Atoi(rest)
		case "known":
			known[rest] = true
		case "elide":
			elided[rest] = true
		case "lanes":
			lanes = true
		case "leave":
			left[rest] = true
		case "sites":
			count, err = strconv.Atoi(rest)
		case "spots":
			spots, err = strconv.Atoi(rest)
		case "meta":
			var b []byte
			b, err = hex.DecodeString(rest)
			meta = string(b)
		case "file":
			file = rest
		default:
			var v [8]int
			fields := strings.Fields(lines.Text())
			if len(fields) != len(v) {
				base.Fatalf("dupinst: line %d of the sites is cut off", n)
			}
			for i := 0; i < len(v) && err == nil; i++ {
				v[i], err = strconv.Atoi(fields[i])
			}
			spotted++
			at := spot{file, uint(v[0]), uint(v[1])}
			listed[at] = append(listed[at], Listed{Class: Class(v[2]), Index: v[3], Value: v[4], Word: v[6], Lane: v[7]})
			if v[4] > 0 {
				noted = append(noted, value{number: v[4], site: v[3], form: v[5]})
			}
		}
		if err != nil {
			base.Fatalf("dupinst: line %d of the sites cannot be read: %v", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		base.Fatalf("dupinst: cannot read the sites: %v", err)
	}
	if spotted != spots {
		base.Fatalf("dupinst: there are %d of %d places of sites", spotted, spots)
	}
	obj.DupinstWindows = variant == plan.Windows
	ssa.DupinstOnce, obj.DupinstTrapped = variant == plan.Once, listTraps
	every = base.Ctxt.Lookup("runtime.dupinstEvery")
	every.Pkg = "_"
	ended = base.Ctxt.Lookup("runtime.dupinstEnded")
	ended.Pkg = "_"
	onceFor = base.Ctxt.Lookup("runtime.dupinstCleared")
	onceFor.Pkg = "_"
	uncounted = base.Ctxt.Lookup("runtime.dupinstUncounted")
	uncounted.Pkg = "_"
	inline.DupinstStands = Stands
	ssa.DupinstTake, ssa.Dupinst = take, pass
	ssagen.DupinstEmit, ssagen.DupinstSlot = emit, slot
	ssagen.DupinstAgain, ssagen.DupinstRename = again, rename
}

// Listing reports whether the package has sites.
func Listing() bool { return len(listed) > 0 }

// At returns the sites at a position.
func At(file string, line, col uint) []Listed { return listed[spot{file, line, col}] }

// Take returns the sites of statements at a position, once: what the compiler rewrites a
// statement to may begin where it does.
func Take(file string, line, col uint) []Listed {
	at := spot{file, line, col}
	if taken[at] {
		return nil
	}
	var out []Listed
	for _, s := range listed[at] {
		if s.Class == Statement {
			out = append(out, s)
		}
	}
	taken[at] = len(out) > 0
	return out
}

// Register enters a site of the package path.
func Register(pos src.XPos, path string, s Listed) {
	if variant == "" {
		return
	}
	pos = key(pos)
	site := Site{Listed: s, Counters: counters(path)}
	if s.Value > 0 {
		site.Values = values(path)
	}
	for _, known := range sites[pos] {
		if known == site {
			return
		}
	}
	sites[pos] = append(sites[pos], site)
}

// key is pos as a position only.
func key(pos src.XPos) src.XPos { return pos.WithDefaultStmt().WithXlogue(src.PosDefaultLogue) }

// counters is the array of a package's counters. Other packages refer to it by its name.
func counters(path string) *obj.LSym {
	s := base.Ctxt.Lookup("dupinst.counters." + path)
	s.Pkg = "_"
	return s
}
