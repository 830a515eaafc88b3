// Stress is a program of eight goroutines that grow stacks, panic and recover out of faults,
// defer in loops and without, and pass what they make through maps, channels, pools, timers
// and encodings, while the collector runs. What it prints is always the same.
package main

import (
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/big"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"text/template"
	"time"
)

type leaf struct {
	Name   string
	Values []float64
	Next   *leaf
	By     map[string]int
}

// grow recurses with a frame of its own size, and so makes stacks move.
func grow(n int, pad [24]int) int {
	if n == 0 {
		return pad[3]
	}
	pad[n%24] += n
	return grow(n-1, pad) + pad[(n+1)%24]&1
}

func fault(kind int, p *leaf) (out string) {
	defer func() { out = fmt.Sprint(recover()) }()
	for i := range kind % 4 {
		defer func() { out += fmt.Sprint(i) }()
	}
	switch kind % 4 {
	case 0:
		return p.Next.Next.Name
	case 1:
		return fmt.Sprint(p.Values[len(p.Values)+kind])
	case 2:
		var m map[string]int
		m[p.Name] = kind
	case 3:
		return any(p).(fmt.Stringer).String()
	}
	return "no fault"
}

// encode passes a leaf through two encodings.
func encode(p *leaf) (*leaf, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	q := &leaf{}
	if err := json.Unmarshal(text, q); err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	go func() { w.CloseWithError(gob.NewEncoder(w).Encode(q)) }()
	back := &leaf{}
	return back, gob.NewDecoder(r).Decode(back)
}

var page = template.Must(template.New("").Parse(`{{range $k, $v := .By}}{{$k}}={{$v}} {{end}}{{.Name}}`))

var pool = sync.Pool{New: func() any { return new(strings.Builder) }}

func work(id int, in <-chan int, out chan<- string) {
	for n := range in {
		p := &leaf{Name: strings.Repeat("x", n%17), Values: make([]float64, n%50), By: map[string]int{}, Next: &leaf{}}
		for i := range n % 40 {
			p.By[fmt.Sprint(i*n)] = i
		}
		q, err := encode(p)
		if err != nil || len(q.By) != len(p.By) || len(p.By) > 0 && !reflect.DeepEqual(p.By, q.By) {
			panic(fmt.Sprint(id, n, err, p, q))
		}
		b := pool.Get().(*strings.Builder)
		b.Reset()
		if err := page.Execute(b, q); err != nil {
			panic(err)
		}
		fmt.Fprint(b, grow(n%1500, [24]int{}), fault(n, p), new(big.Int).Exp(big.NewInt(int64(n+2)), big.NewInt(90), nil))
		out <- b.String()
		pool.Put(b)
	}
}

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for ticks := time.NewTicker(2 * time.Millisecond); ; {
			select {
			case <-ticks.C:
				runtime.GC()
			case <-ctx.Done():
				return
			}
		}
	}()
	in, out := make(chan int), make(chan string, 3)
	var workers sync.WaitGroup
	for id := range 8 {
		workers.Go(func() { work(id, in, out) })
	}
	go func() {
		defer close(out)
		defer workers.Wait()
		defer close(in)
		for n := range 2000 {
			in <- n
		}
	}()
	sum := uint64(0)
	for text := range out {
		h := fnv.New64a()
		io.WriteString(h, text)
		sum += h.Sum64()
	}
	cancel()
	fmt.Println(sum)
}
