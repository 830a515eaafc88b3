module github.com/dupinst/dupinst

go 1.26.0

require (
	github.com/rogpeppe/go-internal v1.16.0
	golang.org/x/mod v0.42.0
)

require (
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)
