//go:build dupinst_compiler

package dupinst

import (
	"bufio"
	"os"
	"strings"
	"sync"

	"cmd/compile/internal/base"
	"cmd/internal/pgo"
)

// ran are the functions that the profile of an earlier run (-pgo) has, nil if there is none or it is empty.
var ran = sync.OnceValue(func() map[string]bool {
	if base.Flag.PgoProfile == "" {
		return nil
	}
	p, err := readProfile(base.Flag.PgoProfile)
	if err != nil {
		base.Fatalf("dupinst: cannot read the profile of an earlier run: %v", err)
	}
	if len(p.NamedEdgeMap.Weight) == 0 {
		return nil
	}
	names := map[string]bool{}
	for e := range p.NamedEdgeMap.Weight {
		names[abbreviated(e.CallerName)], names[abbreviated(e.CalleeName)] = true, true
	}
	return names
})

func readProfile(name string) (*pgo.Profile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	serialized, err := pgo.IsSerialized(r)
	if err != nil {
		return nil, err
	}
	if serialized {
		return pgo.FromSerialized(r)
	}
	return pgo.FromPProf(r)
}

// cold reports whether an earlier run has left a profile that has nothing of a function.
func cold(name string) bool {
	names := ran()
	return names != nil && !names[abbreviated(name)]
}

// abbreviated is a name without type arguments, which profiles do not have.
func abbreviated(name string) string {
	if i, j := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']'); i >= 0 && i < j {
		return name[:i] + "[...]" + name[j+1:]
	}
	return name
}
