package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Process is a fake server with a process of its own.
type Process struct {
	// URL to put before a path.
	URL string

	cmd *exec.Cmd
	out *bufio.Reader
}

// StartProcess runs a program that behaves as fake.Main does: its first line is
// the URL it serves. Its complaints go to standard error. Stop it when done;
// the end of ctx kills it.
func StartProcess(ctx context.Context, name string, args ...string) (*Process, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = os.Stderr
	cmd.WaitDelay = 5 * time.Second
	return startCommand(cmd)
}

func startCommand(cmd *exec.Cmd) (*Process, error) {
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start server %s: %w", cmd.Path, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start server %s: %w", cmd.Path, err)
	}
	p := &Process{cmd: cmd, out: bufio.NewReader(pipe)}
	line, err := p.out.ReadString('\n')
	p.URL = strings.TrimSpace(line)
	if err == nil && !strings.HasPrefix(p.URL, "http://") {
		err = fmt.Errorf("its first line is %q, no URL", p.URL)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start server %s: %w", cmd.Path, err), cmd.Process.Kill(), quietly(cmd.Wait()))
	}
	return p, nil
}

// Stop asks the server to end and waits for it.
func (p *Process) Stop() error {
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		return errors.Join(fmt.Errorf("stop server: %w", err), p.cmd.Process.Kill(), quietly(p.cmd.Wait()))
	}
	_, err := io.Copy(io.Discard, p.out)
	if err := errors.Join(err, p.cmd.Wait()); err != nil {
		return fmt.Errorf("stop server: %w", err)
	}
	return nil
}

// quietly drops the exit status of a process that was killed.
func quietly(err error) error {
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil
	}
	return err
}
