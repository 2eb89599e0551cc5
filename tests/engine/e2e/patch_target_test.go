package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// patchOf is one Patch of a program. target and properties are written in YAML, in one line or at
// the indentation of six.
func patchOf(resource, target, properties string) string {
	return fmt.Sprintf(`
  %s:
    type: k8sconnect:Patch
    properties:
      target: %s
      takeOwnership: true
      %s
`, resource, target, properties)
}

// targetConfigMap is the target of a Patch.
func targetConfigMap(space, name string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, namespace: %s, name: %s}", space, name)
}

// ours are the field managers of this provider on an object.
func (k *kube) ours(t testing.TB, id string) []string {
	t.Helper()
	var managers []string
	for _, entry := range k.get(t, id).GetManagedFields() {
		if strings.HasPrefix(entry.Manager, "k8sconnect-") {
			managers = append(managers, entry.Manager)
		}
	}
	return managers
}

// oursIn are the fields that the only field manager of this provider has on an object.
func (k *kube) oursIn(t testing.TB, id string) string {
	t.Helper()
	var fields []string
	for _, entry := range k.get(t, id).GetManagedFields() {
		if strings.HasPrefix(entry.Manager, "k8sconnect-") {
			fields = append(fields, string(entry.FieldsV1.GetRawBytes()))
		}
	}
	require.Len(t, fields, 1)
	return fields[0]
}

// handBack destroys a stack whose Patches are of these objects. It wants that every object is as
// it was right before, that nothing says any more that we were there, and that the state is empty.
func (s *stack) handBack(t *testing.T, k *kube, ids ...string) {
	t.Helper()
	before := map[string]map[string]any{}
	for _, id := range ids {
		eventually(t, id+" is as its controller leaves it", func() bool {
			live := k.get(t, id)
			observed, reported, _ := unstructured.NestedInt64(live.Object, "status", "observedGeneration")
			return !reported || observed == live.GetGeneration()
		})
		before[id] = valuesOf(k.get(t, id).Object)
	}
	s.destroy(t)
	assert.Empty(t, s.export(t).resources)
	for _, id := range ids {
		assert.Equal(t, before[id], valuesOf(k.get(t, id).Object), "a destroy changes no value of %s", id)
		assert.Empty(t, k.ours(t, id), "a manager of ours is left on %s", id)
	}
}

// valuesOf is an object without what the API server keeps the books in, and without what
// controllers report.
func valuesOf(object map[string]any) map[string]any {
	values := map[string]any{}
	object = runtime.DeepCopyJSON(object)
	// A controller counts the revisions of a Deployment, and may not have come to the last one yet.
	unstructured.RemoveNestedField(object, "metadata", "annotations", "deployment.kubernetes.io/revision")
	for key, value := range object {
		if metadata, ok := value.(map[string]any); ok && key == "metadata" {
			kept := map[string]any{}
			for name, value := range metadata {
				if name != "managedFields" && name != "resourceVersion" {
					kept[name] = value
				}
			}
			value = kept
		}
		if key != "status" {
			values[key] = value
		}
	}
	return values
}

// applyAs applies a manifest as kubectl does by server-side apply, as a manager who takes nothing
// from others unless a flag says so.
func applyAs(t testing.TB, c *cluster.Cluster, manager, manifest string, flags ...string) {
	t.Helper()
	kubectl(t, c, manifest, append([]string{"apply", "--server-side", "--field-manager=" + manager, "-f", "-"}, flags...)...)
}

// applyRefused applies likewise, and wants that it is refused since others own some of the fields.
func applyRefused(t testing.TB, c *cluster.Cluster, manager, manifest string) string {
	t.Helper()
	path, err := cluster.Tool("kubectl")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), path, "--kubeconfig="+c.KubeconfigFile(), "apply", "--server-side", "--field-manager="+manager, "-f", "-")
	cmd.Env = []string{"HOME=" + tools.Home}
	cmd.Stdin = strings.NewReader(manifest)
	out, err := cmd.CombinedOutput()
	require.Error(t, err, string(out))
	require.Contains(t, string(out), "conflict")
	return string(out)
}

// writesOf are the requests since the mark that changed an object, whoever sent them.
func writesOf(t testing.TB, c *cluster.Cluster, mark cluster.AuditMark, name string) cluster.Requests {
	t.Helper()
	requests, err := c.RequestsSince(mark)
	require.NoError(t, err)
	return requests.Where(func(r cluster.Request) bool { return isWriteOf(r, name) && r.Code < http.StatusBadRequest })
}

// keysOf are the keys of a map in the state, in order.
func keysOf(value any) []string {
	tree, _ := value.(map[string]any)
	return slices.Sorted(maps.Keys(tree))
}
