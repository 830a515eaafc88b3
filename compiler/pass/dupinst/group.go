//go:build dupinst_compiler

package dupinst

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"cmd/compile/internal/base"
	"cmd/internal/obj"
)

// A group is of sites that are counted together, by one counter: the fewer there are in a copy,
// the smaller it is, and the less what is counted slows it down, so that a window sees the truer. The runtime adds what
// it counts to the sites' own.

// group are the counters of sites, as sites: one for each lane of the weight.
func (d *duplicator) group(sites []Site) (out []Site) {
	for _, alike := range byLane(sites) {
		out = append(out, d.groupOf(alike))
	}
	return out
}

func (d *duplicator) groupOf(sites []Site) Site {
	if len(sites) == 1 {
		return sites[0]
	}
	at := -1
	for _, i := range d.groupsOf[sites[0]] {
		if slices.Equal(d.groups[i], sites) {
			at = i
		}
	}
	if at < 0 {
		at = len(d.groups)
		d.groups = append(d.groups, sites)
		d.groupsOf[sites[0]] = append(d.groupsOf[sites[0]], at)
	}
	return Site{Listed: Listed{Index: at, Lane: sites[0].Lane}, Counters: groupCounters(d.symbol())}
}

// symbol is the function's own name, which f.Name, without its package, is not. Closures that
// were inlined differ between signs that are left out of objects.
func (d *duplicator) symbol() string {
	return strings.ReplaceAll(d.f.Frontend().Func().Linksym().Name, "#", "!")
}

// groupCounters is the array of the counters of a function's groups. A function that several
// packages have may be another in each.
func groupCounters(function string) *obj.LSym {
	s := base.Ctxt.Lookup("dupinst.groups." + base.Ctxt.Pkgpath + "." + function)
	s.Pkg = "_"
	return s
}

// magic4 is the second word of the record of a function's groups (runtime/core, table_group.go).
const magic4 = 0x6475_7069_6e73_7404

var (
	grouped     = map[string][][]Site{} // by function's symbol
	groupedLock sync.Mutex
)

func (d *duplicator) listGroups() {
	if len(d.groups) > 0 {
		groupedLock.Lock()
		grouped[d.symbol()] = d.groups
		groupedLock.Unlock()
	}
}

// endGroups writes the counters of groups and their records: two words by which the runtime
// finds them, the number of groups, the address of their counters, room for two words; then
// of each the number of sites, and the addresses of their counters.
func endGroups() {
	for _, function := range slices.Sorted(maps.Keys(grouped)) {
		groups := grouped[function]
		c := groupCounters(function)
		base.Ctxt.Globl(c, int64(len(groups))*8, obj.NOPTR)
		r := begun(c.Name+".sites", magic4)
		r.word(uint64(len(groups)))
		r.address(c, 0)
		r.word(0)
		r.word(0)
		for _, sites := range groups {
			r.word(uint64(len(sites)))
			for _, s := range sites {
				r.address(s.Counters, int64(s.Index)*8)
			}
		}
		r.end(c, 0)
	}
}
