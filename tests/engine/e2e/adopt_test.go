package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// kubectl runs kubectl as the administrator, with a text as its input.
func kubectl(t testing.TB, c *cluster.Cluster, input string, args ...string) string {
	t.Helper()
	path, err := cluster.Tool("kubectl")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), path, append([]string{"--kubeconfig=" + c.KubeconfigFile()}, args...)...)
	cmd.Env = []string{"HOME=" + tools.Home}
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// sh runs a command line of kubectl as an administrator pastes it, pipes included.
func sh(t testing.TB, c *cluster.Cluster, line string) {
	t.Helper()
	path, err := cluster.Tool("kubectl")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Env = []string{"HOME=" + tools.Home, "KUBECONFIG=" + c.KubeconfigFile(), "PATH=" + filepath.Dir(path) + ":" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestAdopt(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "apps/v1/Deployment/" + space + "/legacy"
	kubectl(t, c, replaceAll(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: legacy, namespace: SPACE, labels: {app: legacy, obsolete: "yes"}}
spec:
  replicas: 1
  selector: {matchLabels: {app: legacy}}
  template:
    metadata: {labels: {app: legacy}}
    spec:
      terminationGracePeriodSeconds: 7
      containers:
        - {name: main, image: "nginx:1", env: [{name: OLD, value: "1"}, {name: KEPT, value: "1"}]}
        - {name: obsolete, image: "busybox:1"}
`, "SPACE", space), "apply", "-f", "-")
	k.apply(t, id, "other-team", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: legacy, annotations: {example.com/team: other}}}`)
	before := k.get(t, id)
	manifest := replaceAll(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: legacy, namespace: SPACE, labels: {app: legacy}},
      spec: {replicas: 2, selector: {matchLabels: {app: legacy}}, template: {metadata: {labels: {app: legacy}}, spec: {containers: [
      {name: main, image: "nginx:1", env: [{name: KEPT, value: "1"}]}]}}}}`, "SPACE", space)

	step(t, "an object that exists is refused, with the line that imports it [O8]", func(t *testing.T) {
		s.declare(t, manifest, "", "")
		for _, out := range []string{s.previewFails(t), s.upFails(t)} {
			assert.Contains(t, out, "already exists")
			assert.Contains(t, out, "adopt: true")
			assert.Regexp(t, `pulumi import k8sconnect:index:KubeObject \S+ '`+regexp.QuoteMeta(id)+`'`, out)
		}
		assert.Empty(t, s.export(t).resources)
		assert.Equal(t, before.GetGeneration(), k.get(t, id).GetGeneration())
		assert.Equal(t, before.GetManagedFields()[0].FieldsV1, k.get(t, id).GetManagedFields()[0].FieldsV1)
	})
	step(t, "a preview says that it will be adopted and writes nothing [O11]", func(t *testing.T) {
		s.declare(t, manifest, "adopt: true", "")
		out := s.preview(t)
		assert.Contains(t, out, "will be adopted")
		assert.Regexp(t, `kubectl-client-side-apply applied these fields and the manifest does not set them\. Adopting the object removes them or resets them to their defaults:\n`+
			`\s+metadata\.labels\.obsolete: "yes" -> nothing\n`+
			`\s+spec\.template\.spec\.containers\[name=main\]\.env\[name=OLD\]\.value: "1" -> nothing\n`+
			`(\s+spec\.template\.spec\.containers\[name=obsolete\]\S+: .* -> nothing\n)+`+
			`\s+spec\.template\.spec\.terminationGracePeriodSeconds: 7 -> 30\n`, out)
		assert.Equal(t, before.GetGeneration(), k.get(t, id).GetGeneration())
	})
	step(t, "adopt takes it over [O11]", func(t *testing.T) {
		s.up(t)
		live := k.get(t, id)
		assert.Equal(t, before.GetUID(), live.GetUID())
		assert.Equal(t, string(before.GetUID()), s.export(t).get(t, "object").uid())
		assert.Equal(t, id, s.export(t).get(t, "object").ID)
		assert.Equal(t, int64(2), at(live.Object, "spec", "replicas"))
	})
	step(t, "what kubectl had applied and the manifest lacks is removed [O11]", func(t *testing.T) {
		live := k.get(t, id)
		assert.Equal(t, map[string]string{"app": "legacy"}, live.GetLabels())
		pod := at(live.Object, "spec", "template", "spec")
		assert.Len(t, at(pod, "containers"), 1)
		assert.Len(t, at(pod, "containers", 0, "env"), 1)
		assert.Equal(t, int64(30), at(pod, "terminationGracePeriodSeconds"), "back to the default")
		for _, entry := range live.GetManagedFields() {
			assert.NotContains(t, entry.Manager, "kubectl")
		}
	})
	step(t, "fields of other managers stay [O11]", func(t *testing.T) {
		assert.Equal(t, "other", k.get(t, id).GetAnnotations()["example.com/team"])
	})
	step(t, "the next preview is empty, with adopt and without [O11]", func(t *testing.T) {
		s.previewEmpty(t)
		s.declare(t, manifest, "", "")
		s.previewEmpty(t)
		s.up(t, "--expect-no-changes")
	})
	step(t, "it is destroyed like any other [O11]", func(t *testing.T) {
		s.destroy(t)
		k.gone(t, id)
		assert.Empty(t, s.export(t).resources)
	})
}

func TestAdoptNotOurs(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	first, second := newStack(t), newStack(t)
	id := "v1/ConfigMap/" + space + "/taken"
	first.program(t, configMap("owner", "taken", space))
	first.up(t)
	before := k.get(t, id)
	const manifest = `{apiVersion: v1, kind: ConfigMap, metadata: {name: taken, namespace: SPACE}, data: {a: "2"}}`

	for name, properties := range map[string]string{"without adopt": "", "with adopt": "adopt: true"} {
		t.Run("what another stack manages is refused "+name+" [O9]", func(t *testing.T) {
			second.declare(t, replaceAll(manifest, "SPACE", space), properties, "")
			for _, out := range []string{second.previewFails(t), second.upFails(t)} {
				assert.Contains(t, out, `managed by the KubeObject "owner"`)
				assert.Contains(t, out, first.project)
			}
			assert.Empty(t, second.export(t).resources)
			assert.Equal(t, before.GetResourceVersion(), k.get(t, id).GetResourceVersion())
		})
	}

	t.Run("an object that is not there is created, adopt or not [O11]", func(t *testing.T) {
		s := newStack(t)
		s.declare(t, replaceAll(manifest, "SPACE", space, "taken", "fresh"), "adopt: true", "")
		assert.NotContains(t, s.preview(t), "adopted")
		s.up(t)
		k.get(t, "v1/ConfigMap/"+space+"/fresh")
		s.previewEmpty(t)
	})

	t.Run("adoption under conflictPolicy fail takes no field from others [O11, O33]", func(t *testing.T) {
		s := newStack(t)
		id := "v1/ConfigMap/" + space + "/disputed"
		k.apply(t, id, "other-team", `{apiVersion: v1, kind: ConfigMap, metadata: {name: disputed}, data: {a: "theirs", b: "theirs"}}`)
		before := k.get(t, id)
		s.declare(t, replaceAll(manifest, "SPACE", space, "taken", "disputed"), "adopt: true, conflictPolicy: fail", "")
		for _, out := range []string{s.previewFails(t), s.upFails(t)} {
			assert.Contains(t, out, `data.a: "theirs" -> "2" (owned by other-team)`)
		}
		assert.Empty(t, s.export(t).resources)
		assert.Equal(t, before.GetResourceVersion(), k.get(t, id).GetResourceVersion())
	})
}
