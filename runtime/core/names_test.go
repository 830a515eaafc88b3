package core

import "testing"

func TestCopyName(t *testing.T) {
	for _, c := range []struct {
		probed     bool
		recv       string
		pointer    bool
		name, args string
		original   string
	}{
		{false, "", false, "f", "", "example.com/p%2ev.f"},
		{true, "", false, "Map", "[go.shape.int]", "example.com/p%2ev.Map[go.shape.int]"},
		{false, "List", false, "Len", "", "example.com/p%2ev.List.Len"},
		{true, "List", true, "len", "", "example.com/p%2ev.(*List).len"},
		{true, "A12_", true, "_9", "[...]", "example.com/p%2ev.(*A12_[...])._9"},
		{false, "List", false, "Len", "[go.shape.[]int]", "example.com/p%2ev.List[go.shape.[]int].Len"},
	} {
		for _, quiet := range []bool{false, true} {
			name := "example.com/p%2ev." + CopyName(c.probed, quiet, c.recv, c.pointer, c.name) + c.args
			for range 2 {
				if got := dupinstFuncName(name); got != c.original {
					t.Errorf("%s is said to be %s, want %s", name, got, c.original)
				}
			}
		}
	}
	if got := dupinstFuncName("main.f"); got != "main.f" {
		t.Errorf("main.f is said to be %s", got)
	}
}
