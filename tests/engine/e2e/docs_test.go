package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// docsFolder is where the pages are.
var docsFolder = filepath.Join("..", "..", "..", "docs")

// pages say for each page of docs how what is fenced on it is proven. A page that is not here is an
// error, and so is a fenced block for whose kind the page has no proof.
var pages = map[string]func(t *testing.T, p page){
	"_index.md":                           provePrograms,
	"architecture.md":                     pageOnArchitecture,
	"charts.md":                           pageOnCharts,
	"functions.md":                        pageOnFunctions,
	"installation-configuration.md":       pageOnConfiguration,
	"languages.md":                        pageOnLanguages,
	"large-programs.md":                   pageOnLargePrograms,
	"ci.md":                               pageOnCI,
	"drift.md":                            pageOnDrift,
	"many-clusters.md":                    pageOnManyClusters,
	"migrating-from-helm.md":              pageOnHelm,
	"migrating-from-kubectl.md":           pageOnKubectl,
	"migrating-from-pulumi-kubernetes.md": pageOnPulumiKubernetes,
	"migrating-from-terraform.md":         pageOnTerraform,
	"operator.md":                         pageOnOperator,
	"ownership.md":                        pageOnOwnership,
	"ownership-and-drift.md":              pageOfParts,
	"patching.md":                         pageOnPatching,
	"policy-packs.md":                     pageOfProjects,
	"reasons.md":                          pageOnReasons,
	"recovery.md":                         pageOnRecovery,
	"replacement-and-deletion.md":         pageOnReplacement,
	"sets.md":                             pageOnSets,
	"tasks.md":                            pageOnTasks,
	"troubleshooting.md":                  pageOnMessages,
	"typed-kinds.md":                      pageOnTypedKinds,
	"typed-manifests.md":                  pageOnTypedManifests,
	"unit-tests.md":                       pageOfProjects,
	"waiting.md":                          pageOnWaiting,
	"which-resource.md":                   pageOnResources,
}

// formerPages are pages whose content is on other pages now. Links from elsewhere still lead to them, and the index does not.
var formerPages = []string{"ownership-and-drift.md"}

// TestDocs proves what is on the pages of docs: programs are run or previewed, configurations are
// checked, commands exist, and texts of the provider are what it says.
func TestDocs(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(docsFolder, "*.md"))
	require.NoError(t, err)
	var names []string
	for _, file := range files {
		names = append(names, filepath.Base(file))
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(pages)), names)
	index := readPage(t, "_index.md").text
	for name, prove := range pages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := readPage(t, name)
			assert.Regexp(t, `\A---\ntitle: .+\nmeta_desc: .+\nlayout: package\n---\n`, p.text)
			switch {
			case slices.Contains(formerPages, name):
				assert.NotContains(t, index, "]("+name, "the index leads to the pages that replace it")
			case name != "_index.md":
				assert.Contains(t, index, "]("+name+")", "the index leads to every page")
			}
			prove(t, p)
		})
	}
}

// kind is what a fenced block is.
type kind string

const (
	aProgram     kind = "program" // for Pulumi, in YAML
	inALanguage  kind = "program in a language"
	aStackFile   kind = "stack configuration" // Pulumi.<stack>.yaml
	anESCFile    kind = "ESC environment"
	aManifest    kind = "manifest"
	aFile        kind = "file" // whose name is in a comment above it
	aProject     kind = "project"
	aWrongChange kind = "change that makes a program wrong"
	commandLines kind = "commands"
	anOutput     kind = "output"
	aDiagram     kind = "diagram"
)

// fence is a fenced block.
type fence struct {
	kind    kind
	section string // the heading above
	line    int
	code    string
}

// page is a page of docs.
type page struct {
	name, text string
	fences     []fence
}

var (
	fencedBlock  = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")
	anyFence     = regexp.MustCompile("(?m)^ *(?:```|~~~)")
	headingLine  = regexp.MustCompile(`(?m)^#{2,} (.*)$`)
	tableRow     = regexp.MustCompile("(?m)^\\| `([^|]*)` \\| (.*) \\|$")
	programStart = regexp.MustCompile(`\A(?:name: \S+\nruntime: yaml\n)?(?:config|variables|resources):\n`)
)

