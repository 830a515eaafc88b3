//go:build dupinst_runtime && linux && amd64

package core

import (
	"internal/runtime/atomic"
	"unsafe"
)

// A shadow is a fork of the process that is made with the world stopped, so that all goroutines are at points at which any thread
// can go on with them: of the parent's threads it has one, the others it starts anew. It may not do anything that another process could
// see: none of the files is its own, so that no connection stays open for it, shared memory that may change is taken away, it is in a session of its own,
// no wait of the parent's but for the one meant for it finds it, and a filter of system calls ends it
// where it asks for what might. trigger_files_linux_amd64.go has what of files it may read, trigger_mapped_linux_amd64.go which memory it may.

const dupinstShadowable = dupinstPhasable

// System calls, and what they are given.
const (
	dupinstSysClone      = 56
	dupinstSysWait4      = 61
	dupinstSysKill       = 62
	dupinstSysSetsid     = 112
	dupinstSysCloseRange = 436

	dupinstCloneFiles   = 0x400      // CLONE_FILES
	dupinstWaitAll      = 0x40000000 // __WALL: children whose end is no signal, too
	dupinstNoHang       = 1          // WNOHANG
	dupinstSigKill      = 9
	dupinstMapShared    = 0x1 // MAP_SHARED, also part of MAP_SHARED_VALIDATE
	dupinstMapAnonymous = 0x20
)

// dupinstForks is the goroutine that forks, which waits for the thread that says when.
var dupinstForks struct {
	lock   mutex
	g      *g
	waits  bool
	forked note
	sleeps bool // what says when, for there are to be none
	woken  note
	severs bool // the shadow is to have a heap of its own from the start
	pid    int32
	stop   int64  // nanoseconds that the program stood still
	round  uint64 // of settings
}

var dupinstSharedWith uintptr // the address of a dupinstShared

// dupinstShadowInit starts what makes shadows.
func dupinstShadowInit() {
	at, errno := mmap(nil, dupinstSharedSize, _PROT_READ|_PROT_WRITE, dupinstMapShared|dupinstMapAnonymous, -1, 0)
	if errno != 0 {
		dupinstReport("making memory for shadows", int32(errno))
		dupinstStore64(&dupinstShadowRate, 0)
		return
	}
	dupinstSharedWith = uintptr(at)
	go dupinstForker()
	systemstack(func() { newm(dupinstShepherd, nil, -1) })
}

// dupinstShadowSwitch has so many shadows a second from now on, of that length. What one that is there counts is lost.
func dupinstShadowSwitch(rate uint64, length int64) {
	f := &dupinstForks
	lock(&f.lock)
	dupinstShadowLength = length
	dupinstStore64(&dupinstShadowRate, rate)
	f.round++
	wakes := f.sleeps && rate > 0
	f.sleeps = f.sleeps && rate == 0
	unlock(&f.lock)
	if wakes {
		notewakeup(&f.woken)
	}
	if rate > 0 {
		dupinstRest = dupinstGlance
	}
	if rate > 0 && dupinstSharedWith == 0 {
		dupinstShadowInit()
	}
}

// dupinstForker forks whenever it is woken.
func dupinstForker() {
	f := &dupinstForks
	f.g = getg()
	for {
		lock(&f.lock)
		f.waits = true
		goparkunlock(&f.lock, waitReasonForceGCIdle, traceBlockSystemGoroutine, 1)
		dupinstFork()
		notewakeup(&f.forked)
	}
}

