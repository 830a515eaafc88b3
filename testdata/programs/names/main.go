// A package that means something else by many names.
package main

import fmt2 "fmt"

type (
	bool2   = bool
	int     uint8
	string  []byte
	any     struct{ n uint64 }
	uint64  float64
	runtime struct{ dupinst_rt, DupinstCheck int }
)

const true, false = 0, 1

var dupinst_c, dupinst_d = 1, 2

func nil() *runtime { return &runtime{3, 4} }

func append(r *runtime) (len int) {
	for dupinst_d := int(0); dupinst_d < 3; dupinst_d++ {
		len += r.dupinst_rt
		r.DupinstCheck += len
	}
	return len
}

func main() {
	r := nil()
	a := any{5}
	fmt2.Println(append(r), r.DupinstCheck, a.n, true, false, dupinst_c+dupinst_d)
	if (a.n > 4) {
		func() { fmt2.Println(append(nil())) }()
	}
	switch(a.n) { case(a.n): for(r.DupinstCheck > 0) { r.DupinstCheck = 0 }; return }
}
