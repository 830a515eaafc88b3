package runtime_test

import (
	"errors"
	"fmt"
	"os"

	dupinst "github.com/dupinst/dupinst/runtime"
)

// A program profiles one part of its work, if dupinst built it.
func Example() {
	err := dupinst.Start()
	switch {
	case errors.Is(err, dupinst.ErrPlain):
		fmt.Println("built plainly")
		return
	case err != nil:
		fmt.Println(err)
		return
	}
	defer dupinst.Stop()

	// … the work …

	f, err := os.Create("part.dupinst")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	if err := dupinst.Snapshot(f); err != nil {
		fmt.Println(err)
	}
	// Output: built plainly
}
