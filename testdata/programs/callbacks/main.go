// Calls back from packages that are not instrumented.
package main

import (
	"fmt"
	"sort"
	"strings"
)

type item struct {
	key string
	n   int
}

type byN []*item

func (b byN) Len() int           { return len(b) }
func (b byN) Less(i, j int) bool { return b[i].n < b[j].n }
func (b byN) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

func (i *item) String() string { return i.key + fmt.Sprint(i.n) }

func main() {
	var list []*item
	for i := range 12 {
		list = append(list, &item{string(rune('a' + i)), (i * 7) % 12})
	}
	sort.Sort(byN(list))
	fmt.Println(list)
	sort.SliceStable(list, func(i, j int) bool { return list[i].key < list[j].key })
	n := 0
	fmt.Println(strings.Map(func(r rune) rune {
		n++
		if list[n%12].n > 6 {
			return r - 32
		}
		return r
	}, "abcdefghijkl"), n)
}