// dupinstFork makes a shadow, in which it returns, too.
func dupinstFork() {
	f := &dupinstForks
	world := stopTheWorldGC(stwUnknown)
	begun := world.startedStopping
	dupinstCallsEnd()
	systemstack(func() {
		// These are what threads may have that the world's stop does not stop.
		lock(&sched.sysmonlock)
		lock(&allglock)
		lock(&sched.lock)
		lock(&mheap_.lock)
		var old sigset
		all := sigset_all
		sigprocmask(_SIG_SETMASK, &all, &old)
		dupinstNoteOpen()
		dupinstCopyMapped()
		pid, _, errno := dupinstSyscall6(dupinstSysClone, dupinstCloneFiles, 0, 0, 0, 0, 0)
		f.pid = int32(pid)
		if errno != 0 {
			f.pid = -int32(errno)
		}
		unlock(&mheap_.lock)
		if f.pid == 0 {
			dupinstBecome()
		}
		unlock(&sched.lock)
		unlock(&allglock)
		unlock(&sched.sysmonlock)
		sigprocmask(_SIG_SETMASK, &old, nil)
	})
	shadow := f.pid == 0
	startTheWorldGC(world)
	f.stop = nanotime() - begun
	if shadow {
		systemstack(func() {
			newm(sysmon, nil, -1)
			newm(dupinstShadowEnd, nil, -1)
		})
	}
}

// dupinstCallsEnd waits, with the world stopped, until goroutines have returned from system calls, which most do at once: one that is in a call when
// the process is forked does not go on in the shadow, which has not its thread, so that what makes calls would be seen less. One that has not
// returned in time is not waited for again.
func dupinstCallsEnd() {
	const patience, way = 100_000, 5_000 // nanoseconds; on the way to a queue
	begun := nanotime()
	for late := false; dupinstCalling(late) && !late; late = nanotime() > begun+patience {
		osyield()
	}
	for until := nanotime() + way; nanotime() < until; {
		osyield()
	}
}

// dupinstCalling reports whether a goroutine that is waited for is in a system call, or on its way out of one, and which it was late for. No thread's memory is
// freed while the world is stopped, and the lock of their list is what goroutines need on that way.
func dupinstCalling(late bool) (calling bool) {
	for mp := allm; mp != nil; mp = mp.alllink {
		gp := mp.curg
		if gp == nil || mp == getg().m || mp.incgo {
			continue
		}
		if status := readgstatus(gp); status != _Gsyscall && status != _Grunning {
			continue
		}
		if gp.dupinst.dupinstAwaited(1+uint64(mp.syscalltick), late) {
			calling = true
		}
	}
	return calling
}

// dupinstShepherd is a thread that has shadows made, at the events of a Poisson process, waits for them, and adds what they counted.
//
//go:nowritebarrierrec
func dupinstShepherd() {
	dupinstApart()
	f := &dupinstForks
	random := dupinstMix(uint64(nanotime()) ^ dupinstSeed)
	var life, rests int64 // nanoseconds that the last one was there, and that may be spent on what it has left of pages
	var moments dupinstMoments
	var pacer dupinstPacer
	var paced uint64 // the round that it is of
	for {
		lock(&f.lock)
		rate, length, round := dupinstShadowRate, dupinstShadowLength, f.round
		if rate == 0 {
			noteclear(&f.woken)
			f.sleeps = true
			unlock(&f.lock)
			notesleep(&f.woken)
			continue
		}
		unlock(&f.lock)
		random = dupinstMix(random + 0x9e3779b97f4a7c15)
		now := nanotime()
		due := moments.dupinstNext(now, random, rate, length)
		if rests > 0 {
			dupinstCollapse(min(rests, due-now))
			pacer.dupinstSpend(uint64(nanotime() - now))
			rests = 0
		}
		dupinstNap(due - nanotime())
		if sched.npidle.Load() == gomaxprocs {
			continue // there is nothing to see
		}
		cpu := dupinstCPU()
		if paced != round || pacer.n == 0 {
			pacer, paced, moments.longest = dupinstPace(length, cpu), round, 0
		}
		if !pacer.dupinstMay(dupinstMix(^random), dupinstShadowBudget, cpu) {
			continue
		}
		dupinstFind()
		if dupinstCollects(life) {
			continue
		}
		lock(&f.lock)
		if !f.waits || f.round != round {
			unlock(&f.lock)
			continue
		}
		f.waits = false
		noteclear(&f.forked)
		f.severs = dupinstSevers(life)
		s := (*dupinstShared)(dupinstPtr(dupinstSharedWith))
		s.done, s.checks = 0, 0
		var list gList
		list.push(f.g)
		injectglist(&list)
		unlock(&f.lock)
		notesleep(&f.forked)
		spent, born := uint64(0), nanotime()
		if f.pid > 0 {
			checks := dupinstAllChecks()
			dupinstOwnTime(length)
			dupinstStore64(&s.checks, 1+dupinstAllChecks()-checks)
			dupinstAwait(uintptr(f.pid), length)
			life = nanotime() - born
			spent = uint64(life) // at most, of one that tells nothing
		}
		lock(&f.lock)
		switch {
		case f.round != round: // of another profile
		case f.pid < 0:
			dupinstXadd(&dupinstTotal.lost, 1)
		default:
			dupinstXadd(&dupinstTotal.shadows, 1)
			dupinstXadd(&dupinstTotal.stood, uint64(f.stop))
			dupinstLongestStop = max(dupinstLongestStop, uint64(f.stop))
			if s.dupinstReceive() {
				spent = s.spent
			}
		}
		unlock(&f.lock)
		rests = 2 * max(f.stop, life)
		pacer.dupinstAdd(spent + uint64(f.stop)*uint64(gomaxprocs))
		moments.dupinstEnded(born, life)
	}
}

