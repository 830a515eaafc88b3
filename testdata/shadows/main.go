// Shadows does for a second what a fork of its process must not be seen to do: it writes to files, to memory that it has in
// common with others and to a connection, waits for children, and hears of signals. It says what of that was not as it has to be.
// Arguments are the seconds, and which of these it does.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

//go:noinline
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

var wrong atomic.Int64

func check(ok bool, format string, args ...any) {
	if !ok {
		wrong.Add(1)
		fmt.Printf(format+"\n", args...)
	}
}

// file appends lines to a file, of which there are as many in the end.
func file(dir string, end time.Time) {
	name := filepath.Join(dir, "lines")
	f, err := os.Create(name)
	if err != nil {
		check(false, "%v", err)
		return
	}
	n := 0
	for ; time.Now().Before(end); n++ {
		if _, err := fmt.Fprintf(f, "%d %d\n", n, fib(12)); err != nil {
			check(false, "%v", err)
		}
	}
	check(f.Close() == nil, "cannot close the file")
	text, err := os.ReadFile(name)
	check(err == nil, "%v", err)
	lines := 0
	for _, c := range text {
		if c == '\n' {
			lines++
		}
	}
	check(lines == n, "%d lines were written, and %d are there", n, lines)
}

// memory counts in a page that others may have, too.
func memory(end time.Time) {
	page, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_ANON)
	if err != nil {
		check(false, "%v", err)
		return
	}
	n := byte(0)
	for ; time.Now().Before(end); n++ {
		check(page[7] == n, "a page has %d, not %d", page[7], n)
		fib(10)
		page[7]++
	}
}

// children are waited for, and heard of, each once.
func children(end time.Time) {
	heard := make(chan os.Signal, 1000)
	signal.Notify(heard, syscall.SIGCHLD)
	n := 0
	for ; time.Now().Before(end); n++ {
		out, err := exec.Command("echo", "child").Output()
		check(err == nil && string(out) == "child\n", "a child: %v, %q", err, out)
	}
	signal.Stop(heard)
	check(len(heard) <= n, "%d children ended, and there were %d signals", n, len(heard))
	_, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	check(errors.Is(err, syscall.ECHILD), "there are other children: %v", err)
}

// connections are answered once, and their end is seen at once.
func connections(end time.Time) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		check(false, "%v", err)
		return
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				in := bufio.NewReader(c)
				line, _ := in.ReadString('\n')
				fmt.Fprintf(c, "%d %s", fib(15), line)
				c.Close()
			}()
		}
	}()
	for n := 0; time.Now().Before(end); n++ {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			check(false, "%v", err)
			continue
		}
		fmt.Fprintf(c, "%d\n", n)
		answer, err := io.ReadAll(c)
		check(err == nil && string(answer) == fmt.Sprintf("610 %d\n", n), "request %d: %v, %q", n, err, answer)
		c.Close()
	}
	l.Close()
}

// ask and tell are fib, for two who are told apart.
//
//go:noinline
func ask(n int) int {
	if n < 2 {
		return n
	}
	return ask(n-1) + ask(n-2)
}

//go:noinline
func tell(n int) int {
	if n < 2 {
		return n
	}
	return tell(n-1) + tell(n-2)
}

// talk has one who works for whatever it reads from a connection, and one who does as much and writes to another, of which neither waits for long.
func talk(end time.Time) {
	pair := func() (from, to net.Conn) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err == nil {
			defer l.Close()
			from, err = net.Dial("tcp", l.Addr().String())
		}
		if err == nil {
			to, err = l.Accept()
		}
		check(err == nil, "%v", err)
		return from, to
	}
	question, asked := pair()
	answer, told := pair()
	go func() {
		for word := make([]byte, 8); ; {
			if _, err := question.Write(word); err != nil {
				return
			}
		}
	}()
	go io.Copy(io.Discard, told)
	go func() {
		for word := make([]byte, 8); ; {
			tell(16)
			if _, err := answer.Write(word); err != nil {
				return
			}
		}
	}()
	for word := make([]byte, 8); time.Now().Before(end); {
		_, err := io.ReadFull(asked, word)
		check(err == nil, "%v", err)
		ask(16)
	}
	for _, c := range []net.Conn{asked, question, told, answer} {
		c.Close()
	}
}

// panics recovers from them, and has collections.
func panics(end time.Time) {
	for n := 0; time.Now().Before(end); n++ {
		func() {
			defer func() { check(recover() == n, "a panic was of another value") }()
			garbage := make([][]byte, 100)
			for i := range garbage {
				garbage[i] = make([]byte, fib(10)*100)
			}
			panic(n)
		}()
	}
}

// astray is called where a file has not what the program has put there, which only shadows may come to, and none should.
//
//go:noinline
func astray() { wrong.Add(1) }

