package kubelet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// shimName is how this program is called to become a container. What is wanted comes from one file descriptor, and
// what went wrong is written to the other; that one is closed when the container's command runs.
const (
	shimName = "k8sconnect-kubelet-container"
	wantedFD = 3
	saidFD   = 4
)

func init() {
	if os.Args[0] != shimName {
		return
	}
	// What is set below is set for a thread, the one that becomes the command.
	runtime.LockOSThread()
	_ = unix.CloseRange(saidFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // what this program was started with included
	unix.CloseOnExec(saidFD)
	err := become()
	_, _ = fmt.Fprint(os.NewFile(saidFD, "said"), err)
	os.Exit(1)
}

// become turns this process into the container's command, and returns only if it cannot.
func become() error {
	var box sandbox
	wanted := os.NewFile(wantedFD, "wanted")
	if err := json.NewDecoder(wanted).Decode(&box); err != nil {
		return fmt.Errorf("reading what is wanted: %w", err)
	}
	if err := errors.Join(wanted.Close(), unix.Sethostname([]byte(box.Hostname))); err != nil {
		return err
	}
	syscall.Umask(0) // the modes below are meant
	root, err := box.mountRoot()
	if err != nil {
		return err
	}
	for _, mount := range box.Mounts {
		if err := mount.mount(root); err != nil {
			return err
		}
	}
	if box.ReadOnlyRoot {
		if err := remountReadOnly(root); err != nil {
			return err
		}
	}
	if err := enter(root, box.WorkingDir); err != nil {
		return err
	}
	syscall.Umask(0o022)
	if err := box.dropPrivileges(); err != nil {
		return err
	}
	return box.exec()
}

// mountRoot mounts the root with what every container has, and returns where.
func (b *sandbox) mountRoot() (string, error) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return "", fmt.Errorf("making mounts private: %w", err)
	}
	if err := unix.Mount("tmpfs", b.Scratch, "tmpfs", unix.MS_NODEV, "mode=755"); err != nil {
		return "", fmt.Errorf("mounting memory: %w", err)
	}
	// Relative paths: those of this machine may have what the options of an overlay do not take.
	if err := os.Chdir(b.Scratch); err != nil {
		return "", err
	}
	for _, dir := range []string{"image", "upper", "work", "root"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return "", err
		}
	}
	if err := unix.Mount(b.Image, "image", "", unix.MS_BIND, ""); err != nil {
		return "", fmt.Errorf("mounting the image %s: %w", b.Image, err)
	}
	if err := unix.Mount("overlay", "root", "overlay", 0, "lowerdir=image,upperdir=upper,workdir=work"); err != nil {
		return "", fmt.Errorf("mounting a layer on the image %s: %w", b.Image, err)
	}
	root := filepath.Join(b.Scratch, "root")
	for _, dir := range []string{"proc", "dev"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return "", err
		}
	}
	proc := filepath.Join(root, "proc")
	if err := unix.Mount("proc", proc, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return "", fmt.Errorf("mounting /proc: %w", err)
	}
	settings := mount{Source: filepath.Join(proc, "sys"), Target: "/proc/sys", ReadOnly: true} // of the machine
	return root, errors.Join(settings.mount(root), mountDevices(filepath.Join(root, "dev")))
}

func mountDevices(dev string) error {
	if err := unix.Mount("tmpfs", dev, "tmpfs", unix.MS_NOSUID, "mode=755"); err != nil {
		return fmt.Errorf("mounting /dev: %w", err)
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		device := mount{Source: "/dev/" + name, Target: name}
		if err := device.mount(dev); err != nil {
			return err
		}
	}
	for name, target := range map[string]string{"fd": "fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"} {
		if err := os.Symlink("/proc/self/"+target, filepath.Join(dev, name)); err != nil {
			return err
		}
	}
	shm := filepath.Join(dev, "shm")
	if err := os.Mkdir(shm, 0o755); err != nil {
		return err
	}
	return unix.Mount("tmpfs", shm, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=1777")
}

// mount mounts a folder or file in the root, where it makes what it is mounted on.
func (m *mount) mount(root string) error {
	info, err := os.Stat(m.Source)
	if err != nil {
		return err
	}
	target := filepath.Join(root, m.Target)
	if info.IsDir() {
		err = os.MkdirAll(target, 0o755)
	} else if _, missing := os.Stat(target); errors.Is(missing, fs.ErrNotExist) {
		err = errors.Join(os.MkdirAll(filepath.Dir(target), 0o755), os.WriteFile(target, nil, 0o644))
	}
	if err != nil {
		return err
	}
	if err := unix.Mount(m.Source, target, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mounting on %s: %w", m.Target, err)
	}
	if m.ReadOnly {
		return remountReadOnly(target)
	}
	return nil
}

func remountReadOnly(path string) error {
	if err := unix.Mount("", path, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("making a mount read-only: %w", err)
	}
	return nil
}

// enter makes a folder the root; what was there before is nowhere any more.
func enter(root, workingDir string) error {
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("entering the root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leaving the old root: %w", err)
	}
	return os.Chdir(filepath.Join("/", workingDir))
}

func (b *sandbox) dropPrivileges() error {
	if b.DropCapabilities {
		for capability := range uintptr(64) {
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
				return fmt.Errorf("dropping capabilities: %w", err) // EINVAL: the kernel knows no more of them
			}
		}
	}
	if err := errors.Join(syscall.Setgroups(b.Groups), syscall.Setgid(b.GID), syscall.Setuid(b.UID)); err != nil {
		return fmt.Errorf("becoming user %d: %w", b.UID, err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forbidding new privileges: %w", err)
	}
	// A process that changes its user forgets with whom it is to end.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	reader := []unix.PollFd{{Fd: saidFD}}
	if _, err := unix.Poll(reader, 0); err == nil && reader[0].Revents&unix.POLLERR != 0 {
		os.Exit(1) // nobody is there any more to end with
	}
	return nil
}

func (b *sandbox) exec() error {
	for _, variable := range b.Env {
		if path, found := strings.CutPrefix(variable, "PATH="); found {
			if err := os.Setenv("PATH", path); err != nil {
				return err
			}
		}
	}
	path, err := exec.LookPath(b.Args[0])
	if err != nil {
		return err
	}
	return fmt.Errorf("exec %s: %w", path, syscall.Exec(path, b.Args, b.Env))
}
