package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// startTimeout is how long a part may take to be ready. It is twenty times what it takes,
	// for machines that do something else as well.
	startTimeout = 2 * time.Minute

	// pollInterval is how often a condition is looked at while waiting for it.
	pollInterval = 50 * time.Millisecond
)

// errAddressInUse is why a part ended if another process has the port it was given.
var errAddressInUse = errors.New("address in use")

// Part is one program of the cluster, with the power to break it. Its address and its data
// stay the same over all restarts. Its methods may be called from several goroutines.
type Part struct {
	name string
	path string
	dir  string
	// launch starts the program as a part of this cluster, see membership. It may wait until
	// the program works, and fails where that has ended instead.
	launch func(path string, log *os.File) error
	// ready is asked after that, until it has no objection.
	ready func(context.Context) error

	mu      sync.Mutex
	process *os.Process
	exited  chan struct{}
	paused  bool
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
	return p.process.Pid
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
	if err := p.freeze(); err != nil {
		return err
	}
	p.paused = true
	return nil
}

// Resume lets a paused program go on.
func (p *Part) Resume() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused = false
	return p.thaw()
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
	launched, err := p.spawn()
	exited := p.exited
	p.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	if err := p.waitReady(ctx, launched, exited); err != nil {
		return fmt.Errorf("%s: not ready: %w", p.name, err)
	}
	return nil
}

// spawn has the program launched and waits for its process id only; p.mu is held. The channel
// gets what the launch comes to.
func (p *Part) spawn() (<-chan error, error) {
	if p.running() {
		return nil, errors.New("runs already")
	}
	pidFile := filepath.Join(p.dir, p.name+".pid")
	if err := os.RemoveAll(pidFile); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(p.LogFile(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	launched, over := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(over)
		launched <- p.launch(p.path, log)
		_ = log.Close() // the child has its own descriptor
	}()
	process, err := find(pidFile, launched)
	if err != nil {
		return nil, err
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		// envtest waits for its children too. One of us gets the exit status, which nobody
		// reads, the other an error, and neither before the end.
		_, _ = process.Wait()
		<-over
	}()
	p.process, p.exited, p.paused = process, exited, false
	return launched, nil
}

// find waits for the process id that a program writes down, or for the failure to launch it.
// Not with the context of the caller: what was launched has to be known, for its end.
func find(pidFile string, launched chan error) (process *os.Process, err error) {
	err = wait.PollUntilContextTimeout(context.Background(), pollInterval, startTimeout, true,
		func(context.Context) (bool, error) {
			content, _ := os.ReadFile(pidFile) // not there yet
			if pid, err := strconv.Atoi(string(content)); err == nil {
				process, err = os.FindProcess(pid)
				return true, err
			}
			select {
			case err := <-launched:
				launched <- err // for who asks next
				return false, err
			default:
				return false, nil
			}
		})
	return process, err
}

// waitReady waits until the program is launched and ready, or ended.
func (p *Part) waitReady(ctx context.Context, launched <-chan error, exited <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-launched:
		if err != nil {
			return p.failure(err)
		}
	}
	var last error
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		select {
		case <-exited:
			return false, p.failure(errors.New("ended"))
		default:
		}
		probe, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		last = p.ready(probe)
		return last == nil, nil
	})
	if err != nil {
		return errors.Join(err, last)
	}
	return nil
}

// failure says why the program did not get ready, in its own words.
func (p *Part) failure(err error) error {
	log, readErr := os.ReadFile(p.LogFile())
	if readErr != nil {
		return fmt.Errorf("%w, and its log cannot be read: %w", err, readErr)
	}
	const most = 2000
	tail := log[max(0, len(log)-most):]
	if bytes.Contains(tail, []byte("address already in use")) {
		return fmt.Errorf("%w: %w", err, errAddressInUse)
	}
	return fmt.Errorf("%w; the end of its log is:\n%s", err, tail)
}

// kill ends the program; p.mu is held.
func (p *Part) kill() error {
	if !p.running() {
		return nil
	}
	if err := p.process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	<-p.exited
	return nil
}

// running reports whether the process is there; p.mu is held.
func (p *Part) running() bool {
	if p.process == nil {
		return false
	}
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}
