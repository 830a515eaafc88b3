//go:build dupinst_runtime && unix && !(linux && amd64)

package core

func dupinstShadowSignal(uint32, *sigctxt) bool { return false }
