package core

import "unsafe"

// Calling contexts are a tree: a node is a return address in its caller's node (Ammons, Ball and Larus,
// PLDI 1997, of which this is the tree without the folding of recursion). It is bounded: beyond so many
// contexts events are dropped and counted, and beyond so many nodes they are counted as others. What a
// context's event costs is to follow the frame pointers and to look up a hash of what they lead by; the
// tree is built where a context is new.

// The tree's bounds.
const (
	dupinstContextBits = 20 // of contexts
	dupinstNodeBits    = 21 // of nodes; their index has as many places again
	dupinstDeepest     = 128
)

// A dupinstContext counts the events of one site in one context.
type dupinstContext struct {
	hash uint64 // of the site and the return addresses; 0: free
	site uintptr
	node uintptr // 0 for a moment after hash is set
	n    uint64
}

// A dupinstTreeNode is a return address in a context.
type dupinstTreeNode struct {
	parent uintptr // index, 0: none
	pc     uintptr
}

// A dupinstTree is all of it. What of it was never used takes no memory.
type dupinstTree struct {
	busy     uint32
	n        uintptr // nodes, from 1
	kept     uintptr // contexts
	contexts [1 << dupinstContextBits]dupinstContext
	spread   [1 << dupinstContextBits]dupinstSpread
	nodes    [1 << dupinstNodeBits]dupinstTreeNode
	index    [2 << dupinstNodeBits]uint32    // of nodes, by a hash of what they are
	order    [1 << dupinstContextBits]uint32 // of contexts, as they came: their places
}

var dupinstContexts uintptr // the tree, once there is an event

// dupinstTreeOf is the tree, which is made when it is first asked for.
func dupinstTreeOf() *dupinstTree {
	at := dupinstLoad(&dupinstContexts)
	if at == 0 {
		made := dupinstAllocate(unsafe.Sizeof(dupinstTree{}))
		(*dupinstTree)(dupinstPtr(made)).n = 1
		dupinstCas(&dupinstContexts, 0, made)
		at = dupinstLoad(&dupinstContexts)
	}
	return (*dupinstTree)(dupinstPtr(at))
}

// dupinstCountContext counts an event of the site's in the context of the return addresses, the
// innermost first.
func (s *dupinstValueSite) dupinstCountContext(pcs []uintptr, weight uint64) {
	dupinstXadd((*uint64)(dupinstPtr(s.counter)), weight)
	dupinstContextOf(s.counter, pcs, weight)
}

// dupinstContextOf counts an event of the counter's in a context.
func dupinstContextOf(counter uintptr, pcs []uintptr, weight uint64) {
	t := dupinstTreeOf()
	hash := dupinstMix(uint64(counter)) // else a difference of counters might undo one of addresses
	for _, pc := range pcs {
		hash = dupinstMix(hash ^ uint64(pc))
	}
	hash |= 1
	h := hash >> 1
	for i := uint64(0); i < dupinstProbes; i++ {
		at := (h + i) & (1<<dupinstContextBits - 1)
		c := &t.contexts[at]
		got := dupinstLoad64(&c.hash)
		if got == 0 && dupinstCas64(&c.hash, 0, hash) {
			c.site = counter
			dupinstStore(&c.node, t.dupinstEnter(uint32(at), pcs))
			got = hash
		} else if got == 0 {
			got = dupinstLoad64(&c.hash)
		}
		if got == hash {
			dupinstXadd(&c.n, weight)
			return
		}
	}
	dupinstXadd(&dupinstTotal.dropped, weight)
}

// dupinstFull stands for a node that found no room: the tree's root, of nothing.
const dupinstFull = 1<<dupinstNodeBits + 1

// dupinstEnter is the node of a context that is new, which is made if it is new, too.
func (t *dupinstTree) dupinstEnter(context uint32, pcs []uintptr) uintptr {
	for !dupinstCas32(&t.busy, 0, 1) {
		dupinstYield()
	}
	node := uintptr(0)
	for i := len(pcs) - 1; i >= 0 && node != dupinstFull; i-- {
		node = t.dupinstChild(node, pcs[i])
	}
	t.order[t.kept] = context
	dupinstStore(&t.kept, t.kept+1)
	dupinstStore32(&t.busy, 0)
	return node
}

// dupinstKept are the places of the contexts that there are.
func (t *dupinstTree) dupinstKept() []uint32 { return t.order[:dupinstLoad(&t.kept)] }

// dupinstChild is the node of a return address in its caller's.
func (t *dupinstTree) dupinstChild(parent, pc uintptr) uintptr {
	h := dupinstMix(uint64(parent)*0x9e3779b97f4a7c15 ^ uint64(pc))
	for ; ; h++ {
		at := &t.index[h&(2<<dupinstNodeBits-1)]
		if *at == 0 {
			if t.n == 1<<dupinstNodeBits {
				return dupinstFull
			}
			n := t.n
			t.nodes[n] = dupinstTreeNode{parent, pc}
			*at = uint32(n)
			dupinstStore(&t.n, n+1)
			return n
		}
		if n := &t.nodes[*at]; n.parent == parent && n.pc == pc {
			return uintptr(*at)
		}
	}
}

// dupinstBatchContexts ends a batch of windows for contexts.
func dupinstBatchContexts() {
	at := dupinstLoad(&dupinstContexts)
	if at == 0 {
		return
	}
	t := (*dupinstTree)(dupinstPtr(at))
	for _, i := range t.dupinstKept() {
		t.spread[i].dupinstEnd(dupinstLoad64(&t.contexts[i].n))
	}
}

// dupinstNodes writes the tree, a node before those that it is the parent of, and returns how many there
// are with 0, which is none.
func (w *dupinstWriter) dupinstNodes() uintptr {
	at := dupinstLoad(&dupinstContexts)
	if at == 0 {
		w.dupinstUvarint(0)
		return 0
	}
	t := (*dupinstTree)(dupinstPtr(at))
	all := dupinstLoad(&t.n)
	for i := uintptr(1); i < all; i++ {
		w.dupinstUvarint(uint64(t.nodes[i].parent) + 1)
		w.dupinstFrames(t.nodes[i].pc)
		w.dupinstByte(0)
	}
	w.dupinstUvarint(0)
	return all
}

// dupinstWriteContexts writes the contexts that were counted, as dupinstDynamic writes callees. Those of
// nodes that were made since the nodes were written are left for the next profile.
func (w *dupinstWriter) dupinstWriteContexts(head, nodes uintptr) {
	if nodes == 0 {
		return
	}
	t := (*dupinstTree)(dupinstPtr(dupinstLoad(&dupinstContexts)))
	for _, i := range t.dupinstKept() {
		c := &t.contexts[i]
		node := dupinstLoad(&c.node)
		if node == 0 || node >= nodes && node != dupinstFull {
			continue
		}
		n := w.dupinstTake(&c.n)
		if n == 0 {
			continue
		}
		if pkg, ordinal := dupinstPackageOf(head, c.site); pkg != nil {
			w.dupinstEntry(n, &t.spread[i], ordinal, uint64(c.site-pkg.counts)/8)
			if node == dupinstFull {
				w.dupinstNamed("", "", 0, dupinstOthers)
				continue
			}
			w.dupinstNamed("", "", 0, dupinstStack)
			w.dupinstUvarint(uint64(node))
		}
	}
}
