// Package push sends a program's profile to a server while it runs, if it is asked to: where the
// environment variable DUPINST_PUSH has the address of a Grafana Pyroscope or a Parca server when the
// program begins (package profile/ingest). A program imports it for that alone:
//
//	import _ "github.com/dupinst/dupinst/runtime/push"
//
// What is not taken, for the server is away, is sent with what is counted later. What is counted in
// the last seconds before the program ends is not sent, unless it calls Flush; the files in DUPINST_DIR
// have that, and dupinst push sends those.
package push

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/dupinst/dupinst/profile/format"
	"github.com/dupinst/dupinst/profile/ingest"
	"github.com/dupinst/dupinst/runtime"
)

const period = 10 * time.Second // between two sends

var (
	lock   sync.Mutex
	sender *ingest.Sender
)

func init() {
	address := os.Getenv("DUPINST_PUSH")
	if address == "" {
		return
	}
	target, err := ingest.Parse(address)
	if err != nil {
		fmt.Fprintf(os.Stderr, "dupinst: DUPINST_PUSH: %v; nothing is sent\n", err)
		return
	}
	if _, err := runtime.Stats(); err != nil {
		fmt.Fprintf(os.Stderr, "dupinst: DUPINST_PUSH: %v; nothing is sent\n", err)
		return
	}
	sender = &ingest.Sender{Target: target}
	go ingest.Every(context.Background(), period, Flush, func(err error) { fmt.Fprintf(os.Stderr, "dupinst: %v\n", err) })
}

// Flush sends what was counted since the last time, if DUPINST_PUSH says where.
func Flush(ctx context.Context) error {
	lock.Lock()
	defer lock.Unlock()
	if sender == nil {
		return nil
	}
	var b bytes.Buffer
	if err := runtime.Snapshot(&b); err != nil {
		return err
	}
	p, err := format.Decode(b.Bytes())
	if err != nil {
		return err
	}
	return sender.Send(ctx, p)
}
