package namespaces

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

const cgroup2Magic = 0x63677270

// hierarchies are the folders of the trees of control groups: one, or one for each controller.
func hierarchies() ([]string, error) {
	var system syscall.Statfs_t
	if err := syscall.Statfs(CgroupDir, &system); err != nil {
		return nil, fmt.Errorf("%s: %w", CgroupDir, err)
	}
	if system.Type == cgroup2Magic {
		return []string{CgroupDir}, nil
	}
	entries, err := os.ReadDir(CgroupDir)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, entry := range entries {
		if entry.IsDir() { // others are links: two controllers in one tree
			found = append(found, filepath.Join(CgroupDir, entry.Name()))
		}
	}
	return found, nil
}

// createCgroups creates the control group in each tree.
func createCgroups(name string) error {
	roots, err := hierarchies()
	if err != nil {
		return err
	}
	for _, root := range roots {
		group := filepath.Join(root, name)
		if err := os.Mkdir(group, 0o755); err != nil {
			return err
		}
		// In the first version of control groups a new one may use no processor and no memory.
		for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
			value, err := os.ReadFile(filepath.Join(root, file))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err := errors.Join(err, os.WriteFile(filepath.Join(group, file), value, 0o600)); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeCgroups removes the control group and all below it. Its processes have ended, but a moment may pass until
// the kernel has let go of them.
func removeCgroups(name string) error {
	roots, err := hierarchies()
	if err != nil {
		return err
	}
	var errs []error
	for _, root := range roots {
		err := removeCgroup(filepath.Join(root, name))
		for deadline := time.Now().Add(10 * time.Second); errors.Is(err, syscall.EBUSY) && time.Now().Before(deadline); {
			time.Sleep(20 * time.Millisecond)
			err = removeCgroup(filepath.Join(root, name))
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// removeCgroup removes the folders, those inside first: their files go with them.
func removeCgroup(group string) error {
	var folders []string
	err := filepath.WalkDir(group, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			folders = append(folders, path)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	slices.Reverse(folders)
	for _, folder := range folders {
		err = errors.Join(err, syscall.Rmdir(folder))
	}
	return err
}
