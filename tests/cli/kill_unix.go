//go:build unix

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Kill kills a CLI and what it has started while it runs a command on a stack, but not in the middle of writing the state, which
// the backend of files does not survive.
func Kill(ctx context.Context, command *os.Process, backend, project, stack string) error {
	children, err := Children(ctx, command, "")
	if err != nil {
		return err
	}
	for {
		if err := halt(command); err != nil {
			return err
		}
		whole, err := Saved(backend, project, stack)
		if err != nil {
			return errors.Join(err, command.Kill())
		}
		if whole {
			break
		}
		if err := command.Signal(syscall.SIGCONT); err != nil {
			return fmt.Errorf("command that was to be killed: %w", err)
		}
		time.Sleep(time.Millisecond) // It has to write on.
	}
	if err := command.Kill(); err != nil {
		return fmt.Errorf("command that was to be killed: %w", err)
	}
	return SignalAll(children, syscall.SIGKILL) // They would notice in five minutes.
}

// halt stops a process until it gets a SIGCONT, and returns when it stands still.
func halt(process *os.Process) error {
	if err := process.Signal(syscall.SIGSTOP); err != nil {
		return fmt.Errorf("process to stop: %w", err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(process.Pid, &status, syscall.WUNTRACED, nil); err != nil {
		return fmt.Errorf("process to stop: %w", err)
	}
	if !status.Stopped() {
		return errors.New("process to stop: it has ended")
	}
	return nil
}

// Children are the processes that a command has started and whose program has this name; all with "".
func Children(ctx context.Context, command *os.Process, name string) ([]int, error) {
	table, err := exec.CommandContext(ctx, "ps", "-A", "-o", "pid=,ppid=,args=").Output()
	if err != nil {
		return nil, fmt.Errorf("processes: %w", err)
	}
	var pids []int
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) > 2 && fields[1] == strconv.Itoa(command.Pid) && strings.HasSuffix(fields[2], name) {
			pid, err := strconv.Atoi(fields[0])
			if err != nil {
				return nil, fmt.Errorf("processes: %w", err)
			}
			pids = append(pids, pid)
		}
	}
	if len(pids) == 0 {
		return nil, fmt.Errorf("processes: no %s runs:\n%s", name, table)
	}
	return pids, nil
}

// SignalAll sends a signal to processes; those that have ended need none.
func SignalAll(pids []int, signal syscall.Signal) error {
	for _, pid := range pids {
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("process %d: %w", pid, err)
		}
	}
	return nil
}
