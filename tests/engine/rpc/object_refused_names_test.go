package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The API server does not always name a field as the manifest does. What it refuses is still what the program has changed.

func TestARefusedFieldUnderAnotherName(t *testing.T) { // [D50] [O44]
	t.Parallel()
	w := newWorld(t)
	group := w.group()
	ruled := definitionOf(t, group, "Ruled", `{type: object, properties: {size: {type: integer}, m: {type: object, maxProperties: 5,
additionalProperties: {type: string, maxLength: 10, x-kubernetes-validations: [{rule: "self == oldSelf"}]}}}}`)
	schema := ruled["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
	schema["x-kubernetes-validations"] = []any{map[string]any{"rule": "self.spec.size >= oldSelf.spec.size", "message": "no shrinking"}}
	w.define(ruled)
	w.served(group, "Ruled")
	of := func(spec string) map[string]any { return custom(t, group, "Ruled", w.namespace, spec) }
	for name, c := range map[string]struct{ was, is map[string]any }{
		"of a CSIDriver": {
			object(t, `{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: %s.example.com}, spec: {attachRequired: true}}`, w.namespace),
			object(t, `{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: %s.example.com}, spec: {attachRequired: false}}`, w.namespace),
		},
		"of a PersistentVolume": {
			object(t, `{apiVersion: v1, kind: PersistentVolume, metadata: {name: %s}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: x, hostPath: {path: /a}}}`, w.namespace),
			object(t, `{apiVersion: v1, kind: PersistentVolume, metadata: {name: %s}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: x, hostPath: {path: /b}}}`, w.namespace),
		},
		"by a rule of the whole object":       {of(`{size: 3, m: {"0": a}}`), of(`{size: 2, m: {"0": a}}`)},
		"under a key that looks like a place": {of(`{size: 3, m: {"0": a}}`), of(`{size: 3, m: {"0": b}}`)},
	} {
		t.Run(name+" is one that the program has changed", func(t *testing.T) {
			replace := m{"onImmutable": "replace"}
			s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", program(c.was, replace))
			did, _, err := s.in(s.process.again(t)).preview(program(c.is, replace))
			require.NoError(t, err)
			assert.Equal(t, "replace", did)
		})
	}
}

// TestAChangeInARemovedItem is about a list item that was removed, with a change of the program in it, where the list must not grow.
func TestAChangeInARemovedItem(t *testing.T) { // [D50]
	t.Parallel()
	w := newWorld(t)
	group := w.group()
	w.define(definitionOf(t, group, "Items", `{type: object, x-kubernetes-validations: [{rule: "self.items.size() <= oldSelf.items.size()", message: "no growing"}],
properties: {rev: {type: string}, items: {type: array, maxItems: 10, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name],
items: {type: object, required: [name], properties: {name: {type: string}, v: {type: string}, u: {type: string}}}}}}`))
	w.served(group, "Items")
	kind := customKind(group, "Items")
	of := func(rev, v string) map[string]any {
		return custom(t, group, "Items", w.namespace, `{rev: "`+rev+`", items: [{name: a, v: "1"}, {name: b, v: "`+v+`", u: x}]}`)
	}
	s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", program(of("1", "1")))
	_, err := w.client.Resource(kind).Namespace(w.namespace).Patch(t.Context(), "it", types.JSONPatchType,
		[]byte(`[{"op": "remove", "path": "/spec/items/1"}]`), metav1.PatchOptions{FieldManager: "intern"})
	require.NoError(t, err)
	_, err = s.in(s.process.again(t)).up(program(of("2", "changed")))
	require.ErrorContains(t, err, "no growing", "what the program has changed is applied or refused")
	s.in(s.process.again(t)).mustUp("update", program(of("2", "1")))
	assert.Contains(t, s.warned(), "spec.items[name=b]", "what it has not is drift")
}
