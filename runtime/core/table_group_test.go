package core

import (
	"slices"
	"testing"
)

func TestUngroup(t *testing.T) {
	defer func() { dupinstGrouped = 0 }()
	var counters, sites [3]uint64
	// As the compiler writes it: sites 0 and 1 together, 1 and 2, and all.
	record := []uintptr{
		0, 0, 3, address(&counters[0]), 0, 0,
		2, address(&sites[0]), address(&sites[1]),
		2, address(&sites[1]), address(&sites[2]),
		3, address(&sites[0]), address(&sites[1]), address(&sites[2]),
	}
	(*dupinstGroups)(dupinstPtr(address(&record[0]))).dupinstLink()
	for _, step := range []struct{ counted, want []uint64 }{
		{[]uint64{0, 0, 0}, []uint64{0, 0, 0}},
		{[]uint64{1, 0, 0}, []uint64{1, 1, 0}},
		{[]uint64{10, 100, 0}, []uint64{11, 111, 100}},
		{[]uint64{0, 0, 1000}, []uint64{1011, 1111, 1100}},
	} {
		for i, n := range step.counted {
			counters[i] += n
		}
		dupinstUngroup()
		dupinstUngroup() // adds nothing
		if !slices.Equal(sites[:], step.want) {
			t.Errorf("%d more: %d, want %d", step.counted, sites, step.want)
		}
	}
}
