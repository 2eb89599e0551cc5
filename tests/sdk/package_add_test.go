package sdk_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// packagePage is the page that says how the CLI makes a package of the plugin.
const packagePage = "languages.md"

// TestPackageAdd has the CLI make packages of the plugin that the README's commands have installed.
func TestPackageAdd(t *testing.T) { // [D85]
	t.Parallel()
	section := sectionOf(t, readDocsPage(t, packagePage), "Packages from the plugin")
	_, commands := blocks(t, section)
	require.Len(t, commands, 1)
	add := commands[0]
	start := func(t *testing.T, language, runtime string) project {
		t.Helper()
		p := project{dir: t.TempDir(), env: append(slices.Clip(strangerShell(t)), "npm_config_prefer_offline=true",
			"PATH="+strangerPath("hosts")+string(os.PathListSeparator)+strangerPath("bin")+string(os.PathListSeparator)+os.Getenv("PATH"))}
		for name, content := range readFirstSteps(t).languages[language].files {
			p.write(t, name, content)
		}
		if runtime != "" {
			p.write(t, "Pulumi.yaml", "name: first\nruntime: "+runtime+"\n")
		}
		return p
	}
	t.Run("yaml", func(t *testing.T) {
		t.Parallel()
		p := start(t, "YAML", "")
		p.run(t, "bash", "-e", "-c", add)
		assert.Regexp(t, `(?m)^packages:\n +k8sconnect: k8sconnect@\d`, p.read(t, "Pulumi.yaml"))
		p.env = append(slices.Clip(p.env), "PULUMI_BACKEND_URL=file://"+filepath.ToSlash(t.TempDir()), "KUBECONFIG="+workloads.Get(t).KubeconfigFile())
		assert.Contains(t, p.run(t, "bash", "-c", "pulumi stack init dev && pulumi preview"), "2 to create")
	})
	t.Run("nodejs", func(t *testing.T) {
		selected(t, "nodejs")
		t.Parallel()
		p := start(t, "TypeScript", "")
		p.write(t, "package.json", `{"dependencies": {"typescript": "^5", "@types/node": "^20"}}`)
		p.run(t, "bash", "-e", "-c", add)
		var manifest struct{ Dependencies map[string]string }
		require.NoError(t, json.Unmarshal([]byte(p.read(t, "package.json")), &manifest))
		assert.Equal(t, "file:sdks/k8sconnect", manifest.Dependencies["@k8sconnect/pulumi"])
		p.write(t, "check.json", tsconfig)
		p.run(t, "node_modules/.bin/tsc", "--noEmit", "--project", "check.json")

		p.write(t, "typed.ts", "import * as k8sconnect from \"@k8sconnect/pulumi\";\n\nexport type Settings = k8sconnect.Manifest<object>;\n")
		out, err := p.try(t, "node_modules/.bin/tsc", "--noEmit", "--project", "check.json")
		require.Error(t, err)
		assert.Contains(t, out, "no exported member named 'Manifest'", "the page says so")
	})
	for language, file := range map[string]string{"go": "k8sconnect/kubeObject.go", "python": "pulumi_k8sconnect/kube_object.py"} {
		t.Run(language, func(t *testing.T) {
			selected(t, language)
			t.Parallel()
			p := start(t, "YAML", "")
			p.run(t, "bash", "-c", "pulumi package gen-sdk k8sconnect --language "+language+" --out made")
			assert.FileExists(t, p.path(filepath.Join("made", language, file)))
		})
	}
	t.Run("java", func(t *testing.T) {
		selected(t, "java")
		t.Parallel()
		p := start(t, "YAML", "")
		out, err := p.try(t, "bash", "-c", "pulumi package gen-sdk k8sconnect --language java --out made")
		require.Error(t, err, "the page says that Pulumi's generator cannot do it")
		assert.Contains(t, out, "duplicate file")
	})
	t.Run("the page has a row for every language that has a package", func(t *testing.T) {
		t.Parallel()
		for language := range readFirstSteps(t).languages {
			assert.True(t, regexp.MustCompile(`(?m)^\| `+language+` \| .*\|$`).MatchString(section), language)
		}
	})
}

func (p project) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(p.path(name))
	require.NoError(t, err)
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}
