package rpc_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type m = map[string]any

// patchKinds are the inputs of which a Patch has exactly one.
var patchKinds = []string{"patch", "jsonPatch", "mergePatch"}

// eachKind runs a test for each kind of patch, in parallel.
func eachKind(t *testing.T, name string, test func(t *testing.T, kind string)) {
	t.Helper()
	for _, kind := range patchKinds {
		t.Run(kind+": "+name, func(t *testing.T) {
			t.Parallel()
			test(t, kind)
		})
	}
}

// patching is what a program gives to a Patch.
func patching(target map[string]any, more ...map[string]any) resource.PropertyMap {
	inputs := m{"target": refTo(target), "takeOwnership": true}
	for _, further := range more {
		maps.Copy(inputs, further)
	}
	return resource.NewPropertyMapFromMap(inputs)
}

// setting is a patch of a kind that sets the leaves of a tree of maps, all of which exist on the target.
func setting(kind string, tree map[string]any) map[string]any {
	if kind != "jsonPatch" {
		return m{kind: tree}
	}
	return m{kind: operations(nil, tree)}
}

func operations(above []string, tree map[string]any) []any {
	var all []any
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		path := append(slices.Clip(above), pointerEscape.Replace(key))
		if below, ok := tree[key].(map[string]any); ok {
			all = append(all, operations(path, below)...)
			continue
		}
		all = append(all, m{"op": "add", "path": "/" + strings.Join(path, "/"), "value": tree[key]})
	}
	return all
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// shownAt is where the diff shows the one leaf of a patch of [setting].
func shownAt(kind, path string) string {
	if kind == "jsonPatch" {
		return "jsonPatch[0].value"
	}
	return kind + "." + path
}

// data is a part of a ConfigMap.
func data(keysAndValues ...any) map[string]any {
	values := m{}
	for i := 0; i < len(keysAndValues); i += 2 {
		values[keysAndValues[i].(string)] = keysAndValues[i+1]
	}
	return m{"data": values}
}

// patched adds a Patch to the stack. Whenever it is destroyed, and at the end of the test it is, nothing may be left of
// it but the values.
func patched(t testing.TB, w world, p *process, name string) *session {
	t.Helper()
	s := &session{t: t, process: p, urn: urnOfType(patchType, name)}
	s.destroying = func(s *session) func(error) { return w.handedBack(s) }
	t.Cleanup(func() {
		if s.id == "" || t.Failed() {
			return
		}
		s.t = lasting{t}
		s.destroying = func(s *session) func(error) { return world{s.t, w.client, w.namespace}.handedBack(s) }
		s.in(start(s.t, inline(shared.Get(t).Admin())))
		s.inputs = s.inputs.Copy()
		delete(s.inputs, "clusterConnection")
		require.NoError(t, s.destroy())
	})
	return s
}

// lasting is a test with a context that outlives it, for what is done when it has ended.
type lasting struct{ testing.TB }

func (lasting) Context() context.Context { return context.Background() }

// handedBack looks at the target of a Patch before it is destroyed, and then proves that the destroy left every value as
// it was, and no field manager of the Patch. What it cannot find has nothing to be proven of.
func (w world) handedBack(s *session) func(error) {
	w.t.Helper()
	target, _ := plain(s.inputs["target"]).(map[string]any)
	before, manager := w.find(target), patchManager(s.urn)
	if known := at(w.t, s.outputs, "__fieldManager"); known != nil {
		assert.Equal(w.t, manager, known)
	}
	return func(err error) {
		w.t.Helper()
		if before == nil {
			return
		}
		after := w.find(target)
		require.NotNil(w.t, after, "a destroy never deletes")
		assert.Equal(w.t, substanceOf(before), substanceOf(after), "values stay")
		if err != nil {
			return
		}
		for _, entry := range after.GetManagedFields() {
			assert.NotEqual(w.t, manager, entry.Manager, "nothing is owned by the Patch any more")
		}
		assert.Equal(w.t, len(before.GetManagedFields()) > 0, len(after.GetManagedFields()) > 0, "without any entry all ownership is forgotten")
	}
}

// patchManager is the field manager of a Patch.
func patchManager(urn resource.URN) string {
	sum := sha256.Sum256([]byte(urn))
	readable, hash := "k8sconnect-patch-shop.dev."+urn.Name(), "-"+hex.EncodeToString(sum[:])[:8]
	return readable[:min(len(readable), 128-len(hash))] + hash
}

