//go:build dupinst_compiler && !go1.27

package dupinst

// linked is a symbol's name for the linker.
func linked(name string) string { return name }
