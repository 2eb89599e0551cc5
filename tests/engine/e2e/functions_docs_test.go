package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fileName is the comment in which a snippet that is no program says which file it is.
var fileName = regexp.MustCompile(`\A# (\S+)\n`)

// pageOnFunctions runs every program of docs/functions.md beside the files of its section, in a
// namespace of its own which is the provider's default, and tries out the table of keys.
func pageOnFunctions(t *testing.T, p page) {
	c := shared.Get(t)
	newDocsStack := func(t *testing.T) (*stack, *kube, string) {
		k, space := kubeOf(t, c), c.Namespace(t)
		s := newStack(t)
		s.config(t, "k8sconnect:namespace", space)
		return s, k, space
	}
	outputs := func(t *testing.T, s *stack) (all map[string]any) {
		t.Helper()
		require.NoError(t, json.Unmarshal([]byte(s.succeed(t, "stack", "output", "--json").stdout), &all))
		return all
	}

	for _, f := range p.fences {
		if f.kind != aProgram {
			require.Contains(t, []kind{aFile, inALanguage}, f.kind, "the block in line %d", f.line)
			continue
		}
		files := map[string]string{}
		for _, beside := range p.fences {
			if beside.kind == aFile && beside.section == f.section {
				files[fileName.FindStringSubmatch(beside.code)[1]] = beside.code
			}
		}
		title, program := f.section, f.code
		t.Run("a program works as printed: "+title+" [F1] [F3] [F6]", func(t *testing.T) {
			t.Parallel()
			s, k, space := newDocsStack(t)
			for name, content := range files {
				require.NoError(t, os.MkdirAll(filepath.Join(s.dir, filepath.Dir(name)), 0o700))
				s.file(t, name, content)
			}
			s.program(t, "%s", program)
			s.preview(t)
			s.up(t)
			s.previewEmpty(t)
			switch title {
			case "An existing object":
				assert.Equal(t, map[string]any{"port": 443.0}, outputs(t, s))
			case "An object that may be absent":
				assert.Equal(t, map[string]any{"found": `{"uid":null}`}, outputs(t, s))
			case "All objects of a kind":
				assert.Equal(t, map[string]any{"names": []any{"kubernetes"}}, outputs(t, s))
			case "Manifests in files":
				assert.Equal(t, "hello", k.value(t, "v1/ConfigMap/"+space+"/settings", "data", "greeting"))
				assert.Equal(t, int64(2), k.value(t, "apps/v1/Deployment/"+space+"/shop", "spec", "replicas"))
			case "Secrets among the manifests":
				assert.Equal(t, "hello", k.value(t, "v1/ConfigMap/"+space+"/settings", "data", "greeting"))
				assert.Equal(t, "bm90IGluIEdpdA==", k.value(t, "v1/Secret/"+space+"/credentials", "data", "password"))
				k.merge(t, "v1/ConfigMap/"+space+"/settings", `{"data": {"greeting": "salve"}}`)
				assert.Contains(t, s.preview(t), `"salve" => "hello"`, "no Secret hides it [D41]")
			case "A kustomization":
				assert.Equal(t, "hello", k.value(t, "v1/ConfigMap/"+space+"/prod-settings", "data", "greeting"))
			case "A Helm chart":
				assert.Equal(t, map[string]any{"replicas": 2.0, "version": "1.4.2"}, outputs(t, s))
			default:
				t.Errorf("nothing is known of the program of %q", title)
			}
		})
	}

	t.Run("every manifest in the table has the key beside it [F4]", func(t *testing.T) {
		t.Parallel()
		s, _, _ := newDocsStack(t)
		var content []string
		want := map[string]any{}
		for _, row := range tableRow.FindAllStringSubmatch(p.section(t, "Keys and parts"), -1) {
			content = append(content, row[1])
			key := strings.Trim(row[2], "`")
			want[key] = key[strings.LastIndex(key, ".")+1:]
		}
		require.Greater(t, len(want), 4)
		s.file(t, "all.yaml", strings.Join(content, "\n---\n"))
		program := "variables: {all: {fn::invoke: {function: k8sconnect:splitYaml, arguments: {files: [all.yaml]}}}}\noutputs:\n"
		for key := range want {
			program += "  '" + key + "': ${all.manifests[\"" + key + "\"].metadata.name}\n"
		}
		s.program(t, "%s", program)
		s.up(t)
		assert.Equal(t, want, outputs(t, s))
	})
}
