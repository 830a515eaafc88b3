// Control is an HTTP service that can be profiled while it serves. It prints its
// address.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	dupinst "github.com/dupinst/dupinst/runtime"
	"github.com/dupinst/dupinst/runtime/flight"
	"github.com/dupinst/dupinst/runtime/push"
	"github.com/dupinst/dupinst/runtime/serve"
)

type tally struct{ sum, calls int }

func (t *tally) add(n int) {
	t.calls++
	t.sum += fib(n)
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func work(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.FormValue("n"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var t tally
	for i := range n {
		t.add(i)
	}
	fmt.Fprintln(w, t.sum, t.calls)
}

func main() {
	if len(os.Args) > 1 { // the functions themselves
		fmt.Println(dupinst.Start(), dupinst.Stop(), dupinst.Reset(), dupinst.SetInterval(-1))
		return
	}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("serving on http://%s\n", l.Addr())
	http.HandleFunc("/work", work)
	http.HandleFunc("/phase", func(w http.ResponseWriter, r *http.Request) {
		dupinst.Phase(func() { work(w, r) })
	})
	http.Handle("/slow", serve.Slow(http.HandlerFunc(work), 0.9))
	recorder := &flight.Recorder{Span: time.Second, Dir: os.Getenv("FLIGHTS")}
	http.Handle("/flight/", http.StripPrefix("/flight", serve.Flight(recorder)))
	if recorder.Dir != "" {
		recorder.When = func() bool {
			p, err := recorder.Profile()
			return err == nil && p.Samples > 1000
		}
		go func() { fmt.Fprintln(os.Stderr, recorder.Run(context.Background())) }()
	}
	http.HandleFunc("/flush", func(w http.ResponseWriter, r *http.Request) {
		if err := push.Flush(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	http.Handle("/debug/dupinst/", http.StripPrefix("/debug/dupinst", serve.Handler()))
	fmt.Fprintln(os.Stderr, http.Serve(l, nil))
	os.Exit(1)
}
