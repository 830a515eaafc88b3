// Where a panic comes from is where the source says it comes from.
package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

type p struct {
	n    int
	next *p
	f    func() int
}

func where() int { _, _, line, _ := runtime.Caller(1); return line }

func lines(x *p) (out []int) {
	out = append(out, where(), where(),
		where(),
		x.n+where(), func() int {
			return where()
		}())
	if x.n > 0 &&
		where() > 0 {
		out = append(out, where())
	}
	for i := where(); i < where()+
		x.n; i += where() {
		out = append(out,
			i)
	}
	switch where() {
	case x.n,
		where():
		out = append(out, where())
	}
	for _, v := range []int{
		where(), x.n,
		where()} {
		out = append(out, v, where())
		if v > x.n {
			continue
		}
		out = append(out, where())
	}
	defer func(n int) { out = append(out, n, where()) }(
		where())
	return append(out, where())
}

//line other.go:100
func moved(x *p) (int, string) {
	n := x.n
	for i := range 2 {
		n += x.n * i
	}
	_, file, line, _ := runtime.Caller(0)
	return line, filepath.Base(file)
}

//line main.go:65
func crash(k int) (at string) {
	x := &p{}
	defer func() {
		e := recover()
		for _, l := range strings.Split(string(debug.Stack()), "\n") {
			if strings.HasPrefix(l, "\t") && strings.Contains(l, "main.go:") {
				l, _, _ = strings.Cut(l[strings.LastIndex(l, "/")+1:], " ")
				at += l + " "
			}
		}
		at += fmt.Sprint(e)
	}()
	for i := 0; ; i++ {
		switch {
		case k == 0:
			x.next.n++
		case k == 1 &&
			x.next.n > 0:
		case k == 2:
			_ = []int{1,
				2}[x.n+
				i+7]
		case k == 3:
			x.f()
		case k == 4:
			for j := range 3 {
				x.n = 6 /
					(1 - j)
			}
		case k == 5:
			var e any = x.n
			_ = e.(string)
		case k == 6:
			x = x.next
			x = x.next
		case k == 7:
			panic(fmt.Sprint(x.n,
				where()))
		}
	}
}

func main() {
	fmt.Println(lines(&p{}), lines(&p{n: 60}))
	fmt.Println(moved(&p{}))
	for k := range 8 {
		fmt.Println(crash(k))
	}
}
