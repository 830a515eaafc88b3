package plan

import "embed"

// Files are those of this package that are compiled into the compiler.
//
//go:embed plan.go function.go paths.go
var Files embed.FS
