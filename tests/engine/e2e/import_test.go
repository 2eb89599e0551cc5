package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestImport(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)

	for _, object := range []struct{ name, id, program string }{
		{
			"a namespaced object", "apps/v1/Deployment/" + space + "/web", workload,
		}, {
			"a cluster-scoped object", "rbac.authorization.k8s.io/v1/ClusterRole/imported:" + space, `
resources:
  role:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRole
        metadata: {name: "imported:%s"}
        rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]
`,
		},
	} {
		t.Run(object.name+" is imported into a second stack, whose next preview is empty [O65]", func(t *testing.T) {
			first, second := newStack(t), newStack(t)
			first.program(t, object.program, space)
			first.up(t)
			before := k.get(t, object.id)

			generated := second.importResource(t, "taken", object.id)
			second.file(t, "Pulumi.yaml", "name: "+second.project+"\nruntime: yaml\n"+generated)
			r := second.export(t).get(t, "taken")
			assert.Equal(t, object.id, r.ID)
			assert.Equal(t, string(before.GetUID()), r.uid())
			second.previewEmpty(t)
			second.up(t, "--expect-no-changes")
			second.refresh(t, "--expect-no-changes")
			second.previewEmpty(t)
			assert.Equal(t, written(before), written(k.get(t, object.id)), "an import writes nothing")
			first.previewEmpty(t)
		})
	}

	t.Run("the resource option import takes a hand-written manifest [O65]", func(t *testing.T) {
		first, second := newStack(t), newStack(t)
		id := "v1/ConfigMap/" + space + "/optioned"
		first.program(t, configMap("one", "optioned", space))
		first.up(t)
		second.program(t, configMap("two", "optioned", space, "import: "+id))
		second.up(t)
		assert.Equal(t, string(k.get(t, id).GetUID()), second.export(t).get(t, "two").uid())
		second.previewEmpty(t)
		second.program(t, configMap("two", "optioned", space))
		second.previewEmpty(t)
	})

	t.Run("an object that is not there cannot be imported [O68]", func(t *testing.T) {
		s := newStack(t)
		id := "v1/ConfigMap/" + space + "/absent"
		out := s.runFails(t, "import", "k8sconnect:index:KubeObject", "absent", id, "--yes", "--skip-preview", "--generate-code=false")
		assert.Contains(t, out, "cannot read ConfigMap "+space+"/absent: not found (404)")
		assert.Contains(t, out, "check the name and the namespace")
		assert.Empty(t, s.export(t).resources)
		assert.Contains(t, s.runFails(t, "import", "k8sconnect:index:KubeObject", "absent", "nonsense", "--yes", "--skip-preview"),
			"apiVersion/kind")
	})

	t.Run("an imported Secret is secret in the state and in what is printed [O80]", func(t *testing.T) {
		first, second := newStack(t), newStack(t)
		id := "v1/Secret/" + space + "/imported"
		first.program(t, `
resources:
  secret:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: Secret
        metadata: {name: imported, namespace: %s}
        stringData: {password: swordfish-imported}
`, space)
		first.up(t)
		out := second.run(t, "import", "k8sconnect:index:KubeObject", "taken", id,
			"--yes", "--skip-preview", "--protect=false", "--generate-code=false")
		out += second.run(t, "refresh", "--preview-only", "--diff")
		second.refresh(t)
		encoded := "c3dvcmRmaXNoLWltcG9ydGVk"
		for place, text := range map[string]string{
			"export": second.export(t).text, "backend": second.everythingSaved(t), "output": out,
		} {
			assert.False(t, strings.Contains(text, "swordfish") || strings.Contains(text, encoded), "readable in the %s", place)
		}
		assert.JSONEq(t, `{"password": "`+encoded+`"}`,
			at(parseState(t, second.succeed(t, "stack", "export", "--show-secrets").stdout).
				get(t, "taken").Outputs, "manifest", "data", "plaintext").(string), "and it is there")
	})

	t.Run("the program that Pulumi writes for a Secret has it in clear text, and the import says so [D43]", func(t *testing.T) {
		s := newStack(t)
		_, id := k.make(t, "{apiVersion: v1, kind: Secret, metadata: {name: readable, namespace: "+space+"}, data: {password: c3dvcmRmaXNo}}")
		generated := filepath.Join(t.TempDir(), "generated.yaml")
		out := s.run(t, "import", "k8sconnect:index:KubeObject", "readable", id, "--yes", "--skip-preview", "--out="+generated)
		const warning = "Secret %s/readable is secret in the state, but the program that `pulumi import` writes has its data in clear text."
		_, diagnostics, _ := strings.Cut(out, "Diagnostics:")
		assert.Equal(t, 1, strings.Count(diagnostics, fmt.Sprintf(warning, space)), out)
		program, err := os.ReadFile(generated)
		require.NoError(t, err)
		assert.NotContains(t, string(program), "fn::secret", "Pulumi keeps the marks of secrets: the warning can go")
		assert.Contains(t, string(program), "password: c3dvcmRmaXNo", "Pulumi keeps the marks of secrets: the warning can go")
	})
}

// written is who has written an object, and when, but for its controllers.
func written(object *unstructured.Unstructured) []metav1.ManagedFieldsEntry {
	return slices.DeleteFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Subresource != "" || entry.Manager == "kube-controller-manager"
	})
}
