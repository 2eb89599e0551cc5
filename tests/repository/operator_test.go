package repository

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWhatTheOperatorWasAskedForIsShown wants each row to name tests, and the tests to exist.
func TestWhatTheOperatorWasAskedForIsShown(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	exist := map[string]bool{}
	for _, folder := range []string{"tests/operator", "examples/operator"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(file string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, "_test.go") {
				return err
			}
			text, err := os.ReadFile(file)
			for _, test := range declared.FindAllStringSubmatch(string(text), -1) {
				exist[test[1]] = true
			}
			return err
		}))
	}
	asked := rows(section(t, read(t, "examples/operator/README.md"), "What was asked for, and what shows it"))
	require.Greater(t, len(asked), 20)
	for _, row := range asked {
		require.Len(t, row, 3, row[0])
		tests := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(row[2], -1)
		assert.NotEmpty(t, tests, row[0])
		for _, test := range tests {
			assert.True(t, exist[test[1]], "%s: there is no %s", row[0], test[1])
		}
	}
}
