//go:build dupinst_runtime && !(linux && amd64)

package core

// There are no shadows on this system.

const dupinstShadowable = false

func dupinstShadowInit() {}

func dupinstShadowSwitch(rate uint64, length int64) {}

func dupinstVanish() {}

func dupinstFarEnough() {}

func dupinstGrown(at, n uintptr) {}
