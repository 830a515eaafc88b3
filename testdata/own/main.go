// Own is a program that has an instrumentation of its own.
package main

import (
	"fmt"
	"strings"
)

func main() {
	words := map[string]int{}
	longest := map[int][]string{}
	for range 100 {
		for w := range strings.FieldsSeq("the quick brown fox jumps over the lazy dog") {
			words[w]++
			if len(longest[len(w)]) < 3 && words[w] > 1 {
				longest[len(w)] = append(longest[len(w)], w)
			}
		}
	}
	fmt.Println(words["the"], longest[5])
}
