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
		"panics":      func() { panics(end) },
		"refusal":     refusal,
	}
	var all sync.WaitGroup
	for name, part := range parts {
		if len(os.Args) < 3 && name != "refusal" || len(os.Args) > 2 && slices.Contains(os.Args[2:], name) {
			all.Go(part)
		}
	}
	all.Wait()
	fmt.Println("wrong:", wrong.Load())
}
