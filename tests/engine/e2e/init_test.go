package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// initialized are the files that the first "pulumi stack init" of the run has made, and for which project.
var initialized struct {
	once    sync.Once
	done    bool
	project string
	files   []string // content, in the order of stack.initialFiles
}

// initialFiles are what makes a stack: its configuration, which names what keeps its secrets, the version of the
// backend, and a state without resources.
func (s *stack) initialFiles() []string {
	return []string{
		filepath.Join(s.dir, "Pulumi."+s.name+".yaml"),
		filepath.Join(s.backend, ".pulumi", "meta.yaml"),
		filepath.Join(s.backend, ".pulumi", "stacks", s.project, s.name+".json"),
	}
}

// init makes a stack as "pulumi stack init" does. It runs that for the first stack of the run and copies what came of
// it for the others: a command costs a fifth of a second, and the stacks are hundreds.
func (s *stack) init(t testing.TB) {
	t.Helper()
	initialized.once.Do(func() {
		s.run(t, "stack", "init", s.name)
		for _, path := range s.initialFiles() {
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			initialized.files = append(initialized.files, string(content))
		}
		initialized.project, initialized.done = s.project, true
	})
	require.True(t, initialized.done, "no stack could be made: see the other test")
	for i, path := range s.initialFiles() {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		// The state names its stack in full.
		content := strings.ReplaceAll(initialized.files[i], "/"+initialized.project+"/", "/"+s.project+"/")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
}
