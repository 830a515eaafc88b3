package gobuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// Go runs the go command with dupinst as its -toolexec program, and env added
// to the environment. It returns the go command's exit status.
func Go(ctx context.Context, c *Config, command string, args, env []string) (int, error) {
	toolexec, err := c.toolexec()
	if err != nil {
		return 1, err
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{command, "-toolexec=" + toolexec}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), env...)
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() >= 0 {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 1, fmt.Errorf("cannot run the go command: %w", err)
	}
	return 0, nil
}
