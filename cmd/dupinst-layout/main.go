// Dupinst-layout is the layout analyzer for go vet:
//
//	go vet -vettool=$(which dupinst-layout) -dupinstlayout.profile=$PWD/prof ./...
//
// The directory must be absolute: go vet runs the tool where each package is.
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/dupinst/dupinst/layout"
)

func main() { unitchecker.Main(layout.NewAnalyzer()) }
