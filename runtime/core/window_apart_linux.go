//go:build dupinst_runtime && (amd64 || arm64)

package core

// Where instrumentations are sampled apart, a window is of one class (trigger_apart.go).

var dupinstWindowOf uint32 // that of the window that is open

// dupinstWindowClass draws the class of a window that is to open, and how long that is.
func dupinstWindowClass(random uint64) (class uint32, length uint64) {
	if !dupinstApartly() {
		return 0, dupinstWindowLength
	}
	class = dupinstApartNow.dupinstDraw(random)
	return class, dupinstApartNow.classes[class].lasts
}

// dupinstWindowLanes is what an event in the window that is open weighs.
//
//go:nosplit
func dupinstWindowLanes() uint64 {
	if dupinstLoad32(&dupinstApartNow.n) == 0 {
		return dupinstEventWeight
	}
	return dupinstApartNow.classes[dupinstLoad32(&dupinstWindowOf)%dupinstMostLanes].lanes
}

// dupinstWindowTotals are those of the class of the window that is open.
//
//go:nosplit
func dupinstWindowTotals() *dupinstClassTotals {
	return &dupinstTotal.classes[dupinstLoad32(&dupinstWindowOf)%dupinstMostLanes]
}

// dupinstRates are windows of all classes a second.
func dupinstRates() uint64 {
	if dupinstApartly() {
		return max(dupinstApartNow.rate, 1)
	}
	return dupinstWindowRate
}