// dupinstAllChecks is how many checks there have been, of all goroutines.
func dupinstAllChecks() uint64 { return dupinstLoad64(&dupinstTotal.checks) + dupinstPending() }

// dupinstAwait waits until a shadow of some length has ended, and ends it where that takes too long.
func dupinstAwait(pid uintptr, length int64) {
	const patience = 500_000_000
	until := nanotime() + 2*dupinstSlowest*length + patience
	for {
		r, errno := dupinstCall(dupinstSysWait4, pid, 0, dupinstWaitAll|dupinstNoHang, 0)
		if errno != 0 || r == pid {
			return
		}
		if nanotime() > until {
			dupinstCall(dupinstSysKill, pid, dupinstSigKill, 0, 0)
			dupinstCall(dupinstSysWait4, pid, 0, dupinstWaitAll, 0)
			return
		}
		usleep(500)
	}
}

// dupinstBecome makes a shadow of what has been forked: it is alone, and the world is stopped.
func dupinstBecome() {
	const (
		prctlDeath   = 1  // PR_SET_PDEATHSIG
		prctlCore    = 4  // PR_SET_DUMPABLE
		prctlNoNew   = 38 // PR_SET_NO_NEW_PRIVS
		prctlSeccomp = 22
		modeFilter   = 2
	)
	dupinstInShadow = 1
	dupinstSyscall6(dupinstSysPrctl, prctlDeath, dupinstSigKill, 0, 0, 0, 0)
	dupinstSyscall6(dupinstSysPrctl, prctlCore, 0, 0, 0, 0, 0) // should it crash
	if dupinstForks.severs {
		dupinstSever(nanotime() + dupinstShadowLength) // before the program writes much
	}
	if !dupinstKeepFiles() {
		exit(1) // before Linux 5.9
	}
	dupinstSyscall6(dupinstSysSetsid, 0, 0, 0, 0, 0, 0)
	// Its other threads are not there.
	dupinstNoneIdle()
	sched.nmidle, sched.nmidlelocked, sched.nmsys = 0, 0, 0
	sched.nmspinning.Store(0)
	sched.nmfreed = sched.mnext - 1
	sched.sysmonwait.Store(false)
	getg().m.procid = uint64(gettid())
	memstats.enablegc = false // it ends soon
	for _, v := range dbgvars {
		if v.name == "updatemaxprocs" && v.value != nil { // from Go 1.25 on, each sysmon asks first how many processors there are: it would read a file
			*v.value = 0
		}
	}
	if !dupinstUnshare() {
		exit(1)
	}
	if netpollinited() {
		// Of its own: events of the parent's are none of its.
		netpollinit()
		if fd, errno := dupinstCall(dupinstSysFcntl, netpollEventFd, dupinstDupCloseOnExec, dupinstOwnFrom, 0); errno == 0 {
			closefd(int32(netpollEventFd))
			netpollEventFd = fd
		}
	}
	if _, _, errno := dupinstSyscall6(dupinstSysPrctl, prctlNoNew, 1, 0, 0, 0, 0); errno != 0 {
		exit(1)
	}
	filter := dupinstFilter()
	if _, _, errno := dupinstSyscall6(dupinstSysPrctl, prctlSeccomp, modeFilter, uintptr(unsafe.Pointer(&filter)), 0, 0, 0); errno != 0 {
		exit(1)
	}
	dupinstForget()
	dupinstFinding, dupinstFolding, dupinstBudget = 0, 0, 0
	dupinstInterval, dupinstJitter, dupinstPaused, dupinstRest = 1, 0, false, 0
	forEachGRace(func(gp *g) {
		p := &gp.dupinst
		p.dupinstFresh()
		p.load, p.ctr, p.phase, p.lasts, p.more, p.next = 0, 0, 0, 0, 0, 0
	})
}

