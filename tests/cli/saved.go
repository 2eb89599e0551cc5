package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Saved reports whether a backend of files has a whole state of a stack, and whole notes beside it. Whoever kills a CLI
// asks first: the backend does not survive that in the middle of writing.
func Saved(backend, project, stack string) (bool, error) {
	state := filepath.Join(backend, ".pulumi", "stacks", project, stack+".json")
	for _, file := range []string{state, state + ".attrs"} {
		text, err := os.ReadFile(file)
		switch {
		case errors.Is(err, fs.ErrNotExist) && file == state:
			return false, nil
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return false, fmt.Errorf("state of %s: %w", stack, err)
		case !json.Valid(text):
			return false, nil
		}
	}
	return true, nil
}
