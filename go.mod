module github.com/dupinst/dupinst

go 1.26.0

require (
	github.com/rogpeppe/go-internal v1.16.0
	golang.org/x/mod v0.42.0
)