// dupinstFarEnough ends the shadow, at the begin of a sample, where it has come as far as the program has in as long as it was to last: were all given the same
// time, code that probes slow down would be seen less than it is executed.
func dupinstFarEnough() {
	s := (*dupinstShared)(dupinstPtr(dupinstSharedWith))
	if checks := dupinstLoad64(&s.checks); checks == 0 || dupinstLoad64(&dupinstTotal.samples) < checks {
		return
	}
	systemstack(func() {
		dupinstBeLast()
		dupinstXadd(&dupinstTotal.samples, ^uint64(0)) // which sees nothing any more
		dupinstWholeTime = true
		dupinstHandOver()
	})
}

// dupinstShadowEnd is a thread that ends the shadow where that does not come so far: as all wait, for what is not there, and come to no check any more, as the program has come to none, or as it takes too long.
// Time for which it is not let run, beside other load, does not count. As the thread is none of the runtime's, nothing is taken for a deadlock.
func dupinstShadowEnd() {
	const look = 100_000 // nanoseconds
	length := dupinstShadowLength
	dupinstNap(length)
	s := (*dupinstShared)(dupinstPtr(dupinstSharedWith))
	begun, cpu := nanotime(), dupinstCPU()
	life := dupinstLife{lasted: length}
	for at := begun; at < begun+2*dupinstSlowest*length; {
		dupinstNap(look)
		now, used := nanotime(), dupinstCPU()
		busy := gomaxprocs - sched.npidle.Load()
		if !life.dupinstGoesOn(now-at, int64(used-cpu), busy, dupinstLoad64(&dupinstTotal.samples), dupinstLoad64(&s.checks), length) {
			break
		}
		at, cpu = now, used
	}
	dupinstBeLast()
	dupinstWholeTime = true
	dupinstHandOver()
}

var dupinstWholeTime bool // the shadow has lasted as long as it was to

var dupinstVanishing uint32

// dupinstVanish ends the shadow. It may be in a signal handler.
func dupinstVanish() {
	dupinstBeLast()
	dupinstHandOver()
}

// dupinstBeLast returns in one thread alone. It may be in a signal handler.
func dupinstBeLast() {
	for !atomic.Cas(&dupinstVanishing, 0, 1) {
		usleep(1000)
	}
}

// dupinstHandOver hands over what the shadow has counted, and ends it. It may be in a signal handler.
func dupinstHandOver() {
	s := (*dupinstShared)(dupinstPtr(dupinstSharedWith))
	s.spent, s.whole = dupinstCPU(), dupinstWholeTime
	s.dupinstDeliver()
	exit(0)
}

// A dupinstRule is an instruction of a filter, as Linux's classic BPF has it.
type dupinstRule struct {
	code    uint16
	yes, no uint8
	k       uint32
}

type dupinstRuleList struct {
	n    uint16
	rule *dupinstRule
}

var dupinstRules [256]dupinstRule

