// Package pkg is what the documentation's commands profile: it calls what is known at run time alone, makes slices and
// maps, divides, and has a struct whose hot fields lie apart.
package pkg

import "sync"

type item struct {
	key  int
	name [60]byte
	hits int
	note [56]byte
	next *item
}

// A Shape is known at run time.
type Shape interface{ Area() int }

// A Square is one.
type Square struct{ Side int }

func (s Square) Area() int { return s.Side * s.Side }

func find(head *item, key int) *item {
	for i := head; i != nil; i = i.next {
		if i.key == key {
			i.hits++
			return i
		}
	}
	return nil
}

type shared struct {
	mine, yours int
	lock        sync.Mutex
	sum         int
}

func (s *shared) add(n int) {
	s.lock.Lock()
	s.sum += n
	s.lock.Unlock()
}

// Work is a turn of it.
func Work(turn int, shape Shape) int {
	var head *item
	for i := range 20 {
		head = &item{key: i, next: head}
	}
	sum, seen := 0, map[int]int{}
	for i := range 100 {
		var found []int
		for k := range i % 7 {
			if it := find(head, k*i%25); it != nil {
				found = append(found, it.hits)
			}
		}
		seen[i%(turn+1)] += len(found)
		sum += shape.Area() / (i%3 + 1)
	}
	var s shared
	var done sync.WaitGroup
	for i := range 2 {
		done.Go(func() {
			for range 50 {
				s.add(i + sum%2)
			}
		})
	}
	done.Wait()
	return sum + s.sum + len(seen)
}
