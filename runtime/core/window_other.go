//go:build dupinst_runtime && !(linux && (amd64 || arm64))

package core

// There are no windows on this system.

func dupinstGuard(*g) {}

func dupinstRoom(*g, uintptr) bool { return false }

func dupinstStir(*p) {}

func dupinstWindowInit() {}

func dupinstWindowSwitch() {}

func dupinstEntrance(pc uintptr) uintptr { return pc }