// lines reads a file of numbers over and over, and others by name, which leaves no trace.
func lines(dir string, end time.Time) {
	const n = 5000
	dir = filepath.Join(dir, "read")
	name := filepath.Join(dir, "numbers")
	var text []byte
	for i := range n {
		text = fmt.Appendln(text, i)
	}
	long := time.Unix(1_000_000_000, 0)
	err := errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(name, text, 0o666), os.Chtimes(name, long, time.Time{}))
	f, err2 := os.OpenFile(name, os.O_RDONLY|syscall.O_NOATIME, 0)
	if err = errors.Join(err, err2); err != nil {
		check(false, "%v", err)
		return
	}
	for time.Now().Before(end) {
		in := bufio.NewScanner(f)
		for i := range n {
			if !in.Scan() || in.Text() != fmt.Sprint(i) {
				astray()
			}
			if fib(12); i%500 == 0 {
				named(dir, name, text)
			}
		}
		more := in.Scan()
		if at, err := f.Seek(0, io.SeekStart); more || at != 0 || err != nil {
			astray()
		}
	}
	var stat syscall.Stat_t
	check(syscall.Fstat(int(f.Fd()), &stat) == nil && stat.Atim.Sec == long.Unix(), "the file was read at %d", stat.Atim.Sec)
	f.Close()
}

// listed reads a directory over and over, some names at a time.
func listed(dir string, end time.Time) {
	const n = 200
	dir = filepath.Join(dir, "listed")
	check(os.Mkdir(dir, 0o777) == nil, "%s cannot be made", dir)
	for i := range n {
		name := filepath.Join(dir, fmt.Sprintf("%0200d", i))
		check(os.WriteFile(name, nil, 0o666) == nil, "%s cannot be written", name)
	}
	f, err := os.Open(dir)
	check(err == nil, "%v", err)
	defer f.Close()
	for time.Now().Before(end) {
		seen := 0
		for range n {
			names, _ := f.Readdirnames(1)
			seen += len(names)
			fib(12)
		}
		if at, err := f.Seek(0, io.SeekStart); seen != n || at != 0 || err != nil {
			astray()
		}
	}
}

// named has a directory and its file by their names.
func named(dir, name string, text []byte) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOATIME, 0)
	if err != nil {
		astray()
		return
	}
	defer f.Close()
	got, err := io.ReadAll(f)
	info, err2 := os.Stat(name)
	entries, err3 := os.ReadDir(dir)
	_, err4 := os.Open(name + "s")
	if err != nil || err2 != nil || err3 != nil || !errors.Is(err4, os.ErrNotExist) || string(got) != string(text) || info.Size() != int64(len(text)) || len(entries) != 1 {
		astray()
	}
}

// blocks are read from a file as they were written.
func blocks(dir string, end time.Time) {
	f, err := os.Create(filepath.Join(dir, "blocks"))
	if err != nil {
		check(false, "%v", err)
		return
	}
	defer f.Close()
	for n := 1; time.Now().Before(end); n++ {
		block, got := fmt.Appendf(nil, "%16d", n), make([]byte, 16)
		if _, err := f.WriteAt(block, 0); err != nil {
			astray()
		}
		fib(10)
		if _, err := f.ReadAt(got, 0); err != nil || !slices.Equal(block, got) {
			astray()
		}
	}
}

// mapped has a file in memory that it writes to, now and then at its end.
func mapped(dir, name string, end time.Time, write func(f *os.File, block []byte, at int64) error) {
	const most = 64 * 4096
	has := make([]byte, 3*4096, most)
	f, err := os.Create(filepath.Join(dir, name))
	if err == nil {
		err = f.Truncate(int64(len(has)))
	}
	var memory []byte
	if err == nil {
		memory, err = syscall.Mmap(int(f.Fd()), 0, most, syscall.PROT_READ, syscall.MAP_SHARED)
	}
	if err != nil {
		check(false, "%v", err)
		return
	}
	defer f.Close()
	for n := 1; time.Now().Before(end); n++ {
		block, at := fmt.Appendf(nil, "%16d", n), n*4000%(len(has)-16)
		if grown := len(has) + len(block); n%16 == 0 && grown <= most {
			at, has = len(has), has[:grown]
		}
		if err := write(f, block, int64(at)); err != nil {
			astray()
		}
		copy(has[at:], block)
		info, err := f.Stat()
		if fib(10); err != nil || info.Size() != int64(len(has)) || !slices.Equal(has, memory[:len(has)]) {
			astray()
		}
	}
}

func writeAt(f *os.File, block []byte, at int64) error {
	_, err := f.WriteAt(block, at)
	return err
}

func seekAndWrite(f *os.File, block []byte, at int64) error {
	if _, err := f.Seek(at, io.SeekStart); err != nil {
		return err
	}
	_, err := f.Write(block)
	return err
}

// pipe has nobody that reads from it but who has the lock.
func pipe(dir string, end time.Time) {
	var lock sync.Mutex
	name := filepath.Join(dir, "pipe")
	check(syscall.Mkfifo(name, 0o666) == nil, "there is no pipe")
	open := func(how int) error {
		lock.Lock()
		defer lock.Unlock()
		fd, err := syscall.Open(name, how|syscall.O_NONBLOCK, 0)
		if err == nil {
			fib(15)
			syscall.Close(fd)
		}
		return err
	}
	go func() {
		for time.Now().Before(end) {
			open(syscall.O_RDONLY)
			time.Sleep(time.Millisecond)
		}
	}()
	for time.Now().Before(end) {
		err := open(syscall.O_WRONLY)
		check(errors.Is(err, syscall.ENXIO), "somebody reads from the pipe: %v", err)
		fib(10)
	}
}

