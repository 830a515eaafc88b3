// Callback goes from Go to C and back, on threads of Go's and of C's. What it prints is always
// the same.
package main

/*
#cgo LDFLAGS: -lpthread
#include <pthread.h>
#include <stdint.h>

extern int64_t visit(int64_t);

static int64_t each(int64_t n) {
	int64_t sum = 0;
	for (int64_t i = 0; i < n; i++) sum += visit(i);
	return sum;
}

static void *thread(void *p) {
	*(int64_t *)p = each(*(int64_t *)p);
	return p;
}

static int64_t elsewhere(int64_t n) {
	pthread_t t;
	if (pthread_create(&t, 0, thread, &n)) return -1;
	pthread_join(t, 0);
	return n;
}
*/
import "C"

import (
	"fmt"
	"sync"
)

type entry struct{ key, depth int }

//export visit
func visit(n C.int64_t) (out C.int64_t) {
	defer func() {
		if recover() != nil {
			out = -1
		}
	}()
	e := &entry{int(n), int(n) % 200}
	var none *entry
	if n%17 == 0 {
		e = none // faults, on a stack that C is on
	}
	return C.int64_t(e.walk(e.depth))
}

func (e *entry) walk(depth int) int {
	var frame [32]int
	if depth == 0 {
		return e.key
	}
	frame[depth%32] = depth
	return e.walk(depth-1) + frame[depth%32]&1
}

func main() {
	var group sync.WaitGroup
	results := make([][2]int64, 6)
	for i := range results {
		group.Go(func() {
			for range 10 {
				results[i][0] += int64(C.each(500))
				results[i][1] += int64(C.elsewhere(300))
			}
		})
	}
	group.Wait()
	fmt.Println(results)
}
