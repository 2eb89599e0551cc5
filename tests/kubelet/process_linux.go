package kubelet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// Supported says whether containers can run on this machine.
func Supported() error {
	if os.Geteuid() != 0 {
		return ErrUnsupported
	}
	return nil
}

// process is process 1 of a container. With it all others of the container end.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed at its end
}

// start starts a container: this program, which becomes the container's command by what the init function of this
// package does. It returns when the command runs, or fails with why it cannot.
func start(box sandbox, log io.Writer, ended func()) (*process, error) {
	content, err := json.Marshal(box)
	if err != nil {
		return nil, err
	}
	wantedOut, wantedIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	saidOut, saidIn, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, wantedOut.Close(), wantedIn.Close())
	}
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{shimName}, Env: []string{}, Dir: "/",
		Stdout: log, Stderr: log, ExtraFiles: []*os.File{wantedOut, saidIn},
		SysProcAttr: &syscall.SysProcAttr{
			Setpgid: true, Pdeathsig: syscall.SIGKILL,
			Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC,
		},
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The process ends with the thread that started it, so that stays.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // ProcessState has it
			close(p.done)
			ended()
		}
	}()
	err = <-started
	_, _ = wantedOut.Close(), saidIn.Close() // the child has its own
	if err == nil {
		_, _ = wantedIn.Write(content) // it says what it misses
	}
	_ = wantedIn.Close()
	said, readErr := io.ReadAll(saidOut) // which ends when the command runs
	_ = saidOut.Close()
	if err = errors.Join(err, readErr); err != nil {
		return nil, fmt.Errorf("failed to create containerd task: %w", err)
	}
	if len(said) > 0 {
		<-p.done
		return nil, fmt.Errorf("failed to create containerd task: %s", said)
	}
	return p, nil
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// code is the exit code of a process that has ended, as container runtimes count.
func (p *process) code() int {
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

func (p *process) signal(signal syscall.Signal) {
	_ = p.cmd.Process.Signal(signal) // it may have ended
}
