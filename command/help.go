package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/dupinst/dupinst/instrumentations/all"
)

func usage(w io.Writer) {
	fmt.Fprint(w, `Dupinst makes Go programs profile themselves: instrumentation's detail, sampled,
at about the speed of the plain program.

	dupinst [flags] build|test|run|install [go flags] [packages]
	go build -toolexec "dupinst [flags]" [go flags] [packages]      the same
	dupinst [flags] rewrite -overlay FILE|-o DIR [packages]
	dupinst [flags] explain [packages or functions]
	dupinst [flags] bench PACKAGE [args]
	dupinst layout|branches [flags] DIR [packages]
	dupinst report|heat|export|push|compare|overlap|merge [flags] DIR…

Flags:
	-variant=NAME        auto (the default: the cheapest for each function), full,
	                     partial or no (Full-, Partial-, No-Duplication), or
	                     exhaustive (every event counted, at full cost), or once
	                     (which blocks are ever entered, at next to no cost:
	                     coverage; linux on amd64); for measurements, Full's
	                     checks alone, entries or backedges, or the compiler's
	                     copies alone
	-elide=NAMES         checks that auto does without in the compiler: bounded, on
	                     backedges of loops that go round a few times, entries,
	                     on those of functions all calls of which are known, all
	                     (the default), or none; for measurements
	-instrument=NAMES    comma-separated, from the list below, or packages that are
	                     instrumentations of your own, as ./maps; default
	                     calledge,fieldaccess
	-audit               count entries, backedges, checks, samples and the time in
	                     them, exactly and at a cost; see dupinst report -audit
	-backend=NAME        where code is duplicated: compiler (the release's own,
	                     extended; built once, in the user's cache directory),
	                     source, or auto (the default): the compiler where it can
	                     be extended, else the source
	-trigger=NAME        what begins samples: counter (the default: checks that
	                     count down), window (no check at all: another thread
	                     leads the program into copies for a moment, by a
	                     signal; linux on amd64 and arm64), or timer (the check
	                     after a tick, which is biased; for comparison)
	-apart               let each instrumentation be sampled at an interval or in
	                     windows of its own (DUPINST_APART; see dupinst help
	                     environment); for up to eight, in the compiler
	-pkgs=PATTERNS       packages to instrument, comma-separated patterns as the
	                     go command's, std and all included; default the
	                     packages of the main module

Commands:
`)
	for _, c := range commands() {
		fmt.Fprintf(w, "\t%-12s %s\n", c.name, c.synopsis)
	}
	fmt.Fprint(w, "\nInstrumentations:\n")
	for _, in := range all.Table() {
		fmt.Fprintf(w, "\t%-12s %s\n", in.Format.Name, in.Doc)
	}
	fmt.Fprint(w, "\nMore: dupinst help COMMAND, dupinst help environment\n")
}

// environment documents what an instrumented program reads.
const environment = `An instrumented program reads these variables when it starts:

	DUPINST_DIR        directory for profiles, made if missing; relative to where
	                   the program starts. Unset: nothing is written, printed or
	                   sampled.
	DUPINST_INTERVAL   checks between samples, per goroutine; default 1000. 1 takes
	                   every event; 0 or off takes none. If set, samples are
	                   taken even without a directory.
	DUPINST_BURST      how many checks a sample lasts, across calls and iterations;
	                   default 1. Not with an overhead, and for counters alone
	DUPINST_WINDOWS    of a program built with -trigger=window: windows a second, as
	                   25/s (the default), for each processor that runs; off;
	                   or always, for one window without an end
	DUPINST_WINDOW     how long each is, as 1ms (the default), from 1us to 1s
	DUPINST_APART      of a program built with -apart: what is set for some of its
	                   instrumentations alone, as calledge=off,value=10000:100,
	                   which is an interval and how many checks a sample
	                   lasts, or of windows value=5/s:2ms; without : the
	                   latter is as for all. Those that are not named have
	                   the other settings. Not with phases, shadows, or an
	                   overhead of counters
	DUPINST_TIMER      of a program built with -trigger=timer: the time from tick to
	                   tick; default 10ms
	DUPINST_AGAIN      of a program built with -variant=once: how long a round lasts,
	                   as 1m, after which traps are laid again; blocks are then
	                   counted once a round. Unset, there is one round
	DUPINST_OVERHEAD   what samples may cost of the processor time, as 0.5%: the
	                   interval is then raised and lowered while the program
	                   runs, from DUPINST_INTERVAL up; unset, it stays as it is.
	                   Of windows, the share of the time that they are open, in
	                   the place of DUPINST_WINDOWS. Of shadows there are as few
	                   as cost no more, and DUPINST_SHADOWS at most; unset, 1%, and
	                   off, no limit. Not for a timer
	DUPINST_SIGNAL     SIGUSR1 or SIGUSR2: samples are taken from one such signal to
	                   the next, and each time go to a file of their own; none
	                   are taken at first. Needs DUPINST_DIR. Not on Windows
	DUPINST_PHASES     on: what happens in phases of the program's own is counted, all
	                   of it, and no samples are taken; such phases are calls of
	                   Phase and PhaseAfter of package runtime. Or a label of
	                   runtime/pprof's, as endpoint=/checkout: all is counted
	                   that goroutines do which have it. Or how many phases
	                   of all goroutines begin in a second, as 0.25/s, from 0.001/s
	                   to 1000/s, at random times, unless nothing runs. Not with an
	                   interval, a burst, an overhead or a signal
	DUPINST_PHASE      how long one of these lasts; default 2ms, from 100us to 10s
	DUPINST_SHADOWS    forks of the process a second that count all that they do for a
	                   moment, as 5/s, up to 100/s, in the place of samples; at
	                   random times, unless nothing runs. For linux/amd64. Not
	                   with an interval, a signal or phases
	DUPINST_SHADOW     how much of the program's time one counts; default 10ms, from 100us to 1s
	DUPINST_JITTER     0 to 1: each interval is drawn at random from this fraction
	                   of it around it; default 0.1
	DUPINST_SEED       number that seeds phases and jitter; default 0
	DUPINST_TRACE      1: a program built with -audit also writes the trace of all
	                   events, in memory until the end; for simulations
	DUPINST_LABELS     what the profile's file says of where it comes from, as
	                   service=api,version=7; see dupinst report -per and -label
	DUPINST_PUSH       of a program that imports runtime/push: the address of a
	                   server to which the profile is sent every 10 s, as
	                   http://localhost:4040 (Pyroscope) or
	                   parca+http://localhost:7070; with ?name=NAME&tenant=TENANT
	                   where they are not the program's name and none
	DUPINST_PERIOD     time between two writes while running, as 500ms, 10s or 1m;
	                   default 10s; off writes at the end only

A profile is also written at the end: normal, os.Exit, a panic or fatal error,
SIGINT, SIGTERM and other fatal signals.
`

func help(topics []string, w io.Writer) (int, error) {
	switch {
	case len(topics) == 0:
		usage(w)
		return 0, nil
	case topics[0] == "environment":
		fmt.Fprint(w, environment)
		return 0, nil
	}
	return misuse, usagef("no help on %q; there is dupinst help, dupinst help environment, and dupinst help COMMAND", strings.Join(topics, " "))
}
