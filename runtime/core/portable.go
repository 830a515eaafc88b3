//go:build !dupinst_runtime

package core

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// This file is for programs whose source dupinst rewrote, and which the go command
// builds as any other: no field of the runtime's g is there for a goroutine's state.
// A slot of a table is, found by the address of the stack. Goroutines that run on
// neighbouring memory share one, and one that uses much stack has several; a counter
// is then counted down by whoever comes by, and begins samples as often as if it were
// one goroutine's. Where two count down at once one step may be lost, so that the
// number of checks is good to a few in a thousand only, and which are sampled is not
// the same in every run.

const dupinstSlotsBits = 8

var dupinstStates [1 << dupinstSlotsBits]struct {
	dupinstG
	_ [512 - unsafe.Sizeof(dupinstG{})]byte // on cache lines of its own
}

// dupinstSelf is the current goroutine's state. The compiler inlines it into the
// program.
//
//go:norace
func dupinstSelf() *dupinstG {
	var here byte
	at := uint32(uintptr(unsafe.Pointer(&here))>>13) * 0x9e3779b1 >> (32 - dupinstSlotsBits)
	return &dupinstStates[at].dupinstG
}

// What follows is as in patched.go.
//
//go:norace
func DupinstDue() bool {
	p := dupinstSelf()
	p.ctr--
	return p.ctr < 0
}

//go:norace
func DupinstSpends(n int64) bool {
	p := dupinstSelf()
	p.ctr -= n
	return p.ctr < 0
}

//go:norace
func DupinstFuncProbe[F any](p *DupinstPackage, i int, f F) F {
	if DupinstDue() {
		dupinstFuncProbe(p, i, *(*unsafe.Pointer)(unsafe.Pointer(&f)))
	}
	return f
}

//go:norace
func DupinstIfaceProbe[T any](p *DupinstPackage, at uint64, x T) T {
	if DupinstDue() {
		dupinstIfaceProbe(p, at, *(*dupinstInterface)(unsafe.Pointer(&x)))
	}
	return x
}

// dupinstPending is the number of checks not yet folded into dupinstTotal.
//
//go:norace
func dupinstPending() uint64 {
	n := int64(0)
	for i := range dupinstStates {
		n += dupinstStates[i].load - dupinstStates[i].ctr
	}
	return uint64(max(n, 0))
}

// dupinstWakeAll makes all goroutines that never look again do so.
//
//go:norace
func dupinstWakeAll() {
	for i := range dupinstStates {
		if p := &dupinstStates[i].dupinstG; p.ctr > dupinstNever/2 {
			p.ctr, p.load = dupinstWake, dupinstWake
		}
	}
}

// DupinstMain begins what there is to begin when main does, and returns what ends it.
func DupinstMain() func() {
	dupinstBegin()
	return dupinstFlush
}

// DupinstExit writes the profile before os.Exit is called with that code.
func DupinstExit(code int) int {
	if dupinstDir != "" {
		dupinstTickLock.Lock()
		defer dupinstTickLock.Unlock()
		dupinstTick()
	}
	return code
}

var (
	dupinstOnce     sync.Once
	dupinstBegun    uint32
	dupinstTickLock sync.Mutex // one periodic write at a time
)

// dupinstBegin reads the settings at the program's first check or event. That check is
// a sample.
func dupinstBegin() {
	if dupinstLoad32(&dupinstBegun) == 0 {
		dupinstOnce.Do(dupinstStart)
	}
}

func dupinstStart() {
	dupinstConfigure(func(name string) string {
		if name == "DUPINST_SIGNAL" {
			return "" // nothing here hears of it
		}
		return os.Getenv(name)
	})
	dupinstMisspelt(os.Environ())
	dupinstIdentify()
	for i := range dupinstStates {
		dupinstStates[i].id = uint64(i)
		dupinstStates[i].dupinstFirst()
	}
	dupinstPaused = dupinstInterval == 0
	if dupinstDir != "" {
		if dir, err := filepath.Abs(dupinstDir); err == nil {
			dupinstDir = dir // or a write will say what is wrong with it
		}
		dupinstUnique = uint64(time.Now().UnixNano())<<16 ^ uint64(os.Getpid())
		if dupinstPeriod > 0 {
			dupinstRepeat(time.Duration(dupinstPeriod), func() {
				dupinstTickLock.Lock()
				dupinstTick()
				dupinstTickLock.Unlock()
			})
		}
	}
	if dupinstBudget > 0 && dupinstInterval > 0 {
		dupinstGoverned()
	}
	dupinstStore32(&dupinstBegun, 1)
}

// dupinstVersion is that of the module that this package is of.
var dupinstVersion = ""

func dupinstIdentify() {
	dupinstProgram, dupinstRelease, dupinstProcess, dupinstStarted = os.Args[0], runtime.Version(), uint64(os.Getpid()), dupinstWall()
	dupinstHost, _ = os.Hostname() // or it is not known
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	text := info.String()
	if i := strings.Index(text, "path\t"); i >= 0 { // behind the release
		text = text[i:]
	}
	dupinstModule = dupinstHead(text)
	for _, dep := range info.Deps {
		if dep.Path == "github.com/dupinst/dupinst" {
			dupinstVersion = dep.Version
		}
	}
}

func dupinstWall() uint64 { return uint64(time.Now().UnixNano()) }

// dupinstRepeat calls f again and again, with so long between. No goroutine waits meanwhile: a program may look whether
// it has left any.
func dupinstRepeat(d time.Duration, f func()) {
	time.AfterFunc(d, func() {
		f()
		dupinstRepeat(d, f)
	})
}

var dupinstGoverns sync.Once

// dupinstGoverned starts the governor, if there is none yet.
func dupinstGoverned() {
	dupinstGoverns.Do(func() {
		go func() {
			var v dupinstGovernor
			dupinstCalibrate()
			dupinstRepeat(20*time.Millisecond, func() {
				v.dupinstPace()
				v.dupinstAdjust(dupinstCPU())
			})
		}()
	})
}

// dupinstBuild is the encoded format.Build of the program: its packages'.
func dupinstBuild() string { return dupinstFirstBuild }

var dupinstFirstBuild = "\x04none\x00"

// dupinstAlike reports whether p was rewritten as the packages before it were. If it
// was not, its events cannot stand in one profile with theirs, and are left out.
func dupinstAlike(p *DupinstPackage) bool {
	dupinstBegin()
	dupinstBuildLock.Lock()
	defer dupinstBuildLock.Unlock()
	if !dupinstBuilt {
		dupinstFirstBuild, dupinstBuilt = p.Build, true
	}
	if p.Build == dupinstFirstBuild {
		return true
	}
	if dupinstDir != "" {
		n, at := binary.Uvarint([]byte(p.Meta))
		dupinstPrint("dupinst: package " + p.Meta[at:at+int(n)] + " was rewritten with other flags than the first one that ran, and is not profiled\n")
	}
	return false
}

var (
	dupinstBuildLock sync.Mutex
	dupinstBuilt     bool
)
