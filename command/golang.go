package command

import (
	"fmt"
	"os"
	"strings"

	"github.com/dupinst/dupinst/gobuild"
)

// goCommand is one of the go command's own commands with instrumentation.
func goCommand(name string) func(*invocation) (int, error) {
	return func(in *invocation) (int, error) {
		for _, a := range in.args {
			switch flag, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "="); {
			case a == "-h" || a == "-help" || a == "--help":
				fmt.Fprintf(in.stdout, "usage: dupinst [flags] %s [go flags] [packages]\n\nAs go %s (see go help %s), instrumented; flags before %s are dupinst's (see dupinst help).\n", name, name, name, name)
				return 0, nil
			case flag != a && flag == "toolexec":
				return misuse, usagef("%s: -toolexec is dupinst itself; only one program can be", name)
			case strings.Contains(a, "@") && !strings.HasPrefix(a, "-") && len(in.config.Packages) == 0:
				return misuse, usagef("%s: %s is no package of a main module; name what to instrument with -pkgs", name, a)
			}
		}
		if _, err := in.config.Prepare(in.ctx, in.stderr); err != nil {
			return failed, err
		}
		var env []string
		dir := ""
		if (name == "run" || name == "test") && os.Getenv("DUPINST_DIR") == "" {
			var err error
			if dir, err = os.MkdirTemp("", "dupinst-"); err != nil {
				return failed, fmt.Errorf("cannot make a directory for the profile: %w", err)
			}
			env = append(env, "DUPINST_DIR="+dir)
		}
		code, err := gobuild.Go(in.ctx, in.config, name, in.args, env)
		if err != nil {
			return failed, err
		}
		switch {
		case dir != "":
			describe(in, dir)
		case name == "build" && code == 0:
			fmt.Fprintln(in.stderr, "dupinst: built; run with DUPINST_DIR=DIR, then see dupinst report DIR")
		}
		return code, nil
	}
}

// describe ends a run by naming the directory of its profile, if it left one.
func describe(in *invocation, dir string) {
	if files, err := os.ReadDir(dir); err != nil || len(files) == 0 {
		os.Remove(dir)
		fmt.Fprintln(in.stderr, "dupinst: no profile was written")
		return
	}
	fmt.Fprintf(in.stderr, "dupinst: profile in %s; see dupinst report %s\n", dir, dir)
}
