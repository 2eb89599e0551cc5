package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const resourcePolicy = "helm.sh/resource-policy"

func annotated(manifest map[string]any, policy string) map[string]any {
	manifest["metadata"].(map[string]any)["annotations"] = map[string]any{resourcePolicy: policy}
	return manifest
}

func TestWhatIsToBeKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for what, remove := range deletions {
		t.Run("the object stays, its fields are freed, and that is said: "+what+" [O86]", func(t *testing.T) {
			t.Parallel()
			user := newUser(t)
			name := "kept-by-" + what
			s := start(t, inline(user)).resource(t, name).mustUp("create", program(annotated(w.configMap(name, nil), "keep")))
			uid := w.get("ConfigMap", name).GetUID()
			manager := s.outputs["__fieldManager"].StringValue()
			take := requests(t, user)
			require.NoError(t, remove(s))
			assert.NotContains(t, take(), "DELETE")
			live := w.get("ConfigMap", name)
			assert.Equal(t, uid, live.GetUID())
			assert.Nil(t, live.GetDeletionTimestamp())
			for _, entry := range live.GetManagedFields() {
				assert.NotEqual(t, manager, entry.Manager)
			}
			assert.Contains(t, s.warned(), "ConfigMap "+w.namespace+"/"+name+" was not deleted")
			assert.Contains(t, s.warned(), resourcePolicy)
		})
	}
	t.Run("an annotation of others counts as well, after a look at the object [O86]", func(t *testing.T) {
		t.Parallel()
		s := start(t, inline(newUser(t))).resource(t, "theirs").mustUp("create", program(w.configMap("theirs", nil)))
		w.patch("ConfigMap", "theirs", map[string]any{"metadata": map[string]any{"annotations": map[string]any{resourcePolicy: " Keep"}}})
		require.NoError(t, s.destroy())
		assert.True(t, w.exists("ConfigMap", "theirs"))
	})
	t.Run("the manifest of the last up counts where the live annotation is gone, and the warning says which it was [O86]", func(t *testing.T) {
		t.Parallel()
		s := start(t, inline(newUser(t))).resource(t, "stripped").mustUp("create", program(annotated(w.configMap("stripped", nil), "keep")))
		w.patch("ConfigMap", "stripped", map[string]any{"metadata": map[string]any{"annotations": nil}})
		require.NoError(t, s.destroy())
		assert.True(t, w.exists("ConfigMap", "stripped"))
		assert.Contains(t, s.warned(), "in the manifest of the last `pulumi up`, its annotation "+resourcePolicy+" says keep")
	})
	t.Run("what was annotated is deleted once nothing says so any more [O86]", func(t *testing.T) {
		t.Parallel()
		s := start(t, inline(newUser(t))).resource(t, "let-go").
			mustUp("create", program(annotated(w.configMap("let-go", nil), "keep"))).
			mustUp("update", program(w.configMap("let-go", nil)))
		require.NoError(t, s.destroy())
		assert.False(t, w.exists("ConfigMap", "let-go"))
	})
	t.Run("a definition is kept with its objects [O86] [D33]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "definition").
			mustUp("create", program(annotated(definitionOf(t, w.group(), "Widget", sized), "keep")))
		w.widgets(t, "theirs")
		require.NoError(t, s.destroy())
		assert.True(t, w.defined(t))
		assert.Equal(t, 1, w.countWidgets(t))
	})
	t.Run("it is not replaced under its own name [O86]", func(t *testing.T) {
		t.Parallel()
		job := func() map[string]any {
			return object(t, `{apiVersion: batch/v1, kind: Job, metadata: {name: once, namespace: %s}, spec: {suspend: true, template: {spec:
				{restartPolicy: Never, containers: [{name: run, image: "busybox:1"}]}}}}`, w.namespace)
		}
		in := program(annotated(job(), "keep"))
		s := start(t, inline(newUser(t))).resource(t, "once").mustUp("create", in)
		uid := w.get("Job", "once").GetUID()
		for _, changed := range []resource.PropertyMap{in, program(job())} { // with the annotation, and without it from now on
			did, err := s.up(with(t, changed, "manifest.spec.template.spec.restartPolicy", "OnFailure"))
			require.ErrorContains(t, err, resourcePolicy)
			assert.Equal(t, "update", did)
		}
		live := w.get("Job", "once")
		assert.Equal(t, uid, live.GetUID())
		assert.Equal(t, (*metav1.Time)(nil), live.GetDeletionTimestamp())
	})
	t.Run("nor by the program that adds the annotation [O86]", func(t *testing.T) {
		t.Parallel()
		frozen := func(v string) map[string]any {
			return object(t, `{apiVersion: v1, kind: ConfigMap, immutable: true, metadata: {name: frozen, namespace: %s}, data: {a: "`+v+`"}}`, w.namespace)
		}
		s := start(t, inline(newUser(t))).resource(t, "frozen").mustUp("create", program(frozen("1")))
		uid := w.get("ConfigMap", "frozen").GetUID()
		s.in(s.process.again(t))
		_, err := s.up(program(annotated(frozen("2"), "keep")))
		require.ErrorContains(t, err, "the manifest adds the annotation "+resourcePolicy)
		assert.Equal(t, uid, w.get("ConfigMap", "frozen").GetUID())
		s.in(s.process.again(t)).mustUp("update", program(annotated(frozen("1"), "keep")))
		assert.Equal(t, uid, w.get("ConfigMap", "frozen").GetUID())
		s.in(s.process.again(t)).mustUp("update", program(frozen("1")))
		s.in(s.process.again(t)).mustUp("replace", program(frozen("2"), m{"onImmutable": "replace"}))
		s.in(s.process.again(t)).mustUp("update", program(annotated(frozen("2"), "keep")))
	})
}
