//go:build !dupinst_runtime

package core

import (
	"errors"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// This file stands in for the Go runtime when core is an ordinary package, and
// is not injected. It also carries what only the injector needs: Source.

func dupinstXadd(p *uint64, d uint64)              { atomic.AddUint64(p, d) }
func dupinstXchg64(p *uint64, v uint64) uint64     { return atomic.SwapUint64(p, v) }
func dupinstLoad64(p *uint64) uint64               { return atomic.LoadUint64(p) }
func dupinstLoad32(p *uint32) uint32               { return atomic.LoadUint32(p) }
func dupinstStore32(p *uint32, v uint32)           { atomic.StoreUint32(p, v) }
func dupinstLoad(p *uintptr) uintptr               { return atomic.LoadUintptr(p) }
func dupinstStore(p *uintptr, v uintptr)           { atomic.StoreUintptr(p, v) }
func dupinstCas(p *uintptr, old, new uintptr) bool { return atomic.CompareAndSwapUintptr(p, old, new) }
func dupinstCas32(p *uint32, old, new uint32) bool { return atomic.CompareAndSwapUint32(p, old, new) }

// dupinstBuild is the encoded format.Build of the program; patch writes the
// real one.
const dupinstBuild = "\x04none\x00"

// dupinstSaveRest writes what only an audit build has.
func dupinstSaveRest() {}

// dupinstPtr turns the address of static data into a pointer.
func dupinstPtr(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// dupinstName describes the function at pc: symbol, file, first line, and what
// kind of code it is.
func dupinstName(pc uintptr) (name, file string, line int32, kind byte) {
	f := runtime.FuncForPC(pc)
	if f == nil {
		return "", "", 0, dupinstPlain
	}
	file, l := f.FileLine(f.Entry())
	return f.Name(), file, int32(l), dupinstPlain
}

// dupinstPending is the number of checks not yet folded into dupinstChecks.
func dupinstPending() uint64 { return 0 }

// dupinstWakeAll has no goroutines to wake.
func dupinstWakeAll() {}

func dupinstPrint(s string)  { os.Stderr.WriteString(s) }
func dupinstSleep(us uint32) { time.Sleep(time.Duration(us) * time.Microsecond) }
func dupinstClose(fd int32)  { syscall.Close(int(fd)) }
func dupinstUnlink(p *byte)  { syscall.Unlink(dupinstGoString(p)) }
func dupinstMkdir(p *byte)   { syscall.Mkdir(dupinstGoString(p), 0o777) }
func dupinstGoString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

func dupinstNumber(err error) int32 {
	var e syscall.Errno
	errors.As(err, &e)
	return int32(e)
}

func dupinstCreate(p *byte) (fd, errno int32) {
	n, err := syscall.Open(dupinstGoString(p), syscall.O_WRONLY|syscall.O_CREAT|syscall.O_TRUNC, 0o666)
	return int32(n), dupinstNumber(err)
}

func dupinstWriteFD(fd int32, b unsafe.Pointer, n int32) (int32, int32) {
	m, err := syscall.Write(int(fd), unsafe.Slice((*byte)(b), n))
	return int32(max(m, 0)), dupinstNumber(err)
}

func dupinstRename(from, to *byte) int32 {
	return dupinstNumber(syscall.Rename(dupinstGoString(from), dupinstGoString(to)))
}
