package sdk_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// TestTheTypedExample runs the commands of the README.md as they are printed. [K1]
func TestTheTypedExample(t *testing.T) {
	readme := textOf(t, "examples/typed/README.md")
	for section, language := range map[string]string{"TypeScript": "nodejs", "Go": "go"} {
		t.Run(language, func(t *testing.T) {
			selected(t, language)
			t.Parallel()
			p := typedExample(t, language)
			_, commands := blocks(t, sectionOf(t, readme, section))
			script := regexp.MustCompile(`(?m)^make .*\n`).ReplaceAllString(strings.Join(commands, ""), "")
			out := p.run(t, "bash", "-e", "-c", script)
			assert.Regexp(t, `\+ \d+ created`, out)
			_, err := workloads.Get(t).Client().CoreV1().Namespaces().Get(t.Context(), "typed-"+strings.ToLower(section), metav1.GetOptions{})
			require.Error(t, err, "it has been cleaned up")
		})
	}
}

// typedExample is a copy of the example in a tree that is like the repository where its programs look.
func typedExample(t *testing.T, language string) project {
	t.Helper()
	root, env := t.TempDir(), strangerShell(t)
	if language == "go" {
		env = goPrograms.get(t).env
	}
	p := kindsProject(t, env)
	p.dir = filepath.Join(root, "examples", "typed")
	require.NoError(t, os.CopyFS(p.dir, os.DirFS(filepath.Join("..", "..", "examples", "typed"))))
	for _, made := range []string{"typescript/node_modules", "typescript/sdks", "go/sdks"} {
		require.NoError(t, os.RemoveAll(p.path(made)))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(root, "bin", "sdk"), 0o755))
	require.NoError(t, os.Symlink(filepath.Dir(packed(t, "nodejs/*.tgz")), filepath.Join(root, "bin", "sdk", "nodejs")))
	require.NoError(t, os.CopyFS(filepath.Join(root, "sdk", "go"), os.DirFS(filepath.Join("..", "..", "sdk", "go"))))
	kubectl, err := cluster.Tool("kubectl")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(kubectl, filepath.Join(root, "bin", "kubectl")))
	p.env = append(p.env, "PATH="+filepath.Join(root, "bin")+string(os.PathListSeparator)+
		strangerPath("hosts")+string(os.PathListSeparator)+strangerPath("bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	return p
}
