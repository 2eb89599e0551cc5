package kubelet

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// What a kubelet calls the folder with the files of a volume, and the link to it.
const (
	dataDir  = "..data"
	datedDir = "..1980_01_01_00_00_00.000000000"
)

// makeDir makes a folder with just these permissions, for the group if there is one.
func makeDir(dir string, mode os.FileMode, group *int64) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if group != nil {
		if err := os.Chown(dir, 0, int(*group)); err != nil {
			return err
		}
		mode |= os.ModeSetgid | 0o770
	}
	return os.Chmod(dir, mode) // whatever the umask is
}

// writeVolume writes files as a kubelet does: links at the top, which lead through one that it could exchange.
func writeVolume(dir string, files map[string]file, group *int64) error {
	dated := filepath.Join(dir, datedDir)
	if err := errors.Join(makeDir(dir, 0o755, group), makeDir(dated, 0o755, group)); err != nil {
		return err
	}
	if err := os.Symlink(datedDir, filepath.Join(dir, dataDir)); err != nil {
		return err
	}
	for name, file := range files {
		path := filepath.Join(dated, name)
		if err := makeDir(filepath.Dir(path), 0o755, group); err != nil {
			return err
		}
		if err := file.write(path, group); err != nil {
			return err
		}
		top, _, _ := strings.Cut(name, "/")
		if err := os.Symlink(filepath.Join(dataDir, top), filepath.Join(dir, top)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

func (f file) write(path string, group *int64) error {
	if err := os.WriteFile(path, []byte(f.content), 0o600); err != nil {
		return err
	}
	mode, groupID := f.mode, 0
	if group != nil {
		mode |= 0o440
		groupID = int(*group)
	} else if f.owner != 0 {
		groupID = -1
	}
	if err := os.Chown(path, f.owner, groupID); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}
