package rpc_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

func TestAFieldThatReturnsFromIgnoreFields(t *testing.T) {
	t.Parallel()
	// autoscale is what a HorizontalPodAutoscaler does: it writes the subresource.
	autoscale := func(t *testing.T, w world, replicas int) {
		t.Helper()
		_, err := w.objects("Deployment").Patch(t.Context(), "web", types.MergePatchType,
			fmt.Appendf(nil, `{"spec": {"replicas": %d}}`, replicas), metav1.PatchOptions{FieldManager: "autoscaler"}, "scale")
		require.NoError(t, err)
	}
	t.Run("the value that the update overwrites is shown, also where nobody owns it [D46]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.deployment(t, "web")))
		in := program(w.deployment(t, "web"), ignoring("spec.replicas"))
		s.mustUp("update", in)
		autoscale(t, w, 7)
		s.mustUp("same", in)
		assert.Empty(t, s.warned())
		back := program(w.deployment(t, "web"))
		s.in(start(t, inline(newUser(t))))
		s.previewed("update", back)
		warnings := s.process.log.warnings()
		require.Len(t, warnings, 1)
		assert.Contains(t, warnings[0], "Deployment "+w.namespace+"/web: ")
		assert.Contains(t, warnings[0], "spec.replicas: 7 -> 2")
		assert.EqualValues(t, 7, w.value("Deployment", "web", "spec", "replicas"), "a preview does not write")
		s.mustUp("update", back)
		assert.EqualValues(t, 2, w.value("Deployment", "web", "spec", "replicas"))
		s.in(start(t, inline(newUser(t)))).mustUp("same", back)
		assert.Empty(t, s.warned())
	})
	t.Run("of a value that another manager owns it is said once, with its owner [D46]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.deployment(t, "web")))
		s.mustUp("update", program(w.deployment(t, "web"), ignoring("spec.replicas")))
		w.scale("web", 7)
		s.previewed("update", program(w.deployment(t, "web")))
		warnings := s.process.log.warnings()
		require.Len(t, warnings, 1)
		assert.Contains(t, warnings[0], "spec.replicas: 7 -> 2 (owned by intern)")
	})
	t.Run("a value that stays, and one that is still ignored, are not mentioned [D46]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.deployment(t, "web"), ignoring("spec.replicas", webImage)))
		s.mustUp("update", program(w.deployment(t, "web"), ignoring(webImage)))
		assert.Empty(t, s.warned())
	})
	t.Run("a secret value is not shown [D46] [D4]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		manifest := func() m {
			hidden := w.deployment(t, "web")
			hidden["spec"].(m)["replicas"] = secret(2)
			return hidden
		}
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(manifest()))
		s.mustUp("update", program(manifest(), ignoring("spec.replicas")))
		autoscale(t, w, 7)
		s.previewed("update", program(manifest()))
		assert.Contains(t, s.warned(), "spec.replicas: [secret] -> [secret]")
	})
	t.Run("a value that the program no longer has goes, and the preview says so [O37] [D46]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		for _, value := range []any{"x", secret("x")} {
			s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create",
				program(w.noted(value), ignoring("metadata.annotations.note")))
			in := program(w.configMap("web", m{"a": "1"}))
			s.previewed("update", in)
			shown := map[any]string{"x": `"x"`}[value]
			if shown == "" {
				shown = "[secret]"
			}
			assert.Contains(t, s.warned(), "removes these fields, which only this resource set and which are no longer in ignoreFields:\n  metadata.annotations.note: "+shown)
			s.mustUp("update", in)
			assert.Empty(t, w.get("ConfigMap", "web").GetAnnotations())
			s.in(start(t, inline(newUser(t)))).mustUp("same", in)
			assert.Empty(t, s.warned())
			require.NoError(t, s.destroy())
		}
	})
	t.Run("names inside of a secret are not shown where they go [D46] [D4]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		manifest := w.configMap("web", m{"a": "1"})
		manifest["metadata"].(m)["annotations"] = secret(m{"hush-name": "hush-value"})
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(manifest, ignoring("metadata.annotations")))
		in := program(w.configMap("web", m{"a": "1"}))
		s.previewed("update", in)
		assert.Contains(t, s.warned(), "removes these fields")
		s.mustUp("update", in)
		assert.Empty(t, w.get("ConfigMap", "web").GetAnnotations())
		assert.NotContains(t, s.process.log.all(), "hush")
	})
	t.Run("a value that others own goes, too, if the program takes over from them at once [O37] [O82]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		noted := w.noted("x")
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(noted, ignoring("metadata.annotations.note")))
		require.NoError(t, w.applies("helm", noted))
		in := with(t, program(w.configMap("web", m{"a": "1"})), "takeOverFrom", []any{"helm"})
		s.mustUp("update", in)
		assert.Empty(t, w.get("ConfigMap", "web").GetAnnotations())
		s.in(start(t, inline(newUser(t)))).mustUp("same", in)
	})
	t.Run("names inside of a secret are hidden where others keep them, in the state, too [D32] [D4]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		manifest := w.configMap("web", m{"a": "1"})
		manifest["metadata"].(m)["annotations"] = m{"hush-name": "hush-value"}
		theirs := runtime.DeepCopyJSON(manifest)
		manifest["metadata"].(m)["annotations"] = secret(m{"hush-name": "hush-value"})
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(manifest, ignoring("metadata.annotations")))
		require.NoError(t, w.applies("helm", theirs))
		in := program(w.configMap("web", m{"a": "1"}))
		s.previewed("update", in)
		assert.Contains(t, s.warned(), "[secret] (helm)")
		s.mustUp("update", in)
		assert.NotContains(t, s.process.log.all(), "hush")
		assert.Empty(t, readableIn(s.outputs, "hush"))
		s.mustUp("same", in)
		assert.Empty(t, readableIn(s.outputs, "hush"))
	})
	t.Run("a value that the program no longer has and that others own stays, and the preview says so [O37] [D32]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		noted := w.noted("x")
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(noted, ignoring("metadata.annotations.note")))
		require.NoError(t, w.applies("helm", noted))
		in := program(w.configMap("web", m{"a": "1"}))
		s.previewed("update", in)
		assert.Contains(t, s.warned(), "helm")
		s.mustUp("update", in)
		assert.Equal(t, "x", w.get("ConfigMap", "web").GetAnnotations()["note"])
		s.in(start(t, inline(newUser(t)))).mustUp("same", in)
		assert.Empty(t, s.warned())
	})
}

// noted is a ConfigMap with an annotation.
func (w world) noted(value any) m {
	manifest := w.configMap("web", m{"a": "1"})
	manifest["metadata"].(m)["annotations"] = m{"note": value}
	return manifest
}