// What a shadow is told would block, what is said to have been done, and what it may have.
var (
	dupinstBlocks   = [...]uint32{43, 46, 47, 288} // accept, sendmsg, recvmsg
	dupinstDone     = [...]uint32{26, 73, 74, 75}  // msync, flock, fsync, fdatasync
	dupinstHarmless = [...]uint32{
		10, 11, 12, 25, 28, 158, // memory
		3, 16, 48, 51, 52, 54, 55, 72, // of files, which are its own or closed
		13, 14, 15, 131, 24, 35, 60, 186, 204, 218, 231, 273, 324, 334, // threads and signals
		213, 291, 232, 233, 281, 290, // epoll
		39, 63, 79, 96, 97, 98, 102, 104, 107, 108, 110, 201, 228, 229, 230, 302, 318, // what is asked for
	}
)

// dupinstFilter is the shadow's. What is in no list is a signal to the thread (dupinstShadowSignal), as is a signal for another; C code is told that it would block,
// and whoever makes a process. What the signal's handler asks for itself has the key as its last argument.
func dupinstFilter() dupinstRuleList {
	const (
		load, equal, set, answer      = 0x20, 0x15, 0x45, 0x06
		number, callerHigh, argument0 = 0, 12, 16
		allow, trap, refuse           = 0x7fff0000, 0x00030000, 0x00050000
		again, noCall                 = 11, 38
		clone3, futex, tgkill         = 435, 202, 234
		thread, private               = 0x10000, 128
		argument1, argument3          = argument0 + 8, argument0 + 3*8
		argument5                     = argument0 + 5*8
		read, write                   = 0, 1
	)
	n := uint16(0)
	rule := func(code uint16, yes, no uint8, k uint32) {
		dupinstRules[n] = dupinstRule{code, yes, no, k}
		n++
	}
	// when has what follows, of some rules, decide of a call.
	when := func(call uint32, rules uint8) { rule(equal, 0, rules, call) }
	rule(load, 0, 0, number)
	for _, call := range dupinstBlocks {
		when(call, 1)
		rule(answer, 0, 0, refuse|again)
	}
	for _, call := range dupinstDone {
		when(call, 1)
		rule(answer, 0, 0, refuse)
	}
	when(clone3, 1)
	rule(answer, 0, 0, refuse|noCall) // the C library asks for clone then
	when(dupinstSysClone, 4)
	rule(load, 0, 0, argument0)
	rule(set, 0, 1, thread)
	rule(answer, 0, 0, allow)
	rule(answer, 0, 0, refuse|again) // signals are blocked where a process is made, so that a trap would end it untold
	when(futex, 4)
	rule(load, 0, 0, argument1)
	rule(set, 0, 1, private)
	rule(answer, 0, 0, allow)
	rule(answer, 0, 0, trap)
	when(dupinstSysMmap, 5)
	rule(load, 0, 0, argument3)
	rule(set, 1, 0, dupinstMapAnonymous)
	rule(set, 1, 0, dupinstMapShared)
	rule(answer, 0, 0, allow)
	rule(load, 0, 0, number)
	when(tgkill, 4)
	rule(load, 0, 0, argument0)
	rule(equal, 0, 1, uint32(getpid()))
	rule(answer, 0, 0, allow)
	rule(answer, 0, 0, trap)
	for _, call := range dupinstHarmless {
		when(call, 1)
		rule(answer, 0, 0, allow)
	}
	rule(load, 0, 0, argument5)
	rule(equal, 0, 3, dupinstKey&(1<<32-1))
	rule(load, 0, 0, argument5+4)
	rule(equal, 0, 1, dupinstKey>>32)
	rule(answer, 0, 0, allow)
	rule(load, 0, 0, number)
	rule(equal, 1, 0, read)
	rule(equal, 0, 3, write)
	rule(load, 0, 0, argument0)
	rule(equal, 0, 1, uint32(netpollEventFd))
	rule(answer, 0, 0, allow)
	// C code may ask where signals are blocked, as a thread of its does that begins; a trap would end the shadow untold.
	rule(load, 0, 0, callerHigh)
	rule(equal, 0, 1, uint32(firstmoduledata.text>>32))
	rule(answer, 0, 0, trap)
	rule(answer, 0, 0, refuse|again)
	return dupinstRuleList{n, &dupinstRules[0]}
}