// typeChecked are the languages whose programs tests/sdk takes out of all pages and type-checks.
var typeChecked = []string{"typescript", "python", "go", "java"}

// readPage reads a page. A fenced block that is of no known kind, or is indented, is an error.
func readPage(t *testing.T, name string) page {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docsFolder, name))
	require.NoError(t, err)
	p := page{name: name, text: string(text)}
	for _, at := range fencedBlock.FindAllStringSubmatchIndex(p.text, -1) {
		f := fence{line: strings.Count(p.text[:at[0]], "\n") + 1, code: p.text[at[4]:at[5]]}
		if above := headingLine.FindAllStringSubmatch(p.text[:at[0]], -1); len(above) > 0 {
			f.section = above[len(above)-1][1]
		}
		var known bool
		f.kind, known = kindOf(p.text[at[2]:at[3]], f.code)
		require.True(t, known, "%s: the block in line %d is of no kind that could be proven", name, f.line)
		p.fences = append(p.fences, f)
	}
	require.Len(t, anyFence.FindAllString(p.text, -1), 2*len(p.fences), "%s: a block is not fenced as the others", name)
	return p
}

// kindOf tells the kind of a block from its language and, for YAML, from what is in it.
func kindOf(language, code string) (kind, bool) {
	var members map[string]any
	switch {
	case slices.Contains(typeChecked, language):
		return inALanguage, true
	case language == "mermaid":
		return aDiagram, true
	case language == "diff":
		return aWrongChange, true
	case language == "sh":
		return commandLines, true
	case language == "":
		return anOutput, true
	case language == "yaml" && fileName.MatchString(code):
		return aFile, true
	case language != "yaml" || yaml.Unmarshal([]byte(code), &members) != nil:
		return "", false
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { _, ok := members[name]; return ok })
	}
	switch {
	case has("resources", "variables"):
		return aProgram, programStart.MatchString(code)
	case has("values"):
		return anESCFile, true
	case has("config", "environment"):
		return aStackFile, true
	case has("apiVersion"):
		return aManifest, true
	case has("runtime"):
		return aProject, true
	}
	return "", false
}

// proofs prove the blocks of a page by their kinds.
type proofs map[kind]func(t *testing.T, f fence)

// prove proves every block of a page.
func (p page) prove(t *testing.T, by proofs) {
	t.Helper()
	for _, f := range p.fences {
		prove, ok := by[f.kind]
		require.True(t, ok, "%s: there is no proof for the %s in line %d", p.name, f.kind, f.line)
		t.Run(fmt.Sprintf("the %s in line %d: %s", f.kind, f.line, f.section), func(t *testing.T) {
			t.Parallel()
			prove(t, f)
		})
	}
}

// told is for blocks that a story of the page is about, because they are the only one of their kind below one
// of these headings.
func (p page) told(sections ...string) func(t *testing.T, f fence) {
	return func(t *testing.T, f fence) {
		require.Contains(t, sections, f.section, "no story is about this block")
		require.Len(t, p.in(t, f.section, f.kind), 1, "the story is about one of them")
	}
}

// in are the blocks of a kind below a heading.
func (p page) in(t *testing.T, section string, kind kind) []fence {
	t.Helper()
	var found []fence
	for _, f := range p.fences {
		if f.section == section && f.kind == kind {
			found = append(found, f)
		}
	}
	require.NotEmpty(t, found, "%s: there is no %s below %q", p.name, kind, section)
	return found
}

// section is the part of a page below a heading.
func (p page) section(t *testing.T, title string) string {
	t.Helper()
	_, text, found := strings.Cut(p.text, "\n## "+title+"\n")
	require.True(t, found, title)
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// programOf is a program without its name and runtime.
func programOf(t *testing.T, text string) string {
	t.Helper()
	require.Regexp(t, programStart, text, "a program begins with its name, or with what is in it")
	return regexp.MustCompile(`\Aname: \S+\nruntime: yaml\n`).ReplaceAllString(text, "")
}
