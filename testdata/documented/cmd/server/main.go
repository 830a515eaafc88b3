// Server serves nothing: it is what the documentation calls a server, and ends at once.
package main

import (
	"fmt"

	"example.com/documented/pkg"
)

func main() { fmt.Println(pkg.Work(5, pkg.Square{Side: 3}) != 0) }
