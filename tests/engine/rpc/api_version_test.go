package rpc_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic"
)

// bulbs are the objects of a kind that is v1beta1 first, and gains v1 as its stored version later.
type bulbs struct {
	world
	t          *testing.T
	old, fresh string // the fields of spec in v1beta1 and in v1
}

func newBulbs(t *testing.T, old, fresh string) bulbs {
	t.Helper()
	b := bulbs{newWorld(t), t, old, fresh}
	definition := definitionOf(t, b.group(), "Bulb", sized)
	definition["spec"].(m)["versions"] = []any{b.version("v1beta1", true)}
	b.define(definition)
	eventually(t, func() bool { _, err := b.in("v1beta1").List(t.Context(), listAll); return err == nil }, "v1beta1 is served")
	return b
}

func (b bulbs) version(name string, stored bool) map[string]any {
	fields := b.old
	if name == "v1" {
		fields = b.fresh
	}
	return object(b.t, `{name: %s, served: true, storage: %t, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object,
		properties: {spec: {type: object, properties: %s}, status: {type: object, properties: {phase: {type: string}}}}}}}`, name, stored, fields)
}

// upgrade makes v1 the stored version.
func (b bulbs) upgrade() {
	b.t.Helper()
	body, err := json.Marshal(m{"spec": m{"versions": []any{b.version("v1", true), b.version("v1beta1", false)}}})
	require.NoError(b.t, err)
	_, err = b.client.Resource(definitions).Patch(b.t.Context(), "bulbs."+b.group(), types.MergePatchType, body, metav1.PatchOptions{})
	require.NoError(b.t, err)
	eventually(b.t, func() bool { _, err := b.in("v1").List(b.t.Context(), listAll); return err == nil }, "v1 is served")
}

func (b bulbs) in(version string) dynamic.ResourceInterface {
	return b.client.Resource(schema.GroupVersionResource{Group: b.group(), Version: version, Resource: "bulbs"}).Namespace(b.namespace)
}

func (b bulbs) bulb(version string, spec map[string]any) map[string]any {
	return m{"apiVersion": b.group() + "/" + version, "kind": "Bulb", "metadata": m{"name": "it", "namespace": b.namespace}, "spec": spec}
}

// controller writes a label and a status, as the operator of the kind in a version does.
func (b bulbs) controller(version string) {
	b.t.Helper()
	options := metav1.PatchOptions{FieldManager: "controller"}
	_, err := b.in(version).Patch(b.t.Context(), "it", types.MergePatchType, []byte(`{"metadata": {"labels": {"theirs": "`+version+`"}}}`), options)
	require.NoError(b.t, err)
	_, err = b.in(version).Patch(b.t.Context(), "it", types.MergePatchType, []byte(`{"status": {"phase": "`+version+`"}}`), options, "status")
	require.NoError(b.t, err)
}

func (b bulbs) live() *unstructured.Unstructured {
	b.t.Helper()
	live, err := b.in("v1").Get(b.t.Context(), "it", metav1.GetOptions{})
	require.NoError(b.t, err)
	return live
}

// program is one of a bulb.
func (b bulbs) program(version string, spec map[string]any, more ...map[string]any) resource.PropertyMap {
	return program(b.bulb(version, spec), append(more, atOnce)...)
}

// notedIn are the versions in which managers have noted their fields.
func (b bulbs) notedIn() []string {
	b.t.Helper()
	versions := sets.New[string]()
	for _, entry := range b.live().GetManagedFields() {
		versions.Insert(strings.TrimPrefix(entry.APIVersion, b.group()+"/"))
	}
	return sets.List(versions)
}

const (
	plainBulb     = `{color: {type: string}}`
	defaultedBulb = `{color: {type: string}, watts: {type: integer, default: 7}}`
)

