// Package pass is what is compiled into the Go compiler, as text: dupinst's own package
// there, and what must lie in packages of the compiler's to reach what they do not export.
// Its folders are those of cmd/compile/internal, and obj of cmd/internal; dupinst/doc.go there
// says how it works.
package pass

import "embed"

// Files are the sources.
//
//go:embed dupinst inline noder obj ssa ssagen
var Files embed.FS
