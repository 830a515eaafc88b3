//go:build dupinst_runtime && !(linux && amd64)

package core

import "unsafe"

// There are no shadows on this system.

const dupinstShadowable = false

func dupinstShadowInit() {}

func dupinstShadowSwitch(rate uint64, length int64) {}

func dupinstVanish() {}

func dupinstFarEnough() {}

func dupinstGrown(at, n uintptr) {}

func dupinstMetadata(p unsafe.Pointer, n uintptr) unsafe.Pointer { return p }
