package rpc_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// drop removes v1beta1 in the order that the documentation of Kubernetes gives: objects are stored in v1, status says
// so, and then the definition loses the version.
func (b bulbs) drop() {
	b.t.Helper()
	ctx, name := b.t.Context(), "bulbs."+b.group()
	stored, err := b.in("v1").List(ctx, listAll)
	require.NoError(b.t, err)
	for _, bulb := range stored.Items {
		_, err := b.in("v1").Update(ctx, &bulb, metav1.UpdateOptions{FieldManager: "migration"})
		require.NoError(b.t, err)
	}
	_, err = b.client.Resource(definitions).Patch(ctx, name, types.MergePatchType,
		[]byte(`{"status": {"storedVersions": ["v1"]}}`), metav1.PatchOptions{}, "status")
	require.NoError(b.t, err)
	body, err := json.Marshal(m{"spec": m{"versions": []any{b.version("v1", true)}}})
	require.NoError(b.t, err)
	_, err = b.client.Resource(definitions).Patch(ctx, name, types.MergePatchType, body, metav1.PatchOptions{})
	require.NoError(b.t, err)
	eventually(b.t, func() bool { _, err := b.in("v1beta1").List(ctx, listAll); return err != nil }, "v1beta1 is no longer served")
	if slices.Contains(b.notedIn(), "v1beta1") {
		eventually(b.t, func() bool {
			nothing, err := json.Marshal(b.bulb("v1", nil))
			require.NoError(b.t, err)
			_, err = b.in("v1").Patch(ctx, "it", types.ApplyPatchType, nothing,
				metav1.PatchOptions{FieldManager: "probe", DryRun: []string{metav1.DryRunAll}})
			return err != nil
		}, "the API server refuses every apply")
	}
}

// owner applies the object as another manager does.
func (b bulbs) owner(version string, spec map[string]any) error {
	body, err := json.Marshal(b.bulb(version, spec))
	require.NoError(b.t, err)
	_, err = b.in(version).Patch(b.t.Context(), "it", types.ApplyPatchType, body, metav1.PatchOptions{FieldManager: "owner"})
	return err
}