func TestAKindGainsAVersion(t *testing.T) {
	t.Parallel()
	// outdated is an object that has the new default, while its controller has noted its fields in the old version.
	outdated := func(t *testing.T) bulbs {
		t.Helper()
		b := newBulbs(t, plainBulb, defaultedBulb)
		body, err := json.Marshal(b.bulb("v1beta1", m{"color": "red"}))
		require.NoError(t, err)
		owner := metav1.PatchOptions{FieldManager: "owner"}
		_, err = b.in("v1beta1").Patch(t.Context(), "it", types.ApplyPatchType, body, owner)
		require.NoError(t, err)
		b.controller("v1beta1")
		b.upgrade()
		body, err = json.Marshal(b.bulb("v1", m{"color": "red"}))
		require.NoError(t, err)
		live, err := b.in("v1").Patch(t.Context(), "it", types.ApplyPatchType, body, owner)
		require.NoError(t, err)
		require.Equal(t, m{"color": "red", "watts": int64(7)}, live.Object["spec"])
		_, err = b.in("v1").Patch(t.Context(), "it", types.ApplyPatchType, body, owner)
		require.ErrorContains(t, err, "field not declared in schema", "the API server refuses every apply by now")
		return b
	}

	t.Run("with a default: an object in the new version is updated again and again, and nothing of others is lost [D29] [O43]", func(t *testing.T) {
		t.Parallel()
		b := newBulbs(t, plainBulb, defaultedBulb)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", b.program("v1beta1", m{"color": "red"}))
		b.controller("v1beta1")
		b.upgrade()
		s.in(start(t, inline(newUser(t)))).mustUp("update", b.program("v1", m{"color": "blue"}))
		require.Equal(t, []string{"v1", "v1beta1"}, b.notedIn())
		uid := b.live().GetUID()

		in := b.program("v1", m{"color": "green"})
		version := b.live().GetResourceVersion()
		did, outputs, err := s.in(start(t, inline(newUser(t)))).preview(in)
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		assert.True(t, outputs["manifest"].ContainsUnknowns())
		assert.Equal(t, version, b.live().GetResourceVersion(), "a preview writes nothing")
		require.Len(t, s.process.log.warnings(), 1)
		assert.Contains(t, s.warned(), "the API server cannot try this update, because managers of the object have noted their fields in "+b.group()+"/v1beta1")

		s.mustUp("update", in).mustUp("same", in)
		live := b.live()
		assert.Equal(t, m{"color": "green", "watts": int64(7)}, live.Object["spec"])
		assert.Equal(t, m{"phase": "v1beta1"}, live.Object["status"])
		assert.Equal(t, map[string]string{"theirs": "v1beta1"}, live.GetLabels())
		assert.Equal(t, uid, live.GetUID())
		assert.Equal(t, []string{"v1"}, b.notedIn())
		assert.Len(t, live.GetManagedFields(), 3, "the controller owns its label and its status")

		b.controller("v1")
		in = b.program("v1", m{"color": "white"})
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, map[string]string{"theirs": "v1"}, b.live().GetLabels())
		require.NoError(t, s.destroy())
	})
	t.Run("with a default: drift is put right in one up [D29]", func(t *testing.T) {
		t.Parallel()
		b := newBulbs(t, plainBulb, defaultedBulb)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", b.program("v1beta1", m{"color": "red"}))
		b.controller("v1beta1")
		b.upgrade()
		in := b.program("v1", m{"color": "blue"})
		s.in(start(t, inline(newUser(t)))).mustUp("update", in)
		// The API server drops all entries where it cannot convert the object for one of them.
		b.controller("v1")
		_, err := b.in("v1").Patch(t.Context(), "it", types.MergePatchType, []byte(`{"spec": {"color": "drift"}}`), metav1.PatchOptions{FieldManager: "controller"})
		require.NoError(t, err)
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, m{"color": "blue", "watts": int64(7)}, b.live().Object["spec"])
	})
	t.Run("with a default: an object of another manager is adopted [D29]", func(t *testing.T) {
		t.Parallel()
		b := outdated(t)
		in := b.program("v1", m{"color": "blue"}, adopting)
		s := start(t, inline(newUser(t))).resource(t, "it")
		_, outputs, err := s.preview(in)
		require.NoError(t, err)
		assert.True(t, outputs["manifest"].ContainsUnknowns())
		s.mustUp("create", in).mustUp("same", in)
		assert.Equal(t, m{"color": "blue", "watts": int64(7)}, b.live().Object["spec"])
		assert.Equal(t, []string{"v1"}, b.notedIn())
	})
	for name, form := range map[string]m{
		"patch":      {"patch": m{"spec": m{"color": "blue"}}},
		"mergePatch": {"mergePatch": m{"spec": m{"color": "blue"}}},
		"jsonPatch":  {"jsonPatch": []any{operation("replace", "/spec/color", "blue")}},
	} {
		t.Run("with a default: a Patch in the form "+name+" is carried out [D29]", func(t *testing.T) {
			t.Parallel()
			b := outdated(t)
			in := patching(b.bulb("v1", nil), form)
			s := patched(t, b.world, start(t, inline(newUser(t))), "it")
			_, _, err := s.preview(in)
			require.NoError(t, err)
			s.mustUp("create", in).mustUp("same", in)
			assert.Equal(t, m{"color": "blue", "watts": int64(7)}, b.live().Object["spec"])
			require.NoError(t, s.destroy())
			assert.Equal(t, m{"color": "blue", "watts": int64(7)}, b.live().Object["spec"])
		})
	}
	for change, c := range map[string]struct {
		old, fresh    string
		before, after m
	}{
		"without a field": {
			`{color: {type: string}, gone: {type: string}}`, plainBulb, m{"gone": "x"}, m{},
		},
		"with a list that is a set": {
			`{color: {type: string}, l: {type: array, items: {type: string}}}`,
			`{color: {type: string}, l: {type: array, items: {type: string}, x-kubernetes-list-type: set}}`,
			m{"l": []any{"a", "b"}}, m{"l": []any{"a", "b"}},
		},
		"with a list that has keys": {
			`{color: {type: string}, l: {type: array, items: {type: object, required: [name], properties: {name: {type: string}, v: {type: string}}}}}`,
			`{color: {type: string}, l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name],
				items: {type: object, required: [name], properties: {name: {type: string}, v: {type: string}}}}}`,
			m{"l": []any{m{"name": "a", "v": "1"}}}, m{"l": []any{m{"name": "a", "v": "1"}}},
		},
	} {
		t.Run(change+": an object in the new version is updated again and again [D29] [O43]", func(t *testing.T) {
			t.Parallel()
			b := newBulbs(t, c.old, c.fresh)
			of := func(version, color string, spec m) resource.PropertyMap {
				whole := maps.Clone(spec)
				whole["color"] = color
				return b.program(version, whole)
			}
			s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", of("v1beta1", "red", c.before))
			b.controller("v1beta1")
			b.upgrade()
			s.in(start(t, inline(newUser(t))))
			for _, color := range []string{"blue", "green"} {
				in := of("v1", color, c.after)
				s.mustUp("update", in).mustUp("same", in)
				want := maps.Clone(c.after)
				want["color"] = color
				assert.Equal(t, want, b.live().Object["spec"])
				assert.Equal(t, m{"phase": "v1beta1"}, b.live().Object["status"])
				assert.Equal(t, map[string]string{"theirs": "v1beta1"}, b.live().GetLabels())
			}
			assert.Empty(t, s.warned())
			require.NoError(t, s.destroy())
		})
	}
}
