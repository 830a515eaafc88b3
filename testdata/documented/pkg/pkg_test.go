package pkg

import "testing"

func TestWork(t *testing.T) {
	if Work(3, Square{2}) == 0 {
		t.Error("nothing was done")
	}
}
