package layout

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/dupinst/dupinst/profile"
)

const doc = `propose an order of struct fields from a profile of their accesses

For each struct type that dupinst's profile in the -profile directory has accesses
of, the analyzer says whether its hot fields would fit on fewer cache lines, and
suggests the fix.`

// NewAnalyzer returns an analyzer that reports the structs for which an order is
// proposed. Its flag -profile names the directories of profiles, comma-separated.
func NewAnalyzer() *analysis.Analyzer {
	a := &analysis.Analyzer{Name: "dupinstlayout", Doc: doc, URL: "https://pkg.go.dev/github.com/dupinst/dupinst/layout"}
	dirs := a.Flags.String("profile", "", "`directories` of profiles with field accesses or references, comma-separated")
	a.Run = func(pass *analysis.Pass) (any, error) {
		if *dirs == "" {
			return nil, fmt.Errorf("no profile: -%s.profile is needed", a.Name)
		}
		uses, err := Read(strings.Split(*dirs, ",")...)
		if err != nil {
			return nil, err
		}
		return nil, report(pass, uses)
	}
	return a
}

// Read adds up the profiles of field accesses in directories or, if there are any, those of references.
func Read(dirs ...string) (Uses, error) {
	sum := Uses{map[string]map[string]float64{}, map[string]map[[2]string]float64{}}
	profiles, err := profile.ReadProfiles(dirs...)
	if err != nil {
		return sum, err
	}
	chosen := Choose(profiles)
	if len(chosen) == 0 {
		return sum, fmt.Errorf("the profiles in %s have no field accesses; build with -instrument=fieldaccess, or reference", strings.Join(dirs, ", "))
	}
	for _, p := range chosen {
		u, err := Of(p)
		if err != nil {
			return sum, err
		}
		sum.add(u)
	}
	return sum, nil
}

func report(pass *analysis.Pass, uses Uses) error {
	for _, s := range Structs(pass.Files, pass.TypesInfo, pass.TypesSizes, uses) {
		if s.Proposed == nil {
			continue
		}
		d := analysis.Diagnostic{Pos: s.Pos, Message: fmt.Sprintf("hot fields of %s are on %d cache lines, and could be on %d (%d bytes, %d if reordered)",
			s.spec.Name.Name, s.Now.Lines, s.Proposed.Lines, s.Now.Size, s.Proposed.Size)}
		if s.Proposed.Apart < s.Now.Apart {
			d.Message = fmt.Sprintf("fields of %s that are used together are on two cache lines in %.0f %% of cases, and could be in %.0f %% (%d bytes, %d if reordered)",
				s.spec.Name.Name, 100*s.Now.Apart, 100*s.Proposed.Apart, s.Now.Size, s.Proposed.Size)
		}
		file := pass.Fset.File(s.Pos)
		src, err := pass.ReadFile(file.Name())
		if err != nil {
			return fmt.Errorf("cannot suggest an order of fields: %w", err)
		}
		if e, err := s.Reorder(file, src); err == nil {
			d.SuggestedFixes = []analysis.SuggestedFix{{Message: "Reorder the fields", TextEdits: []analysis.TextEdit{{
				Pos: file.Pos(e.From), End: file.Pos(e.To), NewText: e.Text,
			}}}}
		}
		pass.Report(d)
	}
	return nil
}
