package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// startTimeout is how long a part may take to be ready. It is ten times what it takes,
	// for machines that do something else as well.
	startTimeout = 60 * time.Second

	// pollInterval is how often a condition is looked at while waiting for it.
	pollInterval = 50 * time.Millisecond
)

// errAddressInUse is why a part ended if another process has the port it was given.
var errAddressInUse = errors.New("address in use")

// Part is one program of the cluster, with the power to break it. Its address and its data
// stay the same over all restarts. Its methods may be called from several goroutines.
type Part struct {
	name  string
	path  string
	dir   string
	args  func() []string
	ready func(context.Context) error

	mu     sync.Mutex
	cmd    *exec.Cmd
	exited chan struct{}
	paused bool
}

// Name is the name of the program, such as kube-apiserver.
func (p *Part) Name() string { return p.name }

// LogFile is the path of the file with all that the program printed, over all restarts.
func (p *Part) LogFile() string { return filepath.Join(p.dir, p.name+".log") }

// PID is the process id, or 0 while the program does not run.
func (p *Part) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.running() {
		return 0
	}
	return p.cmd.Process.Pid
}

// Exited is closed when the process that runs now ends, for whatever reason.
func (p *Part) Exited() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exited
}

// Kill ends the program with SIGKILL and returns when it is gone. It is what a crash looks
// like to all others; a program that does not run stays so.
func (p *Part) Kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kill()
}

// Pause freezes the program with SIGSTOP: connections to it stay open and nothing answers.
// It returns when the last thread stands still.
func (p *Part) Pause() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused && p.running() {
		return nil // there would be nothing to wait for
	}
	if err := p.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	// If it ends instead, this takes its exit status from cmd.Wait, which nobody reads.
	var status syscall.WaitStatus
	_, err := syscall.Wait4(p.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
	for errors.Is(err, syscall.EINTR) {
		_, err = syscall.Wait4(p.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
	}
	if err != nil {
		return fmt.Errorf("%s: waiting for it to stop: %w", p.name, err)
	}
	if !status.Stopped() {
		return fmt.Errorf("%s: ended before it stopped", p.name)
	}
	p.paused = true
	return nil
}

// Resume lets a paused program go on.
func (p *Part) Resume() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused = false
	return p.signal(syscall.SIGCONT)
}

// Restart kills the program if it runs, starts it again, and returns when it is ready.
func (p *Part) Restart(ctx context.Context) error {
	if err := p.Kill(); err != nil {
		return err
	}
	return p.start(ctx)
}

// start starts the program and returns when it is ready. A program that was started but did
// not get ready is left as it is.
func (p *Part) start(ctx context.Context) error {
	p.mu.Lock()
	err := p.spawn()
	exited := p.exited
	p.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return p.waitReady(ctx, exited)
}

// spawn starts the program without waiting for anything; p.mu is held.
func (p *Part) spawn() error {
	if p.running() {
		return errors.New("runs already")
	}
	log, err := os.OpenFile(p.LogFile(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the child has its own descriptor

	cmd := exec.Command(p.path, p.args()...)
	cmd.Dir = p.dir
	cmd.Stdout, cmd.Stderr = log, log
	// HOME keeps the settings of the person at the keyboard out; kwok reads ~/.kwok.
	cmd.Env = append(os.Environ(), "CONTROLPLANE_PARENT="+strconv.Itoa(os.Getpid()), "HOME="+p.dir)
	// In a process group of its own it does not get the ^C that is meant for us. It also makes
	// the kernel continue a paused program when we end, so that it sees that and ends too.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = cmd.Wait() // how it ended is in its log
	}()
	p.cmd, p.exited, p.paused = cmd, exited, false
	return nil
}

// waitReady waits until the program is ready, or ended.
func (p *Part) waitReady(ctx context.Context, exited <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	var last error
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		select {
		case <-exited:
			return false, p.exitError()
		default:
		}
		probe, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		last = p.ready(probe)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%s: not ready: %w", p.name, errors.Join(err, last))
	}
	return nil
}

// exitError says why the program ended by itself, in its own words.
func (p *Part) exitError() error {
	log, err := os.ReadFile(p.LogFile())
	if err != nil {
		return fmt.Errorf("ended, and its log cannot be read: %w", err)
	}
	const most = 2000
	tail := log[max(0, len(log)-most):]
	if bytes.Contains(tail, []byte("address already in use")) {
		return fmt.Errorf("ended: %w", errAddressInUse)
	}
	return fmt.Errorf("ended; the end of its log is:\n%s", tail)
}

// signal sends a signal to the running program; p.mu is held.
func (p *Part) signal(signal syscall.Signal) error {
	if !p.running() {
		return fmt.Errorf("%s: does not run", p.name)
	}
	if err := p.cmd.Process.Signal(signal); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}

// kill ends the program; p.mu is held.
func (p *Part) kill() error {
	if !p.running() {
		return nil
	}
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	<-p.exited
	return nil
}

// running reports whether the process is there; p.mu is held.
func (p *Part) running() bool {
	if p.cmd == nil {
		return false
	}
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}
