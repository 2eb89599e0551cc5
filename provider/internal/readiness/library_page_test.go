package readiness

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestThePageOnWaitingListsTheLibrary compares the rows of the page with the library. A row that is missing is printed.
func TestThePageOnWaitingListsTheLibrary(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "waiting.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n### Kinds of well-known operators\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n### ")
	files, err := library()
	require.NoError(t, err)
	rows := map[string]bool{}
	for f := range files {
		row := rowOf(&files[f])
		rows[row] = true
		t.Run("[R13] "+files[f].Operator, func(t *testing.T) {
			assert.True(t, strings.Contains(section, row+"\n"), "the page lacks the row\n%s", row)
		})
	}
	t.Run("[R13] and no other", func(t *testing.T) {
		for line := range strings.Lines(section) {
			if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| operator |") {
				assert.True(t, rows[strings.TrimSuffix(line, "\n")], line)
			}
		}
	})
}

// rowOf is the row of the page for an operator.
func rowOf(o *operatorRules) string {
	var sources, judged, exist []string
	for i, url := range o.Sources {
		sources = append(sources, fmt.Sprintf("[%d](%s)", i+1, url))
	}
	for i := range o.Rules {
		if o.Rules[i].Exists {
			exist = append(exist, kindsOf(&o.Rules[i])...)
		} else {
			judged = append(judged, kindsOf(&o.Rules[i])...)
		}
	}
	return fmt.Sprintf("| %s %s | %s | %s | %s |", o.Operator, o.Version, strings.Join(judged, ", "), strings.Join(exist, ", "), strings.Join(sources, " "))
}

func kindsOf(r *libraryRule) []string {
	var names []string
	for _, name := range r.Kinds {
		if name != anyKind {
			names = append(names, name)
			continue
		}
		var groups []string
		for _, group := range r.Groups {
			groups = append(groups, "`"+group+"`")
		}
		names = append(names, "all other kinds of "+strings.Join(groups, ", "))
	}
	return names
}
