// Type switches: bound, unbound, on several types, without default.
package main

import "fmt"

type t struct{ ints, strings, others int }

func (t *t) String() string { return fmt.Sprint(t.ints, t.strings) }

func (t *t) count(v any) {
	switch v := v.(type) {
	case int:
		t.ints += v
	case string, []byte:
		t.strings++
	case fmt.Stringer:
		t.others += len(v.String())
	case nil:
	}
	switch v.(type) {
	case int, int64:
		t.others++
	default:
		t.others--
	}
	switch x := v.(type) {
	case int:
		_ = x
		t.ints++
	}
}

func main() {
	t := &t{}
	for i := range 12 {
		for _, v := range []any{i, "s", []byte("b"), t, nil, int64(i), 1.5} {
			t.count(v)
		}
	}
	fmt.Println(t.ints, t.strings, t.others)
}
