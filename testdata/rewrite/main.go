// Command example profiles itself without a toolexec: dupinst writes its instrumented
// source, which the go command builds as any other.
//
//	go generate ./...
//	go build -overlay overlay.json .          # either the overlay
//	cd instrumented && go build .             # or the module of its own
//
// Then, as for every program that dupinst instruments:
//
//	DUPINST_DIR=prof ./example
//	dupinst report prof
//
// The module requires github.com/dupinst/dupinst, for the tool and for the counters
// that the instrumented source imports: go get -tool github.com/dupinst/dupinst/cmd/dupinst.
package main

//go:generate dupinst rewrite -overlay overlay.json ./...
//go:generate dupinst rewrite -o instrumented ./...

import (
	"fmt"

	"example/shapes"
)

func main() {
	var all []shapes.Shape
	for i := range 1000 {
		if i%3 == 0 {
			all = append(all, shapes.NewSquare(i))
		} else {
			all = append(all, shapes.NewCircle(i))
		}
	}
	sum := 0.0
	for range 100 {
		for _, s := range all {
			sum += s.Area()
		}
	}
	fmt.Printf("%.0f\n", sum)
}
