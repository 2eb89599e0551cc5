package namespaces

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// createDir creates the folder, which is locked for as long as this process runs, however it ends. The lock has its
// name only when it holds, so that nobody takes the folder for a leftover.
func createDir() (dir string, unlock func(), err error) {
	dir, err = os.MkdirTemp("", dirPrefix)
	if err != nil {
		return "", nil, err
	}
	unfinished := filepath.Join(dir, lockFile+".new")
	file, err := os.OpenFile(unfinished, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	err = errors.Join(syscall.Flock(int(file.Fd()), syscall.LOCK_EX), os.Rename(unfinished, filepath.Join(dir, lockFile)))
	if err != nil {
		return "", nil, errors.Join(err, file.Close(), os.RemoveAll(dir))
	}
	return dir, func() { _ = file.Close() }, nil
}

// removeLeftovers removes what killed ones have left behind.
func removeLeftovers() error {
	locks, err := filepath.Glob(filepath.Join(os.TempDir(), dirPrefix+"*", lockFile))
	if err != nil {
		return err
	}
	var errs []error
	for _, lock := range locks {
		errs = append(errs, removeLeftover(lock))
	}
	return errors.Join(errs...)
}

func removeLeftover(lock string) error {
	file, err := os.Open(lock)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // whoever it belonged to has just ended
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil // it is used
	}
	return remove(filepath.Dir(lock))
}
