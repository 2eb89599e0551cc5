package sdk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// setChart is the chart of these programs.
var setChart = map[string]string{
	"Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
	"templates/auth.yaml": "apiVersion: v1\nkind: Secret\nmetadata: { name: {{ .Release.Name }}-auth }\n" +
		"stringData: { color: {{ .Values.color }}, password: {{ randAlphaNum 16 | quote }} }\n",
	"templates/NOTES.txt": "{{ .Release.Name }} is in {{ .Release.Namespace }}.\n",
}

// TestASetIsInTheClusterOfItsProvider has the same set and the same chart in every language, by the option provider of the components.
// The default provider is for the cluster of the stories. Where a program can transform children, their objects are resources of their own first.
func TestASetIsInTheClusterOfItsProvider(t *testing.T) { // [M17] [M22] [H8]
	t.Parallel()
	other := cluster.ForTest(t, cluster.Options{ControllerManager: true})
	for language, c := range map[string]struct {
		programs      *installation
		runtime, main string // of Pulumi.yaml, and the program's file
		source        string
		moves         bool // its program moves an object from a resource of its own into the set
	}{
		"nodejs": {&nodePrograms, "nodejs", "index.ts", "set.ts", true},
		"python": {&pythonPrograms, "{name: python, options: {virtualenv: ../venv}}", "__main__.py", "set.py", true},
		"go":     {&goPrograms, "go", "main.go", "set.go.txt", false},
		"java":   {&javaPrograms, "{name: java, options: {binary: ../set.jar}}", "Set.java", "Set.java", false},
	} {
		t.Run(language, func(t *testing.T) {
			selected(t, language)
			t.Parallel()
			p, home, space := c.programs.get(t), workloads.Get(t), "set-in-"+language
			set := project{dir: p.path("set"), env: append(slices.Clip(p.env),
				"PATH="+strangerPath("hosts")+string(os.PathListSeparator)+strangerPath("bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
				"PULUMI_BACKEND_URL=file://"+filepath.ToSlash(t.TempDir()), "KUBECONFIG="+home.KubeconfigFile(),
				"OTHER="+other.KubeconfigFile(), "SPACE="+space, "GOGC=off", "GOMEMLIMIT=400MiB")}
			set.write(t, "Pulumi.yaml", fmt.Sprintf("name: set\nruntime: %s\n", c.runtime))
			set.write(t, c.main, program(t, c.source))
			for file, text := range setChart {
				set.write(t, filepath.Join("web", file), text)
			}
			shell := func(command string) string { return set.run(t, "bash", "-c", command) }
			shell("pulumi stack init dev")

			uid := func() types.UID {
				settings, err := other.Client().CoreV1().ConfigMaps(space).Get(t.Context(), "settings", metav1.GetOptions{})
				require.NoError(t, err)
				return settings.UID
			}
			if c.moves {
				shell("FORMER=now pulumi up")
				former := uid()
				assert.NotContains(t, shell("pulumi preview --diff"), "KubeObject: (delete)")
				shell("pulumi up")
				assert.Equal(t, former, uid(), "the object moved into the set")
			} else {
				shell("pulumi up")
			}
			assert.NotEmpty(t, uid())
			password := func() []byte {
				auth, err := other.Client().CoreV1().Secrets(space).Get(t.Context(), "web-auth", metav1.GetOptions{})
				require.NoError(t, err)
				assert.Equal(t, "red", string(auth.Data["color"]))
				return auth.Data["password"]
			}
			drawn := password()
			assert.Len(t, drawn, 16)
			_, err := home.Client().CoreV1().Namespaces().Get(t.Context(), space, metav1.GetOptions{})
			assert.True(t, apierrors.IsNotFound(err), "%v", err)
			shell("pulumi preview --expect-no-changes")
			shell("pulumi up")
			assert.Equal(t, drawn, password(), "it is not drawn again")
			shell("pulumi destroy")
			_, err = other.Client().CoreV1().Namespaces().Get(t.Context(), space, metav1.GetOptions{})
			assert.True(t, apierrors.IsNotFound(err), "%v", err)
		})
	}
}
