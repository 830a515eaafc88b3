//go:build dupinst_runtime && !(linux && (amd64 || arm64))

package core

// There are no windows on this system.

func dupinstGuard(*g) {}

func dupinstJoin(*g) {}

func dupinstBack(*g) {}

func dupinstRoom(*g, uintptr) bool { return false }

func dupinstStir(*p, int64) {}

func dupinstRests(*p, int64) {}

func dupinstBusy() uint64 { return 0 }

func dupinstWindowInit() {}

func dupinstWindowSwitch() {}

func dupinstEntrance(pc uintptr) uintptr { return pc }
