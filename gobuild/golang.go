package gobuild

import (
	"context"
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
	cmd.Env = append(os.Environ(), env...)
	return status(cmd)
}
