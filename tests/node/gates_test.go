//go:build linux && node

package node

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// gates is a folder of the machine that containers have as a volume. A test opens and closes their gates in it, and the work in
// them writes into its journal what it does.
type gates struct{ dir string }

func newGates(t *testing.T) gates {
	t.Helper()
	return gates{t.TempDir()}
}

// open opens gates.
func (g gates) open(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(g.dir, name), nil, 0o600))
	}
}

// close closes a gate.
func (g gates) close(t *testing.T, name string) {
	t.Helper()
	require.NoError(t, os.Remove(filepath.Join(g.dir, name)))
}

// entry is a line of the journal: "migrate began" or "migrate ended".
type entry struct {
	at   time.Time
	what string
}

// journal is what work has done so far.
func (g gates) journal(t *testing.T) (entries []entry) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(g.dir, "journal"))
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
	}
	for line := range strings.Lines(string(text)) {
		line, whole := strings.CutSuffix(line, "\n")
		if !whole {
			break // It is being written.
		}
		at, what, _ := strings.Cut(line, " ")
		parsed, err := time.Parse(time.RFC3339Nano, at)
		require.NoError(t, err)
		entries = append(entries, entry{parsed, what})
	}
	return entries
}

// done is what work has done since the journal had this many lines.
func (g gates) done(t *testing.T, since int) (what []string) {
	t.Helper()
	for _, e := range g.journal(t)[since:] {
		what = append(what, e.what)
	}
	return what
}

// when is when something happened for the last time.
func (g gates) when(t *testing.T, what string) (at time.Time) {
	t.Helper()
	for _, e := range g.journal(t) {
		if e.what == what {
			at = e.at
		}
	}
	require.NotZero(t, at, "%s is in the journal", what)
	return at
}

// began waits until work has begun so often, while a command runs.
func (g gates) began(t *testing.T, during *running, name string, times int) {
	t.Helper()
	require.Eventually(t, func() bool {
		seen := 0
		for _, what := range g.done(t, 0) {
			if what == name+" began" {
				seen++
			}
		}
		return seen == times || len(during.ended) > 0
	}, patience, 50*time.Millisecond, "%s", name)
	during.goesOn(t)
}

// oneAfterTheOther is what the journal says of work that is done in this order, each when the one before it is done.
func oneAfterTheOther(names ...string) (what []string) {
	for _, name := range names {
		what = append(what, name+" began", name+" ended")
	}
	return what
}
