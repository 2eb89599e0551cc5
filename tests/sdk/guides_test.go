package sdk_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// snippets are what is type-checked beside the README's and the story: the examples in the schema, and
// the programs in the pages of docs/.
func snippets(t *testing.T, fence string) map[string]string {
	t.Helper()
	all := examples(t, fence)
	maps.Copy(all, guides(t, fence))
	return all
}

// guides are the programs in the pages of docs/ in the language of the fence, by names such as
// Guide1Languages.
func guides(t *testing.T, fence string) map[string]string {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	require.NoError(t, err)
	program := regexp.MustCompile("(?ms)^```" + fence + "\n(.*?)^```$")
	letters := regexp.MustCompile(`[^a-z]`)
	found := map[string]string{}
	for _, page := range pages {
		if filepath.Base(page) == typedPage {
			continue // its programs need more packages
		}
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		name := letters.ReplaceAllString(strings.TrimSuffix(filepath.Base(page), ".md"), "")
		for i, guide := range program.FindAllStringSubmatch(string(text), -1) {
			found[fmt.Sprintf("Guide%d%s%s", i+1, strings.ToUpper(name[:1]), name[1:])] = guide[1]
		}
	}
	require.NotEmpty(t, found, "no page of docs/ has a program in %s", fence)
	return found
}
