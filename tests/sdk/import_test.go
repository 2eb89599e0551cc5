package sdk_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

func TestAnImportGoesOnInTypeScript(t *testing.T) { // [M60]
	selected(t, "nodejs")
	t.Parallel()
	first := nodePrograms.get(t)
	p := importingProject(t, first, "nodejs\n")
	p.write(t, "package.json", `{"main": "index.ts"}`)
	require.NoError(t, os.Symlink(first.path("node_modules"), p.path("node_modules")))
	importAndGoOn(t, p, "index.ts", "});", "}, { retainOnDelete: true });")
}

func TestAnImportGoesOnInPython(t *testing.T) { // [M60]
	selected(t, "python")
	t.Parallel()
	first := pythonPrograms.get(t)
	p := importingProject(t, first, "{name: python, options: {virtualenv: venv}}\n")
	require.NoError(t, os.Symlink(first.path("venv"), p.path("venv")))
	importAndGoOn(t, p, "__main__.py", "})", "}, opts=pulumi.ResourceOptions(retain_on_delete=True))")
}

// importingProject is an empty project beside the one in which the packed SDK is installed.
func importingProject(t *testing.T, first project, runtime string) project {
	t.Helper()
	p := project{dir: t.TempDir(), env: append(slices.Clip(first.env),
		"KUBECONFIG="+workloads.Get(t).KubeconfigFile(), "PULUMI_BACKEND_URL=file://"+filepath.ToSlash(t.TempDir()),
		"PATH="+strangerPath("hosts")+string(os.PathListSeparator)+strangerPath("bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GOGC=off", "GOMEMLIMIT=400MiB")}
	p.write(t, "Pulumi.yaml", "name: imported\nruntime: "+runtime)
	return p
}

// importAndGoOn imports a namespace, and goes on with the program that Pulumi has written. end is how a resource ends in
// it, and retained how one ends that a destroy leaves alone.
func importAndGoOn(t *testing.T, p project, file, end, retained string) {
	c := workloads.Get(t)
	space := c.Namespace(t)
	kubectl, err := cluster.Tool("kubectl")
	require.NoError(t, err)
	apply := exec.CommandContext(t.Context(), kubectl, "--kubeconfig", c.KubeconfigFile(), "--namespace", space, "apply", "-f", "-")
	apply.Stdin = strings.NewReader(`
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, labels: {color: blue}}, data: {app.conf: "a = \"${b}\"\nc = 'd'\n"}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, labels: {color: blue}}, spec: {ports: [{port: 80, targetPort: http}], selector: {app.kubernetes.io/name: web}}}
`)
	out, err := apply.CombinedOutput()
	require.NoError(t, err, "%s", out)
	// live is what stays the same of the objects, with their labels.
	live := func() (uids []types.UID, versions, colors []string) {
		settings, err := c.Client().CoreV1().ConfigMaps(space).Get(t.Context(), "settings", metav1.GetOptions{})
		require.NoError(t, err)
		web, err := c.Client().CoreV1().Services(space).Get(t.Context(), "web", metav1.GetOptions{})
		require.NoError(t, err)
		return []types.UID{settings.UID, web.UID}, []string{settings.ResourceVersion, web.ResourceVersion},
			[]string{settings.Labels["color"], web.Labels["color"]}
	}
	uids, versions, _ := live()
	p.pulumi(t, "stack", "init", "dev")
	p.pulumi(t, "import", "--yes", "--skip-preview", "--protect=false", "--from", "k8sconnect", "--out", file, "--", "namespace", space)

	step(t, "a preview with the program is empty, and nothing was written", func(t *testing.T) {
		p.pulumi(t, "preview", "--expect-no-changes")
		_, now, _ := live()
		assert.Equal(t, versions, now)
	})
	step(t, "an update changes one field", func(t *testing.T) {
		text, err := os.ReadFile(p.path(file))
		require.NoError(t, err)
		require.Equal(t, 2, strings.Count(string(text), "blue"), string(text))
		p.write(t, file, strings.ReplaceAll(string(text), "blue", "green"))
		p.pulumi(t, "up", "--yes", "--skip-preview")
		same, _, colors := live()
		assert.Equal(t, uids, same)
		assert.Equal(t, []string{"green", "green"}, colors)
		p.pulumi(t, "preview", "--expect-no-changes")
	})
	step(t, "and with retainOnDelete, destroy gives them back", func(t *testing.T) {
		text, err := os.ReadFile(p.path(file))
		require.NoError(t, err)
		require.Equal(t, 2, strings.Count(string(text), end+"\n"), string(text))
		p.write(t, file, strings.ReplaceAll(string(text), end+"\n", retained+"\n"))
		p.pulumi(t, "up", "--yes", "--skip-preview")
		p.pulumi(t, "destroy", "--yes", "--skip-preview")
		same, _, _ := live()
		assert.Equal(t, uids, same)
	})
}
