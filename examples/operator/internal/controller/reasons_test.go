package controller_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Who reads a reason in "kubectl describe" finds it in the README.
func TestEachReasonIsInTheREADME(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	section := func(title string) string {
		_, table, _ := strings.Cut(string(readme), "\n## "+title+"\n")
		table, _, _ = strings.Cut(table, "\n## ")
		return table
	}
	reasons := regexp.MustCompile(`(?:Reason: *|waiting\(|[rR]eason\w+ += )"([A-Z][A-Za-z]+)"`)
	found := 0
	for folder, title := range map[string]string{
		"controller": "Why it is not Ready", "plan": "Why it is not Ready", "runner": "Why it is not Ready", "artifact": "Make a kind of a program",
	} {
		table := section(title)
		files, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, reason := range reasons.FindAllStringSubmatch(string(content), -1) {
				found++
				assert.Contains(t, table, "`"+reason[1]+"`", "%s has a reason that the README does not explain", file)
			}
		}
	}
	assert.Greater(t, found, 20)
}
