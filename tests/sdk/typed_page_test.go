package sdk_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// typedPage is the page whose programs need packages of types.
const typedPage = "typed-manifests.md"

// typedProgram is a program on the page, with a change that makes it wrong.
type typedProgram struct {
	good, bad string
	line      int    // the changed one
	says      string // what the type checker says about it
}

var typedBlocks = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```\n\n```diff\n-(.*?)\n\\+(.*?)\n```\n\n```\n(.*?)\n```$")

// typedPrograms are the programs on the page in the language of the fence.
func typedPrograms(t *testing.T, fence string) []typedProgram {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", typedPage))
	require.NoError(t, err)
	var programs []typedProgram
	for _, found := range typedBlocks.FindAllStringSubmatch(string(text), -1) {
		if found[1] != fence {
			continue
		}
		good, before, after := found[2], found[3]+"\n", found[4]+"\n"
		require.Equal(t, 1, strings.Count(good, before), "%s has to be one line of\n%s", before, good)
		programs = append(programs, typedProgram{
			good: good, bad: strings.Replace(good, before, after, 1), says: found[5],
			line: strings.Count(good[:strings.Index(good, before)], "\n") + 1,
		})
	}
	require.NotEmpty(t, programs, "the page has no program in %s", fence)
	return programs
}

// assertRefused looks into what a type checker has said of a wrong program for its one error. place is how it writes the
// name of the file and the number of the line.
func (p typedProgram) assertRefused(t *testing.T, said, place string) {
	t.Helper()
	assert.Contains(t, said, place, "no error where the program was changed")
	assert.Contains(t, said, p.says)
}