// find is the target of a Patch; nil if there is none.
func (w world) find(target map[string]any) *unstructured.Unstructured {
	w.t.Helper()
	kind, _ := target["kind"].(string)
	name, _ := target["name"].(string)
	if namespace, ok := target["namespace"].(string); ok {
		w.namespace = namespace
	}
	if _, ok := resources[kind]; !ok || name == "" {
		return nil
	}
	live, err := w.objects(kind).Get(w.t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(w.t, err)
	return live
}

// substanceOf is an object without what changes with its managers.
func substanceOf(live *unstructured.Unstructured) map[string]any {
	bare := live.DeepCopy()
	bare.SetManagedFields(nil)
	bare.SetResourceVersion("")
	return bare.Object
}

// ownedBy is what a Patch owns on an object, as the API server writes it; "" without an entry.
func (w world) ownedBy(s *session, kind, name string) string {
	w.t.Helper()
	var owned []string
	for _, entry := range w.get(kind, name).GetManagedFields() {
		if entry.Manager == patchManager(s.urn) {
			owned = append(owned, entry.FieldsV1.GetRawString())
		}
	}
	require.LessOrEqual(w.t, len(owned), 1, "one entry is enough")
	return strings.Join(owned, "")
}

// applies is a server-side apply that takes nothing by force.
func (w world) applies(manager string, object map[string]any) error {
	w.t.Helper()
	kind, _ := object["kind"].(string)
	_, err := w.objects(kind).Apply(w.t.Context(), name(object), &unstructured.Unstructured{Object: object},
		metav1.ApplyOptions{FieldManager: manager})
	return err
}

// version is an object's resourceVersion, which moves with every write.
func (w world) version(kind, name string) string {
	w.t.Helper()
	return w.get(kind, name).GetResourceVersion()
}

// owner is one entry of an output that says who owns what.
func owner(t testing.TB, s *session, output, path string) any {
	t.Helper()
	owners, ok := plain(s.outputs[resource.PropertyKey(output)]).(map[string]any)
	require.True(t, ok, "%s is a map", output)
	return owners[path]
}

// previewed is a preview that must succeed and do this.
func (s *session) previewed(want string, program resource.PropertyMap) resource.PropertyMap {
	s.t.Helper()
	did, outputs, err := s.preview(program)
	require.NoError(s.t, err)
	require.Equal(s.t, want, did)
	return outputs
}

// refusedBoth wants the same refusal in the preview and in the run, and nothing written or saved.
func refusedBoth(t testing.TB, w world, s *session, in resource.PropertyMap, kind, name string, says ...string) {
	t.Helper()
	before, kept := w.version(kind, name), s.stored
	_, _, err := s.preview(in)
	for range 2 {
		require.Error(t, err)
		assert.False(t, isInitError(err))
		for _, text := range says {
			assert.ErrorContains(t, err, text)
		}
		_, err = s.up(in)
	}
	assert.Equal(t, before, w.version(kind, name), "nothing was written")
	assert.Equal(t, kept, s.stored)
}

func isInitError(err error) bool {
	return reasons(err) != nil
}

// requirePatchPending proves that a patch failed in the way that saves its state and blocks dependents.
func requirePatchPending(t testing.TB, s *session, err error) {
	t.Helper()
	var failed *plugin.InitError
	require.ErrorAs(t, err, &failed)
	require.Len(t, failed.Reasons, 1)
	require.Contains(t, failed.Reasons[0], "the next `pulumi up` finds out and continues")
	require.Equal(t, true, at(t, s.outputs, "__pendingPatch"))
	require.NotEmpty(t, s.id)
	require.NotEmpty(t, at(t, s.outputs, "resourceRef.name"))
	require.True(t, s.refresh, "it is read before the next update")
}

func requirePatched(t testing.TB, s *session) {
	t.Helper()
	require.Nil(t, at(t, s.outputs, "__pendingPatch"))
	require.Nil(t, at(t, s.outputs, "__pendingWait"))
	require.NotEmpty(t, at(t, s.outputs, "resourceRef.uid"))
	require.NotEmpty(t, at(t, s.outputs, "__appliedHash"))
	require.Equal(t, patchManager(s.urn), at(t, s.outputs, "__fieldManager"))
	require.Empty(t, s.initErrors)
}
