package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/gobuild"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/instrumentations/all"
	"github.com/dupinst/dupinst/instrumentations/own"
)

// selected are the instrumentations of a list of names and, of one's own, packages.
func selected(owns []own.Instrumentation, list string) ([]*instrumentations.Instrumentation, error) {
	table := all.Table()
	for _, o := range owns {
		table = append(table, o.Instrumentation)
	}
	if err := instrumentations.Check(table); err != nil {
		return nil, err
	}
	names := strings.Split(list, ",")
	for i, name := range names {
		for _, o := range owns {
			if name == o.Path {
				names[i] = o.Format.Name
			}
		}
	}
	return instrumentations.Select(table, strings.Join(names, ","))
}

// A lacking says that this dupinst has not all instrumentations that it is asked for.
type lacking struct {
	packages []string // of one's own, as they are named
	list     []string // what -instrument names
	args     []string // dupinst's own
	at       int      // where what is behind the flags begins
}

func (l *lacking) Error() string { return "dupinst has no " + strings.Join(l.packages, ", ") }

// lacks is what this dupinst lacks to carry out args, which end with rest, if it is anything.
func lacks(owns []own.Instrumentation, list string, args, rest []string) error {
	l := &lacking{list: strings.Split(list, ","), args: args, at: len(args) - len(rest)}
	known := true
	for _, name := range l.list {
		if own.IsPackage(name) {
			l.packages = append(l.packages, name)
			known = known && slices.ContainsFunc(owns, func(o own.Instrumentation) bool { return o.Path == name })
		}
	}
	switch {
	case known:
		return nil
	case gobuild.IsTool(rest):
		return usagef("-instrument=%s: as -toolexec, dupinst is run for each package, and does not build what it lacks; use dupinst build", list)
	}
	return l
}

// run has a dupinst that has them do what this one was asked for.
func (l *lacking) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	exe, paths, err := own.Build(ctx, l.packages)
	if err != nil {
		return failed, err
	}
	for i, name := range l.list {
		if at := slices.Index(l.packages, name); at >= 0 {
			l.list[i] = paths[at]
		}
	}
	args := slices.Concat(l.args[:l.at], []string{"-instrument=" + strings.Join(l.list, ",")}, l.args[l.at:])
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return failed, fmt.Errorf("cannot run dupinst with %s: %w", strings.Join(paths, ", "), err)
	}
	return cmd.ProcessState.ExitCode(), nil
}
