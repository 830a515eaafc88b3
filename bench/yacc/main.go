// Yacc (for the paper's _228_jack) makes parser tables with modernc.org/y from
// real grammars of C, Go and SQL.
package main

import (
	"fmt"
	"go/token"
	"hash/crc32"
	"path/filepath"

	"modernc.org/y"

	"github.com/dupinst/dupinst/bench/source"
)

func main() {
	sum := crc32.NewIEEE()
	for range 14 {
		for _, name := range []string{"cc.y", "go.y", "ql.y", "5a.y"} {
			p, err := y.ProcessSource(token.NewFileSet(), name, source.Read(y.ProcessSource, filepath.Join("testdata/ok", name)), &y.Options{AllowConflicts: true})
			source.Check(err)
			fmt.Fprintln(sum, name, len(p.States), len(p.Rules), p.ConflictsSR, p.ConflictsRR)
			for _, row := range p.Table {
				for _, a := range row {
					fmt.Fprintln(sum, a)
				}
			}
		}
	}
	fmt.Printf("yacc %08x\n", sum.Sum32())
}
