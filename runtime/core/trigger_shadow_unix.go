//go:build dupinst_runtime && unix && !(linux && amd64)

package core

func dupinstShadowSignal(*sigctxt) {}
