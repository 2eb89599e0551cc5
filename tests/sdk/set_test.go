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

// TestASetIsInTheClusterOfItsProvider has the same set in every language, by the option provider of the component. The default
// provider is for the cluster of the stories. Where a program can transform children, their objects are resources of their own first.
func TestASetIsInTheClusterOfItsProvider(t *testing.T) { // [M17] [M22]
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
			_, err := home.Client().CoreV1().Namespaces().Get(t.Context(), space, metav1.GetOptions{})
			assert.True(t, apierrors.IsNotFound(err), "%v", err)
			shell("pulumi preview --expect-no-changes")
			shell("pulumi destroy")
			_, err = other.Client().CoreV1().Namespaces().Get(t.Context(), space, metav1.GetOptions{})
			assert.True(t, apierrors.IsNotFound(err), "%v", err)
		})
	}
}
