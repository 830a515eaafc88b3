//go:build dupinst_compiler && go1.27

package dupinst

import "cmd/internal/obj"

// linked is a symbol's name for the linker: the compiler's own tells instances of an inlined
// closure apart.
func linked(name string) string { return obj.TrimInlineHash(name) }
