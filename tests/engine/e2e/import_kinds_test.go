package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const gadgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.imported.example.net}
spec:
  group: imported.example.net
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer}
              color: {type: string, default: red}
              anything: {type: object, x-kubernetes-preserve-unknown-fields: true}
              parts:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, required: [name], properties: {name: {type: string}, weight: {type: integer, default: 1}}}
`

// TestImportOfManyKinds takes over objects that someone made with kubectl create, all by one import, and goes on with
// the program that the import has written.
func TestImportOfManyKinds(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	_, definition := k.make(t, gadgets)
	t.Cleanup(func() { k.remove(t, definition) })
	eventually(t, "the custom kind is served", func() bool {
		k := kubeOf(t, c)
		client, _, err := k.locate("imported.example.net/v1/Gadget/" + space + "/none")
		if err != nil {
			return false
		}
		_, err = client.List(t.Context(), metav1.ListOptions{})
		return err == nil
	})
	k = kubeOf(t, c)
	text, err := readFile("testdata", "imported.yaml")
	require.NoError(t, err)
	ids := map[string]string{} // by resource name
	for document := range strings.SplitSeq(replaceAll(text, "NAMESPACE", space), "\n---\n") {
		kind, id := k.make(t, document)
		ids[strings.ToLower(kind)] = id
	}
	t.Cleanup(func() {
		for _, id := range ids {
			k.remove(t, id)
		}
	})

	var generated string
	step(t, "one import takes them all and writes a program [O65]", func(t *testing.T) {
		type entry struct {
			Type string `json:"type"`
			Name string `json:"name"`
			ID   string `json:"id"`
		}
		var list struct {
			Resources []entry `json:"resources"`
		}
		for name, id := range ids {
			list.Resources = append(list.Resources, entry{"k8sconnect:index:KubeObject", name, id})
		}
		content, err := json.Marshal(list)
		require.NoError(t, err)
		out := filepath.Join(t.TempDir(), "generated.yaml")
		s.run(t, "import", "--file="+s.file(t, "import.json", string(content)), "--out="+out, "--yes", "--skip-preview", "--protect=false")
		program, err := os.ReadFile(out)
		require.NoError(t, err)
		generated = string(program)
		state := s.export(t)
		for name, id := range ids {
			assert.Equal(t, string(k.get(t, id).GetUID()), state.get(t, name).uid(), name)
		}
	})
	continueWith := func(t *testing.T, program string) {
		t.Helper()
		s.file(t, "Pulumi.yaml", "name: "+s.project+"\nruntime: yaml\n"+program)
	}
	step(t, "with that program, the next preview is empty [O65]", func(t *testing.T) {
		continueWith(t, generated)
		assert.NotContains(t, s.previewEmpty(t), "(refresh)", "what was read again is what was imported")
		s.up(t, "--expect-no-changes")
	})
	step(t, "and an update changes them in place, what was changed and no more [O66]", func(t *testing.T) {
		before := map[string]*unstructured.Unstructured{}
		for name, id := range ids {
			before[name] = k.get(t, id)
		}
		require.GreaterOrEqual(t, strings.Count(generated, "color: blue"), len(ids))
		continueWith(t, strings.ReplaceAll(generated, "color: blue", "color: green"))
		s.preview(t)
		s.up(t)
		for name, id := range ids {
			live := k.get(t, id)
			assert.Equal(t, before[name].GetUID(), live.GetUID(), name)
			assert.Equal(t, "green", live.GetLabels()["color"], name)
			assert.Equal(t, without(before[name]), without(live), name)
		}
		s.previewEmpty(t)
		s.refresh(t, "--expect-no-changes")
		s.previewEmpty(t)
	})
	step(t, "and destroy removes them", func(t *testing.T) {
		s.destroy(t)
		for _, id := range ids {
			eventually(t, id+" is gone", func() bool { return k.find(t, id) == nil })
		}
	})
}

// without is an object without its label, and without what the API server and controllers write.
func without(object *unstructured.Unstructured) map[string]any {
	object = object.DeepCopy()
	for _, field := range []string{"labels", "managedFields", "resourceVersion", "generation"} {
		unstructured.RemoveNestedField(object.Object, "metadata", field)
	}
	delete(object.Object, "status")
	return object.Object
}

// make creates an object as kubectl create does, and returns its kind and ID.
func (k *kube) make(t testing.TB, manifest string) (kind, id string) {
	t.Helper()
	var object unstructured.Unstructured
	require.NoError(t, yaml.Unmarshal([]byte(manifest), &object.Object))
	id = object.GetAPIVersion() + "/" + object.GetKind()
	if namespace := object.GetNamespace(); namespace != "" {
		id += "/" + namespace
	}
	id += "/" + object.GetName()
	client, _ := k.must(t, id)
	_, err := client.Create(t.Context(), &object, metav1.CreateOptions{FieldManager: "kubectl-create"})
	require.NoError(t, err)
	return object.GetKind(), id
}
