package command

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
	"github.com/dupinst/dupinst/profile/ingest"
)

func pushCommand(in *invocation) (int, error) {
	fs, parse := in.flags("push", `push -to=ADDRESS [flags] DIR…

Sends profiles to a server: http://HOST:4040 for Grafana Pyroscope, parca+http://HOST:7070 for Parca,
with ?name=APPLICATION&tenant=TENANT where they are not the program's name and none. What was sent is noted in DIR/.pushed, so that only
what is new is sent the next time, and what the server did not take is sent again.`)
	to := fs.String("to", "", "the server's `address`")
	follow := fs.Bool("follow", false, "go on until interrupted, as the directories grow")
	period := fs.Duration("period", 10*time.Second, "with -follow, `time` between two sends")
	from := in.sourceFlags(fs)
	if err := parse(); err != nil {
		return misuse, err
	}
	switch {
	case fs.NArg() == 0:
		return misuse, usagef("push: no directory given")
	case *to == "":
		return misuse, usagef("push: -to says no server")
	case *period < time.Second:
		return misuse, usagef("push: -period must be 1s at least")
	}
	target, err := ingest.Parse(*to)
	if err != nil {
		return misuse, usagef("push: -to: %v", err)
	}
	send := func(ctx context.Context) error {
		processes, err := from.processes(fs.Args()...)
		if err != nil {
			return err
		}
		for _, p := range processes {
			if err := sendNew(ctx, target, p); err != nil {
				return err
			}
		}
		return nil
	}
	err = send(in.ctx)
	switch {
	case err != nil && (!*follow || errors.Is(err, ingest.ErrRefused)):
		return failed, err
	case !*follow:
		return 0, nil
	}
	say := func(err error) { fmt.Fprintf(in.stderr, "dupinst: %v; trying again\n", err) }
	if err != nil {
		say(err)
	}
	ingest.Every(in.ctx, *period, send, func(e error) {
		if err = e; !errors.Is(e, ingest.ErrRefused) {
			say(e)
		}
	})
	if errors.Is(err, ingest.ErrRefused) {
		return failed, err
	}
	return 0, nil
}

// sendNew sends what of a process's profile is new to the server, and notes that it has it.
func sendNew(ctx context.Context, target *ingest.Target, p *format.Process) error {
	h := fnv.New64a()
	fmt.Fprint(h, target)
	dir := filepath.Join(filepath.Dir(p.File), ".pushed", fmt.Sprintf("%x", h.Sum64()))
	noted := filepath.Join(dir, filepath.Base(p.File))
	s := &ingest.Sender{Target: target}
	if data, err := os.ReadFile(noted); err == nil {
		if s.Sent, err = format.Decode(data); err != nil {
			return fmt.Errorf("%s: %w (remove it to send all of %s again)", noted, err, p.File)
		}
	} else if !os.IsNotExist(err) {
		return fmt.Errorf("cannot read what was sent: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("cannot note what is sent: %w", err)
	}
	if err := s.Send(ctx, p); err != nil {
		return err
	}
	return profile.WriteFile(noted, func(w io.Writer) error {
		_, err := w.Write(p.Encode())
		return err
	})
}
