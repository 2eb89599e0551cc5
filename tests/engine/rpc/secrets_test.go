package rpc_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

var (
	definitions  = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	boxes        = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "boxes"}
	boxesDefined sync.Once
)

func init() { resources["Box"] = boxes }

// defineBox makes a kind whose objects hold anything, and a keyed list.
func defineBox(t testing.TB) {
	t.Helper()
	boxesDefined.Do(func() { define(t, "Box", "boxes") })
}

func define(t testing.TB, kind, plural string) {
	t.Helper()
	client, err := dynamic.NewForConfig(shared.Get(t).RESTConfig())
	require.NoError(t, err)
	definition := object(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[2]s.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: %[1]s, plural: %[2]s, singular: %[3]s, listKind: %[1]sList}
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
            x-kubernetes-preserve-unknown-fields: true
            properties:
              items:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  x-kubernetes-preserve-unknown-fields: true
                  properties: {name: {type: string}, v: {type: string}}
`, kind, plural, strings.ToLower(kind))
	_, err = client.Resource(definitions).Create(t.Context(), &unstructured.Unstructured{Object: definition}, metav1.CreateOptions{})
	require.NoError(t, err)
	served := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: plural}
	eventually(t, func() bool {
		_, err := client.Resource(served).List(t.Context(), listAll)
		return err == nil
	}, "the kind is served")
}

func (w world) box(name string, spec any) map[string]any {
	return map[string]any{
		"apiVersion": "example.com/v1", "kind": "Box",
		"metadata": map[string]any{"name": name, "namespace": w.namespace},
		"spec":     spec,
	}
}

const hush = "hunter2-hunter2"

func TestSecretsAtEveryDepth(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	defineBox(t)
	g := newGateway(t)
	p := start(t, g.connection())
	for depth := 1; depth <= 20; depth++ {
		t.Run(fmt.Sprintf("a secret leaf %d levels deep stays secret, and it alone [O78]", depth), func(t *testing.T) {
			t.Parallel()
			nest := func(leaf, sibling any) map[string]any {
				v := map[string]any{"leaf": leaf, "clear": sibling}
				for i := range depth - 1 {
					v = map[string]any{"below": v, fmt.Sprintf("clear%d", i): "readable"}
				}
				return v
			}
			path := "spec" + strings.Repeat(".below", depth-1) + ".leaf"
			name := fmt.Sprintf("deep-%d", depth)
			in := program(w.box(name, nest(secret(hush), "one")))
			s := p.resource(t, name)
			check := func(where string) {
				t.Helper()
				requireHidden(t, s)
				require.Equal(t, []string{path}, secretLeaves(s.outputs["manifest"]), where)
				require.Equal(t, hush, at(t, s.outputs, "manifest."+path), where)
			}
			_, outputs, err := s.preview(in)
			require.NoError(t, err)
			require.Equal(t, []string{path}, secretLeaves(outputs["manifest"]), "preview")
			s.mustUp("create", in)
			check("create")
			s.mustRead()
			check("read")
			s.mustUp("update", program(w.box(name, nest(secret(hush), "two"))))
			check("update")
			// Someone reads it, writes it elsewhere, and the program forgets that it was secret: the state does not.
			w.patch("Box", name, map[string]any{"spec": nest("other-"+hush, "two")})
			s.mustRead()
			requireHidden(t, s)
			diff, err := s.diff(program(w.box(name, nest(secret(hush), "two"))))
			require.NoError(t, err)
			require.Equal(t, map[string]string{"manifest." + path: "update"}, kinds(t, diff))
			// What was applied is remembered while there is drift, and is secret too.
			require.Contains(t, secretLeaves(s.outputs["__appliedProjection"]), path)
		})
	}
}

func TestSecretsInListsAndKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	defineBox(t)
	p := start(t, inline(newUser(t)))
	item := func(name, v any) map[string]any { return map[string]any{"name": name, "v": v} }

	t.Run("a secret in a keyed list whose order differs live [O78]", func(t *testing.T) {
		in := program(w.box("list", map[string]any{"items": []any{item("a", "x"), item("b", secret(hush)), item("c", "y")}}))
		s := p.resource(t, "list").mustUp("create", in)
		w.jsonPatch("Box", "list",
			map[string]any{"op": "move", "from": "/spec/items/1", "path": "/spec/items/0"},
			map[string]any{"op": "add", "path": "/spec/items/0", "value": item("foreign", "z")})
		s.mustRead()
		requireHidden(t, s)
		assert.Equal(t, []string{"spec.items[1].v"}, secretLeaves(s.outputs["manifest"]), "in the order of the program")
		assert.Empty(t, s.mustDiff(in))
		turned := program(w.box("list", map[string]any{"items": []any{item("b", secret(hush)), item("c", "y"), item("a", "new")}}))
		s.mustUp("update", turned)
		requireHidden(t, s)
		require.Len(t, secretLeaves(s.outputs["manifest"]), 1)
		s.mustUp("same", turned)
	})
	t.Run("an atomic list with a secret item is secret as a whole [O78]", func(t *testing.T) {
		in := program(w.box("atomic", map[string]any{"args": []any{"one", secret(hush), "three"}}))
		s := p.resource(t, "atomic").mustUp("create", in)
		w.patch("Box", "atomic", map[string]any{"spec": map[string]any{"args": []any{hush, "one"}}})
		s.mustRead()
		requireHidden(t, s)
		s.mustUp("update", in)
		requireHidden(t, s)
	})
	t.Run("a secret map hides its keys too [O78]", func(t *testing.T) {
		in := program(w.configMap("map", nil))
		in["manifest"].ObjectValue()["data"] = secret(map[string]any{hush: "x", "b": "y"})
		s := p.resource(t, "map").mustUp("create", in)
		requireHidden(t, s)
		w.patch("ConfigMap", "map", map[string]any{"data": map[string]any{hush: "drift"}})
		assert.Equal(t, map[string]string{"manifest.data": "update"}, s.mustRead().mustDiff(in))
		other := program(w.configMap("map", nil))
		other["manifest"].ObjectValue()["data"] = secret(map[string]any{"b": "y", hush + "2": "z"})
		s.mustUp("update", other)
		requireHidden(t, s)
	})
	t.Run("a secret key of a keyed list [O78]", func(t *testing.T) {
		in := program(w.box("key", map[string]any{"items": []any{item("a", "x"), item(secret(hush), "y")}}))
		s := p.resource(t, "key").mustUp("create", in)
		w.jsonPatch("Box", "key", map[string]any{"op": "replace", "path": "/spec/items/1/v", "value": "drift"})
		assert.NotEmpty(t, s.mustRead().mustDiff(in))
		requireHidden(t, s)
	})
	t.Run("a whole manifest that is secret, as object and as yaml [O78]", func(t *testing.T) {
		for _, in := range []resource.PropertyMap{
			{"manifest": secret(w.configMap("whole", map[string]any{"a": hush}))},
			{"yaml": secret(fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: whole, namespace: %s}, data: {a: %s}}", w.namespace, hush))},
		} {
			s := p.resource(t, "whole").mustUp("create", in)
			requireHidden(t, s)
			s.mustUp("same", in)
			w.patch("ConfigMap", "whole", map[string]any{"data": map[string]any{"a": "other" + hush}})
			assert.Equal(t, map[string]string{"manifest": "update"}, s.mustRead().mustDiff(in))
			requireHidden(t, s)
			require.NoError(t, s.destroy())
		}
	})
}

func TestSecretsAreNotQuoted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))
	quoted := func(t *testing.T, manifest map[string]any) {
		t.Helper()
		s := p.resource(t, "quoted")
		_, _, err := s.preview(program(manifest))
		require.Error(t, err)
		require.Error(t, s.create(program(manifest)))
		requireHidden(t, s)
	}
	t.Run("by a 422 that echoes a label's value [O78] [C16]", func(t *testing.T) {
		manifest := w.configMap("quoted", nil)
		manifest["metadata"].(map[string]any)["labels"] = map[string]any{"l": secret(hush + " not a label")}
		quoted(t, manifest)
	})
	t.Run("by a 422 that echoes a key [O78]", func(t *testing.T) {
		manifest := w.configMap("quoted", nil)
		manifest["data"] = secret(map[string]any{hush + "/not a key": "x"})
		quoted(t, manifest)
	})
	t.Run("by an answer to a Secret that is not base64 [O79]", func(t *testing.T) {
		quoted(t, object(t, "{apiVersion: v1, kind: Secret, metadata: {name: quoted, namespace: %s}, data: {p: '%s!'}}", w.namespace, hush))
	})
	t.Run("by an unreadable secret yaml", func(t *testing.T) {
		s := p.resource(t, "quoted")
		_, err := s.check(resource.PropertyMap{"yaml": secret("a: " + hush + "\n b: [")}, false)
		require.Error(t, err)
		requireHidden(t, s)
	})
}

func TestKindSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))
	encoded := base64.StdEncoding.EncodeToString([]byte(hush))
	for what, body := range map[string]string{"data": "data: {p: " + encoded + "}", "stringData": "stringData: {p: " + hush + "}"} {
		t.Run(what+" of kind Secret is always secret [O79]", func(t *testing.T) {
			text := fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: %s}, %s}", w.namespace, body)
			for _, in := range []resource.PropertyMap{program(object(t, "%s", text)), {"yaml": resource.NewProperty(text)}} {
				s := p.resource(t, "s")
				s.previewed("create", in)
				s.mustUp("create", in)
				s.mustRead()
				w.patch("Secret", "s", map[string]any{"data": map[string]any{"p": encoded[:len(encoded)-4]}})
				s.mustRead().mustUp("update", in)
				require.NoError(t, s.destroy())
				requireHidden(t, s)
				assert.Empty(t, s.where(encoded[:len(encoded)-4]))
			}
		})
	}
	t.Run("after import too, and kubectl's copy is not taken along [O80]", func(t *testing.T) {
		w.create(object(t, `{apiVersion: v1, kind: Secret, metadata: {name: imported, namespace: %s, annotations: {
			kubectl.kubernetes.io/last-applied-configuration: '{"data":{"p":"%s"}}'}}, data: {p: %s}}`, w.namespace, encoded, encoded))
		s := p.resource(t, "imported")
		require.NoError(t, s.importID("v1/Secret/"+w.namespace+"/imported"))
		requireHidden(t, s)
		assert.Equal(t, []string{"data.p"}, secretLeaves(s.inputs["manifest"]))
		assert.Equal(t, []string{"data.p"}, secretLeaves(s.outputs["manifest"]))
		in := s.inputs
		s.mustRead()
		requireHidden(t, s)
		s.mustUp("same", in)
	})
}
