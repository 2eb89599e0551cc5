package namespaces

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
)

// again is this program with the same arguments, at the next stage. It gets no signals but those that are passed on:
// it is not in the terminal's process group.
func again(stage, dir string, listener *os.File) (*exec.Cmd, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = environment(stage, dir)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{listener}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	// The kernel sends that signal when the thread ends that started the process.
	runtime.LockOSThread()
	return cmd, nil
}

// start runs the first process of the namespaces until its end.
func start(dir string, listener *os.File) (int, error) {
	cmd, err := again(stageFirst, dir, listener)
	if err != nil {
		return 1, err
	}
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID
	if err := cmd.Start(); err != nil {
		return 1, fmt.Errorf("new namespaces: %w", err)
	}
	defer passSignals(cmd.Process)()
	err = cmd.Wait()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}

// first is the first process: it sets up what is around it, starts the one that does the work, and takes the exit
// status of all that have lost their parent.
func first() (int, error) {
	if err := prepare(os.Getenv(dirVariable)); err != nil {
		return 1, err
	}
	cmd, err := again(stageInside, os.Getenv(dirVariable), os.NewFile(listenerFile, "outside"))
	if err != nil {
		return 1, err
	}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	defer passSignals(cmd.Process)()
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 1, err
		case pid != cmd.Process.Pid:
		case status.Exited():
			return status.ExitStatus(), nil
		case status.Signaled():
			return 128 + int(status.Signal()), nil
		}
	}
}

// passSignals passes those that end a program on to the next stage, until it is told to stop.
func passSignals(process *os.Process) (stop func()) {
	signals, done := make(chan os.Signal, 4), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for {
			select {
			case s := <-signals:
				_ = process.Signal(s) // it may have ended
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}