func TestAKindLosesAVersion(t *testing.T) {
	t.Parallel()
	const pair = `{color: {type: string}, size: {type: string}}`

	t.Run("an object that was applied in it is updated in the other one [D111]", func(t *testing.T) {
		t.Parallel()
		b := newBulbs(t, plainBulb, plainBulb)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", b.program("v1beta1", m{"color": "red"}))
		b.controller("v1beta1")
		b.upgrade()
		b.drop()
		in := b.program("v1", m{"color": "blue"})
		did, _, err := s.in(start(t, inline(newUser(t)))).preview(in)
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, m{"color": "blue"}, b.live().Object["spec"])
		assert.Equal(t, []string{"v1"}, b.notedIn())
		assert.Len(t, b.live().GetManagedFields(), 3, "the controller owns its label and its status")
		require.NoError(t, s.destroy())
	})
	t.Run("an object that only changes its version is applied in the new one while both are served [D111]", func(t *testing.T) {
		t.Parallel()
		b := newBulbs(t, pair, pair)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", b.program("v1beta1", m{"color": "red"}))
		b.upgrade()
		in := b.program("v1", m{"color": "red"})
		s.in(start(t, inline(newUser(t)))).mustUp("update", in).mustUp("same", in)
		assert.Equal(t, []string{"v1"}, b.notedIn())
		assert.Equal(t, b.group()+"/v1", at(t, s.outputs, "resourceRef.apiVersion"))
		b.drop()
		require.NoError(t, b.owner("v1", m{"size": "big"}), "nobody is in the way of others")
		in = b.program("v1", m{"color": "blue"})
		s.in(start(t, inline(newUser(t)))).mustUp("update", in).mustUp("same", in)
		assert.Empty(t, s.warned())
	})
	t.Run("an object that only changes its version does so after it went, too [D111]", func(t *testing.T) {
		t.Parallel()
		b := newBulbs(t, plainBulb, plainBulb)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", b.program("v1beta1", m{"color": "red"}))
		b.upgrade()
		before := b.live().GetUID()
		b.drop()
		in := b.program("v1", m{"color": "red"})
		s.in(start(t, inline(newUser(t)))).mustUp("update", in).mustUp("same", in)
		assert.Equal(t, before, b.live().GetUID())
		assert.Equal(t, []string{"v1"}, b.notedIn())
	})
	t.Run("an object of another manager is adopted, and left as it is without adopt [D111]", func(t *testing.T) {
		t.Parallel()
		b := newBulbs(t, plainBulb, plainBulb)
		require.NoError(t, b.owner("v1beta1", m{"color": "red"}))
		b.upgrade()
		b.drop()
		require.ErrorContains(t, b.owner("v1", m{"color": "red"}), "invalid group/version", "the API server refuses every apply by now")
		version := b.live().GetResourceVersion()
		s := start(t, inline(newUser(t))).resource(t, "it")
		_, _, err := s.preview(b.program("v1", m{"color": "blue"}))
		require.ErrorContains(t, err, "already exists. It was not touched.")
		require.ErrorContains(t, s.create(b.program("v1", m{"color": "blue"})), "already exists. It was not touched.")
		assert.Equal(t, version, b.live().GetResourceVersion())
		in := b.program("v1", m{"color": "blue"}, adopting)
		_, _, err = s.preview(in)
		require.NoError(t, err)
		s.mustUp("create", in).mustUp("same", in)
		assert.Equal(t, m{"color": "blue"}, b.live().Object["spec"])
		assert.Equal(t, []string{"v1"}, b.notedIn())
		assert.ErrorContains(t, b.owner("v1", m{"color": "red"}), "conflict", "the other manager has kept its entry")
	})
	t.Run("an object is taken over from a manager that applied it in the version that went [D111]", func(t *testing.T) {
		t.Parallel()
		b := newBulbs(t, pair, pair)
		require.NoError(t, b.owner("v1beta1", m{"color": "red", "size": "big"}))
		b.controller("v1beta1")
		b.upgrade()
		b.drop()
		in := b.program("v1", m{"color": "blue"}, adopting, m{"takeOverFrom": []any{"owner"}})
		s := start(t, inline(newUser(t))).resource(t, "it")
		_, _, err := s.preview(in)
		require.NoError(t, err)
		s.mustUp("create", in).mustUp("same", in)
		managers := map[string]bool{}
		for _, entry := range b.live().GetManagedFields() {
			managers[entry.Manager] = true
		}
		assert.True(t, managers["controller"], "what others own stays theirs: %v", managers)
		in = b.program("v1", m{"color": "green"}, adopting, m{"takeOverFrom": []any{"owner"}})
		s.mustUp("update", in).mustUp("same", in)
	})
	t.Run("a resource that is renamed loses nobody's fields [D111]", func(t *testing.T) {
		t.Parallel()
		b := newBulbs(t, plainBulb, plainBulb)
		s := start(t, inline(newUser(t))).resource(t, "before").mustUp("create", b.program("v1beta1", m{"color": "red"}))
		b.controller("v1beta1")
		b.upgrade()
		b.drop()
		s.urn = urnOf("after")
		in := b.program("v1", m{"color": "red"})
		s.in(start(t, inline(newUser(t)))).mustUp("update", in).mustUp("same", in)
		assert.Len(t, b.live().GetManagedFields(), 3, "the controller owns its label and its status")
		assert.Equal(t, []string{"v1"}, b.notedIn())
	})
	t.Run("fields that are ignored from then on are released with their values [D111]", func(t *testing.T) {
		t.Parallel()
		b := newBulbs(t, pair, pair)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", b.program("v1beta1", m{"color": "red", "size": "big"}))
		b.controller("v1beta1")
		b.upgrade()
		b.drop()
		in := b.program("v1", m{"color": "blue", "size": "small"}, ignoring("spec.size"))
		s.in(start(t, inline(newUser(t)))).mustUp("update", in).mustUp("same", in)
		assert.Equal(t, m{"color": "blue", "size": "big"}, b.live().Object["spec"])
		assert.Equal(t, []string{"v1"}, b.notedIn())
		assert.Len(t, b.live().GetManagedFields(), 3)
	})
	for name, form := range map[string]func(color string) m{
		"patch":      func(color string) m { return m{"patch": m{"spec": m{"color": color}}} },
		"mergePatch": func(color string) m { return m{"mergePatch": m{"spec": m{"color": color}}} },
		"jsonPatch":  func(color string) m { return m{"jsonPatch": []any{operation("replace", "/spec/color", color)}} },
	} {
		t.Run("a Patch in the form "+name+" is changed and destroyed, and the others own what they did [D111]", func(t *testing.T) {
			t.Parallel()
			b := newBulbs(t, pair, pair)
			require.NoError(t, b.owner("v1beta1", m{"color": "red", "size": "big"}))
			s := patched(t, b.world, start(t, inline(newUser(t))), "it").mustUp("create", patching(b.bulb("v1beta1", nil), form("blue")))
			b.upgrade()
			b.drop()
			in := patching(b.bulb("v1", nil), form("green"))
			_, _, err := s.in(start(t, inline(newUser(t)))).preview(in)
			require.NoError(t, err)
			s.mustUp("update", in).mustUp("same", in)
			assert.Equal(t, m{"color": "green", "size": "big"}, b.live().Object["spec"])
			assert.Equal(t, []string{"v1"}, b.notedIn())
			require.ErrorContains(t, b.owner("v1", m{"color": "red", "size": "big"}), "conflict", "the color is the Patch's")
			require.NoError(t, s.destroy())
			assert.Equal(t, m{"color": "green", "size": "big"}, b.live().Object["spec"])
			require.NoError(t, b.owner("v1", m{"color": "red", "size": "small"}))
			assert.Equal(t, m{"color": "red", "size": "small"}, b.live().Object["spec"])
		})
		t.Run("a Patch in the form "+name+" that only changes its version is noted in the new one while both are served [D111]", func(t *testing.T) {
			t.Parallel()
			b := newBulbs(t, pair, pair)
			require.NoError(t, b.owner("v1beta1", m{"color": "red", "size": "big"}))
			s := patched(t, b.world, start(t, inline(newUser(t))), "it").mustUp("create", patching(b.bulb("v1beta1", nil), form("blue")))
			b.upgrade()
			in := patching(b.bulb("v1", nil), form("blue"))
			s.in(start(t, inline(newUser(t)))).mustUp("update", in).mustUp("same", in)
			require.ErrorContains(t, b.owner("v1", m{"color": "red", "size": "big"}), "conflict", "the color is the Patch's")
			require.NoError(t, b.owner("v1", m{"size": "big"}))
			assert.Equal(t, []string{"v1"}, b.notedIn())
			b.drop()
			require.NoError(t, b.owner("v1", m{"size": "small"}), "nobody is in the way of others")
		})
		t.Run("a Patch in the form "+name+" is destroyed after the version went, and the others own what they did [D111]", func(t *testing.T) {
			t.Parallel()
			b := newBulbs(t, pair, pair)
			require.NoError(t, b.owner("v1beta1", m{"color": "red", "size": "big"}))
			s := patched(t, b.world, start(t, inline(newUser(t))), "it").mustUp("create", patching(b.bulb("v1beta1", nil), form("blue")))
			b.upgrade()
			b.drop()
			require.NoError(t, s.in(start(t, inline(newUser(t)))).destroy())
			assert.Equal(t, m{"color": "blue", "size": "big"}, b.live().Object["spec"])
			require.NoError(t, b.owner("v1", m{"color": "red"}))
			assert.Equal(t, m{"color": "red"}, b.live().Object["spec"], "the other manager still owns the size")
		})
	}
	t.Run("what a Patch has added is removed after the version went, and the others own what they did [D111]", func(t *testing.T) {
		t.Parallel()
		b := newBulbs(t, pair, pair)
		require.NoError(t, b.owner("v1beta1", m{"color": "red"}))
		s := patched(t, b.world, start(t, inline(newUser(t))), "it").mustUp("create",
			patching(b.bulb("v1beta1", nil), m{"patch": m{"spec": m{"size": "big"}}, "onDestroy": "remove"}))
		b.upgrade()
		b.drop()
		require.NoError(t, s.in(start(t, inline(newUser(t)))).destroy())
		assert.Equal(t, m{"color": "red"}, b.live().Object["spec"])
		assert.Equal(t, []string{"v1"}, b.notedIn())
		require.NoError(t, b.owner("v1", m{"size": "small"}))
		assert.Equal(t, m{"size": "small"}, b.live().Object["spec"], "the other manager still owns the color")
	})
}
