package sdk_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// projectPages are the pages whose programs need more packages, or consist of several files: each is installed and run by a test of its own.
var projectPages = []string{typedPage, kindsPage, policyPage, unitTestPage}

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
		if slices.Contains(projectPages, filepath.Base(page)) {
			continue
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

// readDocsPage reads a page of docs/.
func readDocsPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	require.NoError(t, err)
	return string(text)
}

// sectionOf is what a page has below a heading.
func sectionOf(t *testing.T, page, heading string) string {
	t.Helper()
	_, section, found := strings.Cut(page, "\n## "+heading+"\n")
	require.True(t, found, heading)
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}
