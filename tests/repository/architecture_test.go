package repository

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/k8sconnect/pulumi-k8sconnect/"

// architecture is the page that says where things are.
const architecture = "docs/architecture.md"

// knowPulumi are the packages below the resources and what these share that may import Pulumi.
var knowPulumi = []string{"provider/connection", "provider/reference", "provider/choice", "provider/raw", "provider/internal/values"}

func TestArchitecture(t *testing.T) {
	page := read(t, architecture)
	imports := importsOf(t)
	drawn := layersOf(t, page)

	t.Run("every package is in one layer, and the table says what it is for", func(t *testing.T) {
		var listed []string
		for _, row := range rows(section(t, page, "The layers")) {
			listed = append(listed, code(row[0]))
			assert.NotEmpty(t, row[1], row[0])
		}
		packages := slices.Collect(maps.Keys(imports))
		assert.ElementsMatch(t, packages, slices.Collect(maps.Keys(drawn.layer)), "the picture")
		assert.ElementsMatch(t, packages, listed, "the table")
	})
	t.Run("a package imports only packages of layers below its own", func(t *testing.T) {
		for from, all := range imports {
			for _, to := range all {
				if ours, yes := strings.CutPrefix(to, module); yes && strings.HasPrefix(ours, "provider") {
					assert.Less(t, drawn.layer[from], drawn.layer[ours], "%s imports %s", from, ours)
				}
			}
		}
	})
	t.Run("every arrow is an import", func(t *testing.T) {
		require.NotEmpty(t, drawn.arrows)
		for _, arrow := range drawn.arrows {
			assert.True(t, slices.Contains(imports[arrow.from], module+arrow.to), "%s does not import %s", arrow.from, arrow.to)
		}
	})
	t.Run("what is below the resources and what these share knows nothing of Pulumi", func(t *testing.T) {
		shared := drawn.layer["provider/tracked"]
		for from, all := range imports {
			if drawn.layer[from] <= shared || slices.Contains(knowPulumi, from) {
				continue
			}
			for _, to := range all {
				assert.NotContains(t, to, "github.com/pulumi/", from)
			}
		}
	})
	t.Run("each behaviour is where the table says", func(t *testing.T) {
		found := rows(section(t, page, "Where does a behaviour live?"))
		require.GreaterOrEqual(t, len(found), 20)
		for _, row := range found {
			require.Len(t, row, 3, "%s", row)
			file, name := code(row[1]), code(row[2])
			word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
			if !exists(file) || !word.MatchString(read(t, file)) {
				assert.Fail(t, "change the row in "+architecture,
					"%q: %s has no %s; it is in %s", row[0], file, name, strings.Join(filesWith(t, word), ", "))
			}
		}
	})
	t.Run("every folder of tests that it names is there", func(t *testing.T) {
		for _, row := range rows(section(t, page, "How it is tested")) {
			assert.True(t, exists(strings.TrimSuffix(code(row[0]), "/…")), row[0])
		}
	})
}

// importsOf lists for every package below provider/ what it imports outside of its tests.
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	sources(t, func(path string) {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.ImportsOnly)
		require.NoError(t, err)
		folder := filepath.ToSlash(filepath.Dir(path))
		imports[folder] = append(imports[folder], "") // a package that imports nothing is one, too
		for _, imported := range file.Imports {
			name, err := strconv.Unquote(imported.Path.Value)
			require.NoError(t, err)
			imports[folder] = append(imports[folder], name)
		}
	})
	return imports
}

// sources visits the sources of the provider, but for tests.
func sources(t *testing.T, visit func(path string)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "provider"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			var relative string
			if relative, err = filepath.Rel(root, path); err == nil {
				visit(filepath.ToSlash(relative))
			}
		}
		return err
	}))
}

// filesWith lists the sources in which a word is.
func filesWith(t *testing.T, word *regexp.Regexp) []string {
	t.Helper()
	var files []string
	sources(t, func(path string) {
		if word.MatchString(read(t, path)) {
			files = append(files, path)
		}
	})
	if files == nil {
		return []string{"no file"}
	}
	return files
}

type arrow struct{ from, to string }

// drawing is what the picture of the layers shows.
type drawing struct {
	layer  map[string]int // of each package, from above
	arrows []arrow
}

var (
	node  = regexp.MustCompile(`^(\w+)\["([^"]+)"\]$`)
	edges = regexp.MustCompile(`^(\w+(?: & \w+)*) --> (\w+(?: & \w+)*)$`)
)

// layersOf reads the picture: each subgraph is a layer, the first the uppermost.
func layersOf(t *testing.T, page string) drawing {
	t.Helper()
	pictures := blocks(section(t, page, "The layers"), "mermaid")
	require.Len(t, pictures, 1)
	drawn, packages, layer := drawing{layer: map[string]int{}}, map[string]string{}, 0
	for line := range strings.Lines(pictures[0]) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", line == "end", strings.HasPrefix(line, "flowchart "):
		case strings.HasPrefix(line, "subgraph "):
			layer++
		case node.MatchString(line):
			parts := node.FindStringSubmatch(line)
			assert.NotContains(t, drawn.layer, parts[2], "it is drawn twice")
			packages[parts[1]], drawn.layer[parts[2]] = parts[2], layer
		case edges.MatchString(line):
			parts := edges.FindStringSubmatch(line)
			for from := range strings.SplitSeq(parts[1], " & ") {
				for to := range strings.SplitSeq(parts[2], " & ") {
					drawn.arrows = append(drawn.arrows, arrow{packages[from], packages[to]})
				}
			}
		default:
			assert.Fail(t, "a line of the picture is neither a package nor an arrow", line)
		}
	}
	return drawn
}
