package core

import (
	"sync"
	"testing"
)

// contextual is a site of contexts, with an empty tree.
func contextual(t *testing.T) (*dupinstValueSite, *dupinstTree) {
	t.Helper()
	settings(t, nil)
	counter := new([8]uint64)
	s := &dupinstValueSite{counter: address(counter)}
	address(s)
	return s, dupinstTreeOf()
}

// counted is what the tree has of a context's return addresses.
func (t *dupinstTree) counted(pcs []uintptr) (n uint64) {
	for i := range t.contexts {
		c := &t.contexts[i]
		at := c.node
		for _, pc := range pcs {
			if at == 0 || at == dupinstFull || t.nodes[at].pc != pc {
				at = dupinstFull
				break
			}
			at = t.nodes[at].parent
		}
		if at == 0 && c.node != 0 {
			n += c.n
		}
	}
	return n
}

// Contexts that share callers share nodes; each is counted apart, by several threads at once.
func TestContexts(t *testing.T) {
	s, tree := contextual(t)
	stacks := [][]uintptr{{1}, {2, 1}, {3, 1}, {3, 2, 1}, {2, 2, 1}, {1, 2}}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 6000 {
				s.dupinstCountContext(stacks[i%6], 2)
			}
		})
	}
	all.Wait()
	for _, pcs := range stacks {
		if n := tree.counted(pcs); n != 8000 {
			t.Errorf("%v: %d", pcs, n)
		}
	}
	if tree.n-1 != 7 || *(*uint64)(dupinstPtr(s.counter)) != 48_000 {
		t.Errorf("%d nodes, %d events", tree.n-1, *(*uint64)(dupinstPtr(s.counter)))
	}
}

// A site and an address that differ from another's by as much are not taken for it.
func TestContextsAlike(t *testing.T) {
	_, tree := contextual(t)
	room := new([64]uint64)
	for i := range uintptr(64) {
		s := &dupinstValueSite{counter: address(&room[i])}
		address(s)
		for pc := range uintptr(64) {
			s.dupinstCountContext([]uintptr{0x1000 + pc*8, 0x2000}, 1)
		}
	}
	used := 0
	for i := range tree.contexts {
		if c := tree.contexts[i]; c.hash != 0 {
			used++
			if c.n != 1 {
				t.Fatalf("%d events are taken for one another", c.n)
			}
		}
	}
	if used != 64*64 {
		t.Errorf("%d contexts, want %d", used, 64*64)
	}
}

// Where there is no room for more, events are counted with the others or dropped, and none is lost.
func TestContextsFull(t *testing.T) {
	s, tree := contextual(t)
	const events = 1<<dupinstContextBits + 1000
	for i := range uintptr(events) {
		s.dupinstCountContext([]uintptr{1000 + i, 2 + i, 3 + i, 4 + i, 5 + i}, 1)
	}
	kept, others := uint64(0), uint64(0)
	for i := range tree.contexts {
		if c := &tree.contexts[i]; c.node == dupinstFull {
			others += c.n
		} else {
			kept += c.n
		}
	}
	if others == 0 || dupinstTotal.dropped == 0 || kept+others+dupinstTotal.dropped != events {
		t.Errorf("%d kept, %d others, %d dropped of %d", kept, others, dupinstTotal.dropped, events)
	}
	if n := *(*uint64)(dupinstPtr(s.counter)); n != events {
		t.Errorf("%d of %d events at the site", n, events)
	}
}
