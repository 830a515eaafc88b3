//go:build dupinst_compiler

package dupinst

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"cmd/compile/internal/base"
	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ir"
)

// plans are the plans of the package's functions as text, if a file is named for them.
var (
	plansName string
	plans     []string
	plansLock sync.Mutex
)

// explain notes what was decided about a function.
func explain(fn *ir.Func, p *plan.Plan) {
	if plansName == "" {
		return
	}
	pos := base.Ctxt.PosTable.Pos(fn.Pos())
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s:%d\n\t", ir.LinkFuncName(fn), pos.RelFilename(), pos.RelLine())
	p.Fprint(&b)
	plansLock.Lock()
	plans = append(plans, b.String())
	plansLock.Unlock()
}

// writePlans writes them.
func writePlans() {
	if plansName == "" {
		return
	}
	slices.Sort(plans)
	if err := os.WriteFile(plansName, []byte(strings.Join(plans, "\n")), 0o666); err != nil {
		base.Fatalf("dupinst: cannot write the plans: %v", err)
	}
}
