package rpc_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// containersOf are the names of the containers of a Deployment.
func containersOf(t testing.TB, w world, name string) (names []any) {
	t.Helper()
	containers, ok := w.value("Deployment", name, "spec", "template", "spec", "containers").([]any)
	require.True(t, ok)
	for _, container := range containers {
		names = append(names, container.(map[string]any)["name"])
	}
	return names
}

// withContainers is a Deployment with these containers.
func withContainers(t testing.TB, w world, names ...string) map[string]any {
	t.Helper()
	manifest := w.deployment(t, "web")
	containers := []any{}
	for _, name := range names {
		containers = append(containers, map[string]any{"name": name, "image": "nginx:1"})
	}
	require.NoError(t, unstructured.SetNestedSlice(manifest, containers, "spec", "template", "spec", "containers"))
	return manifest
}

// warningOf is the warning that has a text; "" if there is none.
func warningOf(s *session, text string) string {
	for _, warning := range s.process.log.warnings() {
		if strings.Contains(warning, text) {
			return warning
		}
	}
	return ""
}

const webContainer = "spec.template.spec.containers[name=web]"

func TestWhatAnAdoptedObjectHasBeyondTheManifest(t *testing.T) {
	t.Parallel()
	t.Run("is a warning before and after the adoption, also among defaults that others own, and its advice removes it [D103]", func(t *testing.T) {
		t.Parallel()
		for name, more := range map[string]map[string]any{"no takeover": {}, "takeover": takingOver("intern")} {
			w := newWorld(t)
			w.create(withContainers(t, w, "web"))
			in := program(withContainers(t, w, "app"), adopting, more)
			s := start(t, inline(newUser(t))).resource(t, "web")
			_, _, err := s.preview(in)
			require.NoError(t, err)
			const want = ":\n  " + webContainer + " (intern)\n"
			assert.Contains(t, warningOf(s, webContainer), want, name)
			assert.Equal(t, 1, strings.Count(s.process.log.all(), webContainer), "it is said once, and not among other fields: %s", s.process.log.all())
			s.in(s.process.again(t)).mustUp("create", in)
			assert.Contains(t, warningOf(s, webContainer), want, name)
			assert.Equal(t, []any{"web", "app"}, containersOf(t, w, "web"))
			again := *s
			again.process = s.process.again(t)
			again.mustUp("same", in)
			assert.Empty(t, again.warned(), "it has been said")

			if strings.Contains(warningOf(s, webContainer), "without takeOverFrom") {
				both := withContainers(t, w, "app", "web")
				s.mustUp("update", program(both, adopting)).mustUp("update", program(both, adopting, more)).mustUp("update", in)
				assert.Equal(t, []any{"app"}, containersOf(t, w, "web"), "as the update advises")
			}

			// As the preview advises.
			w = newWorld(t)
			w.create(withContainers(t, w, "web"))
			s = start(t, inline(newUser(t))).resource(t, "web")
			s.mustUp("create", program(withContainers(t, w, "app", "web"), adopting, takingOver("intern")))
			assert.Empty(t, warningOf(s, webContainer))
			s.mustUp("update", program(withContainers(t, w, "app"), adopting, takingOver("intern")))
			assert.Equal(t, []any{"app"}, containersOf(t, w, "web"))
		}
	})
	t.Run("is a warning where it was left by an apply, and by a KubeObject that is taken over [D103]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("helm", withContainers(t, w, "web"))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(withContainers(t, w, "app"), adopting))
		assert.Contains(t, warningOf(s, webContainer), ":\n  "+webContainer+" (helm)\n")

		w = newWorld(t)
		former := start(t, inline(newUser(t))).resource(t, "former").mustUp("create", program(withContainers(t, w, "web")))
		in := program(withContainers(t, w, "app"), takingOver(former.managerIn()))
		s = start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		assert.Contains(t, warningOf(s, webContainer), ":\n  "+webContainer+" (nobody)\n")
	})
	t.Run("is a warning where an object is taken over that is already ours, and the item never was [D103]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(withContainers(t, w, "web"))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(withContainers(t, w, "app"), adopting))
		s.in(s.process.again(t)).mustUp("update", program(withContainers(t, w, "app"), takingOver("intern")))
		assert.Contains(t, warningOf(s, webContainer), ":\n  "+webContainer+" (intern)\n")
		assert.Len(t, s.process.log.warnings(), 1)
	})
	t.Run("is a warning for the keys of a ConfigMap and of a Secret, which may be ignored [D103]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		create := func(manifest map[string]any) {
			t.Helper()
			_, err := w.objects(manifest["kind"].(string)).Create(t.Context(), unstructuredOf(manifest), metav1.CreateOptions{FieldManager: "kubectl-create"})
			require.NoError(t, err)
		}
		secretOf := func(data map[string]any) map[string]any {
			manifest := w.configMap("web", data)
			manifest["kind"] = "Secret"
			return manifest
		}
		value := base64.StdEncoding.EncodeToString([]byte(hush))
		create(w.configMap("web", map[string]any{"a": "1", "old": "2"}))
		create(secretOf(map[string]any{"a": value, "old": value}))
		for _, manifest := range []map[string]any{w.configMap("web", map[string]any{"a": "1"}), secretOf(map[string]any{"a": value})} {
			p := start(t, inline(newUser(t)))
			s := p.resource(t, "ignoring")
			_, _, err := s.preview(program(manifest, adopting, ignoring("data.old")))
			require.NoError(t, err)
			assert.Empty(t, s.warned())
			s = start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(manifest, adopting))
			assert.Contains(t, s.warned(), ":\n  data.old (kubectl-create)\n")
			assert.NotContains(t, s.process.log.all(), value)
			assert.Contains(t, w.value(manifest["kind"].(string), "web", "data"), "old")
		}
	})
	t.Run("is nothing to tell where it is a default, or what the cluster adds to every object [D103]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.deployment(t, "web"))
		pod := object(t, `{apiVersion: v1, kind: Pod, metadata: {name: alone, namespace: %s}, spec: {containers: [{name: web, image: "nginx:1"}]}}`, w.namespace)
		w.create(pod)
		for _, manifest := range []map[string]any{w.deployment(t, "web"), pod} {
			s := start(t, inline(newUser(t))).resource(t, name(manifest))
			_, _, err := s.preview(program(manifest, adopting))
			require.NoError(t, err)
			assert.Empty(t, s.warned())
		}
	})
}
