// Dupinst instruments Go programs so that they profile themselves.
//
// See dupinst help, and docs/settings.md.
package main

import "github.com/dupinst/dupinst/command"

func main() { command.Main() }
