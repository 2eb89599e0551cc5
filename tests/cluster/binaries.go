package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// BinVariable names the environment variable with the folder of the programs, for where
// [Tool] does not find it by itself.
const BinVariable = "K8SCONNECT_BIN"

// Tool returns the absolute path of a program that "make tools" builds: etcd, kubectl,
// pulumi and so on. It looks in $K8SCONNECT_BIN if set, else in the folder bin of the
// working directory and of the directories above it, which is where tests find it.
func Tool(name string) (string, error) {
	if dir := os.Getenv(BinVariable); dir != "" {
		return toolIn(dir, name)
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("program %s: %w", name, err)
	}
	for {
		path, err := toolIn(filepath.Join(dir, "bin"), name)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return path, err
		}
		dir = filepath.Dir(dir)
	}
}

func toolIn(dir, name string) (string, error) {
	path, err := filepath.Abs(filepath.Join(dir, name))
	if err != nil {
		return "", fmt.Errorf("program %s: %w", name, err)
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("program %s is not in bin/: run \"make tools\", or set %s: %w", name, BinVariable, err)
	}
	return path, nil
}
