package counter

import "testing"

var loops = []struct {
	name string
	loop func(x *int64, n int, counter *int64) int64
}{
	{"short/none", short}, {"short/memory", shortMemory}, {"short/register", shortRegister},
	{"long/none", long}, {"long/memory", longMemory}, {"long/register", longRegister},
}

// due is a counter that lasts.
const due = 1 << 60

// BenchmarkLoops is to be run many times (-count=20): its loops take turns.
func BenchmarkLoops(b *testing.B) {
	x := values()
	for _, l := range loops {
		b.Run(l.name, func(b *testing.B) {
			counter := int64(due)
			for b.Loop() {
				l.loop(&x[0], len(x), &counter)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(x)), "ns/iteration")
		})
	}
}

// TestLoops: all loops of a length compute the same, and those with checks count them.
func TestLoops(t *testing.T) {
	x := values()
	for i, l := range loops {
		counter := int64(due)
		if got, want := l.loop(&x[0], len(x), &counter), loops[i-i%3].loop(&x[0], len(x), new(int64)); got != want {
			t.Errorf("%s: %d, want %d", l.name, got, want)
		}
		if checks := due - counter; i%3 > 0 && checks != int64(len(x))-1 {
			t.Errorf("%s: %d checks of %d iterations", l.name, checks, len(x))
		}
	}
}

func values() []int64 {
	x := make([]int64, 1000)
	for i := range x {
		x[i] = int64(i) * 77
	}
	return x
}
