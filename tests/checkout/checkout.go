// Package checkout finds the files of this repository, from wherever in it a test runs: the module of a test need not be the
// root's.
package checkout

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mark is a file that is in the root of the repository, and in no folder of it.
const mark = "schema.json"

// Path is the absolute path of a file, which is given relative to the root.
func Path(elements ...string) (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(filepath.Join(folder, mark))
		switch {
		case err == nil:
			return filepath.Join(append([]string{folder}, elements...)...), nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		case folder == filepath.Dir(folder):
			return "", fmt.Errorf("no folder above the working directory has a %s", mark)
		}
		folder = filepath.Dir(folder)
	}
}

// Read is the content of a file, which is given relative to the root.
func Read(elements ...string) (string, error) {
	path, err := Path(elements...)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

// Makefile is the Makefile of the root, with the text of the files that it includes in their place.
func Makefile() (string, error) {
	text, err := Read("Makefile")
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for line := range strings.Lines(text) {
		if file, included := strings.CutPrefix(line, "include "); included {
			if line, err = Read(strings.TrimSpace(file)); err != nil {
				return "", err
			}
		}
		all.WriteString(line)
	}
	return all.String(), nil
}
