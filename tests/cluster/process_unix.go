//go:build unix

package cluster

import (
	"errors"
	"fmt"
	"syscall"
)

// ownGroup starts a program in a process group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// freeze stops the program and returns when it stands still; p.mu is held.
func (p *Part) freeze() error {
	if err := p.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	// If it ends instead, this may take its exit status, which nobody reads.
	var status syscall.WaitStatus
	_, err := syscall.Wait4(p.process.Pid, &status, syscall.WUNTRACED, nil)
	for errors.Is(err, syscall.EINTR) {
		_, err = syscall.Wait4(p.process.Pid, &status, syscall.WUNTRACED, nil)
	}
	if err != nil {
		return fmt.Errorf("%s: waiting for it to stop: %w", p.name, err)
	}
	if !status.Stopped() {
		return fmt.Errorf("%s: ended before it stopped", p.name)
	}
	return nil
}

// thaw lets the stopped program go on; p.mu is held.
func (p *Part) thaw() error { return p.signal(syscall.SIGCONT) }

// signal sends a signal to the running program; p.mu is held.
func (p *Part) signal(signal syscall.Signal) error {
	if !p.running() {
		return fmt.Errorf("%s: does not run", p.name)
	}
	if err := p.process.Signal(signal); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}
