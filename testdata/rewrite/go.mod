module example

go 1.26.0

require github.com/dupinst/dupinst v0.0.0

replace github.com/dupinst/dupinst => ../..
