package sdk_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// firstSteps is what the README's section about a first program has a stranger do.
type firstSteps struct {
	before    string // the commands in the clone
	languages map[string]languageSteps
	after     []string // the commands in the folder of the project, whatever its language
}

// languageSteps are the files of a project, and the commands that install what its program needs.
type languageSteps struct {
	files    map[string]string
	commands string
}

var (
	details = regexp.MustCompile(`(?ms)^<details.*?><summary>(.*?)</summary>$(.*?)^</details>$`)
	// A file has its name in a line of its own above it.
	fenced = regexp.MustCompile("(?ms)(?:^`([^`\n]+)`[^\n]*\n\n)?^```(\\w+)\n(.*?)^```$")
)

// readFirstSteps takes all fenced blocks of the section, and those of the languages that have their own page: there is none that is not used.
func readFirstSteps(t *testing.T) firstSteps {
	t.Helper()
	const heading = "A first program"
	section := sectionOf(t, textOf(t, "README.md"), heading)
	others := sectionOf(t, textOf(t, "sdk/README.md"), heading)
	require.NotContains(t, details.ReplaceAllString(others, ""), "```", "a file of no language")

	steps := firstSteps{languages: map[string]languageSteps{}}
	for _, language := range details.FindAllStringSubmatch(section+others, -1) {
		files, commands := blocks(t, language[2])
		steps.languages[language[1]] = languageSteps{files, strings.Join(commands, "")}
	}
	files, commands := blocks(t, details.ReplaceAllString(section, ""))
	require.Empty(t, files, "a file of no language")
	require.Len(t, commands, 2, "the commands before and after what each language does")
	steps.before, steps.after = commands[0], strings.Split(strings.TrimSuffix(commands[1], "\n"), "\n")
	return steps
}

func blocks(t *testing.T, text string) (files map[string]string, commands []string) {
	t.Helper()
	files = map[string]string{}
	for _, block := range fenced.FindAllStringSubmatch(text, -1) {
		switch name, fence, content := block[1], block[2], block[3]; {
		case fence == "sh":
			commands = append(commands, content)
		default:
			require.NotEmpty(t, name, "the file has no name above it:\n%s", content)
			files[name] = content
		}
	}
	return files, commands
}

// textOf is a file of the repository.
func textOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	require.NoError(t, err)
	return string(text)
}