// watched hears of each time that the program opens a file, and of none else.
func watched(dir string, end time.Time) {
	name := filepath.Join(dir, "watched")
	watch, err := unix.InotifyInit1(unix.IN_NONBLOCK)
	err2 := os.WriteFile(name, []byte("watched"), 0o666)
	_, err3 := unix.InotifyAddWatch(watch, name, unix.IN_OPEN|unix.IN_ACCESS)
	if err = errors.Join(err, err2, err3); err != nil {
		check(false, "%v", err)
		return
	}
	heard := 0
	buf := make([]byte, 4096)
	n := 0
	for ; time.Now().Before(end); n++ {
		text, err := os.ReadFile(name)
		check(err == nil && string(text) == "watched", "%v, %q", err, text)
		fib(20)
		for got, err := unix.Read(watch, buf); err == nil; got, err = unix.Read(watch, buf) {
			for at := 0; at < got; at += unix.SizeofInotifyEvent {
				if (*unix.InotifyEvent)(unsafe.Pointer(&buf[at])).Mask&unix.IN_OPEN != 0 {
					heard++
				}
			}
		}
	}
	check(heard == n, "the file was opened %d times, and it was heard of %d", n, heard)
}

// calls is in system calls for most of half of the time, and in none in the other half.
func calls(dir string, end time.Time) {
	name := filepath.Join(dir, "calls")
	check(os.WriteFile(name, make([]byte, 64<<10), 0o666) == nil, "%s cannot be written", name)
	f, err := os.Open(name)
	check(err == nil, "%v", err)
	defer f.Close()
	buf := make([]byte, 64<<10)
	inTurn(end, 20_000, 40_000, func(int) {
		n, err := f.ReadAt(buf, 0)
		check(n == len(buf) && err == nil, "%d, %v", n, err)
	})
}

// inTurn does what shadows slow down n times, and computes m times. It says how often it did either.
func inTurn(end time.Time, n, m int, slowed func(i int)) {
	var reads, computes int
	for time.Now().Before(end) {
		for i := range n {
			slowed(i)
			reading()
			reads++
		}
		for range m {
			check(fib(15) == 610, "fib(15) is wrong")
			computing()
			computes++
		}
	}
	fmt.Println("reads, computes:", reads, computes)
}

//go:noinline
func reading() {}

//go:noinline
func computing() {}

// refusal has the system refuse to make processes, and not threads.
func refusal() {
	const load, set, equal, answer = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	rules := []unix.SockFilter{
		{Code: load, K: 0}, // the number of the call
		{Code: equal, Jf: 3, K: unix.SYS_CLONE},
		{Code: load, K: 16}, // its first argument
		{Code: set, Jt: 1, K: unix.CLONE_THREAD},
		{Code: answer, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EAGAIN)},
		{Code: answer, K: unix.SECCOMP_RET_ALLOW},
	}
	filter := unix.SockFprog{Len: uint16(len(rules)), Filter: &rules[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		check(false, "%v", err)
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&filter)))
	check(errno == 0, "seccomp: %v", errno)
}

func main() {
	dir, err := os.MkdirTemp("", "shadows")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	defer os.RemoveAll(dir)
	seconds := 1
	if len(os.Args) > 1 {
		fmt.Sscan(os.Args[1], &seconds)
	}
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	parts := map[string]func(){
		"file":        func() { file(dir, end) },
		"memory":      func() { memory(end) },
		"children":    func() { children(end) },
		"connections": func() { connections(end) },
		"talk":        func() { talk(end) },
		"panics":      func() { panics(end) },
		"lines":       func() { lines(dir, end) },
		"blocks":      func() { blocks(dir, end) },
		"mapped":      func() { mapped(dir, "mapped", end, writeAt) },
		"sought":      func() { mapped(dir, "sought", end, seekAndWrite) },
		"pipe":        func() { pipe(dir, end) },
		"watched":     func() { watched(dir, end) },
		"heap":        func() { heap(end) },
		"spans":       spans,
		"small":       func() { small(end) },
		"calls":       func() { calls(dir, end) },
		"listed":      func() { listed(dir, end) },
		"pages":       func() { pages(end) },
		"refusal":     refusal,
	}
	var all sync.WaitGroup
	for name, part := range parts {
		alone := slices.Contains([]string{"refusal", "heap", "spans", "small", "calls", "pages", "talk", "watched", "pipe"}, name) // the last of which other children have for a moment
		if len(os.Args) < 3 && !alone || len(os.Args) > 2 && slices.Contains(os.Args[2:], name) {
			all.Go(part)
		}
	}
	all.Wait()
	fmt.Println("wrong:", wrong.Load())
}
