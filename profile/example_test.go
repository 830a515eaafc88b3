package profile_test

import (
	"fmt"
	"os"

	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
)

// The hottest calls of the profiles in a directory, with what their counts stand for.
func ExampleReadProfiles() {
	dir, err := os.MkdirTemp("", "prof")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := profile.Write(dir, []*format.Process{recorded}); err != nil { // as a program does
		fmt.Println(err)
		return
	}

	profiles, err := profile.ReadProfiles(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range profiles {
		fmt.Printf("%s: %d events of about %.0f\n", p.Instrumentation, p.Total, p.Events())
		for i := range p.Entries {
			e := p.Estimate(&p.Entries[i])
			fmt.Printf("%s: %.0f (%.0f to %.0f)\n", p.Entries[i].Key, e.N, e.Low, e.High)
		}
	}
	// Output:
	// calledge: 500 events of about 5000
	// main.f calls main.g: 4000 (3627 to 4412)
	// main.f calls main.h: 1000 (822 to 1216)
}

// recorded is a process's profile: 10,000 checks, one of ten of which began a sample.
var recorded = &format.Process{
	Build: format.Build{Variant: "auto", Instrumentations: []format.Instrumentation{
		{Name: "calledge", Key: "{caller} calls {callee}", Parts: []string{"caller", "callee"}, Dynamic: -1},
	}},
	Interval: 10, Checks: 10_000, Samples: 1000,
	Packages: []format.Package{{
		Meta: (&format.Meta{Package: "main", Sites: []format.Site{
			{Parts: []string{"main.f", "main.g"}}, {Parts: []string{"main.f", "main.h"}},
		}}).Encode(),
		Counts: []format.Count{{Site: 0, N: 400}, {Site: 1, N: 100}},
	}},
}
