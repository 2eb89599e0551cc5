package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// leave applies content as another user, who then disappears from managedFields: nobody owns the values, as after a release.
func (w world) leave(kind, name string, content map[string]any) {
	w.t.Helper()
	live := w.get(kind, name)
	content["apiVersion"], content["kind"] = live.GetAPIVersion(), kind
	metadata, _ := content["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		content["metadata"] = metadata
	}
	metadata["name"], metadata["namespace"] = name, w.namespace
	w.apply("passer-by", content)
	var left []any
	for _, entry := range w.get(kind, name).GetManagedFields() {
		if entry.Manager != "passer-by" {
			left = append(left, entry)
		}
	}
	w.jsonPatch(kind, name, map[string]any{"op": "replace", "path": "/metadata/managedFields", "value": left})
}

// nobodys are the managers that stand for nobody and own something.
func nobodys(entries []metav1.ManagedFieldsEntry) (fields []string) {
	for _, entry := range entries {
		if entry.Manager == "released-by-k8sconnect" {
			fields = append(fields, entry.FieldsV1.GetRawString())
		}
	}
	return fields
}

// TestNothingVanishesThatIsNotOurs is about what stands beside our last field in a map or list.
func TestNothingVanishesThatIsNotOurs(t *testing.T) {
	t.Parallel()

	t.Run("an ignored annotation stays when the last of ours leaves [D48] [O90]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		manifest := w.configMap("kept", nil)
		manifest["metadata"].(map[string]any)["annotations"] = map[string]any{"seed": "1", "x": "2"}
		in := program(manifest, ignoring(`metadata.annotations["seed"]`))
		s := start(t, inline(newUser(t))).resource(t, "kept").mustUp("create", in)
		s.mustUp("update", with(t, in, "manifest.data.a", "9"))
		without := w.configMap("kept", map[string]any{"a": "9"})
		without["metadata"].(map[string]any)["annotations"] = map[string]any{"seed": "1"}
		in = program(without, ignoring(`metadata.annotations["seed"]`))
		s.mustUp("update", in)
		assert.Equal(t, map[string]any{"seed": "1"}, w.value("ConfigMap", "kept", "metadata", "annotations"))
		s.mustUp("same", in)
	})
	places := map[string]struct {
		kind           string
		ours, without  string
		theirs         string
		path           []string
		want           any
		manifestBefore func(w world) map[string]any
	}{
		"an annotation": {
			kind: "ConfigMap", ours: `{metadata: {annotations: {x: "1"}}}`, without: `{}`,
			theirs: `{metadata: {annotations: {h: "2"}}}`, path: []string{"metadata", "annotations"}, want: map[string]any{"h": "2"},
		},
		"a label": {
			kind: "ConfigMap", ours: `{metadata: {labels: {x: "1"}}, data: {a: "1"}}`, without: `{data: {a: "1"}}`,
			theirs: `{metadata: {labels: {h: "2"}}}`, path: []string{"metadata", "labels"}, want: map[string]any{"h": "2"},
		},
		"data": {
			kind: "ConfigMap", ours: `{metadata: {labels: {x: "1"}}, data: {a: "1"}}`, without: `{metadata: {labels: {x: "1"}}}`,
			theirs: `{data: {h: "2"}}`, path: []string{"data"}, want: map[string]any{"h": "2"},
		},
		"a finalizer": {
			kind: "ConfigMap", ours: `{metadata: {finalizers: [example.com/ours]}}`, without: `{}`,
			theirs: `{metadata: {finalizers: [example.com/theirs]}}`, path: []string{"metadata", "finalizers"}, want: []any{"example.com/theirs"},
		},
	}
	for what, place := range places {
		t.Run(what+" that nobody owns stays [D48] [O90]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			made := func(text string) map[string]any {
				return object(t, `%s`, text)
			}
			build := func(text string) map[string]any {
				m := made(text)
				m["apiVersion"], m["kind"] = "v1", place.kind
				metadata, _ := m["metadata"].(map[string]any)
				if metadata == nil {
					metadata = map[string]any{}
				}
				metadata["name"], metadata["namespace"] = "kept", w.namespace
				m["metadata"] = metadata
				return m
			}
			s := start(t, inline(newUser(t))).resource(t, "kept").mustUp("create", program(build(place.ours)))
			w.leave(place.kind, "kept", made(place.theirs))
			in := program(build(place.without))
			version := w.get(place.kind, "kept").GetResourceVersion()
			did, outputs, err := s.preview(in)
			require.NoError(t, err)
			assert.Equal(t, "update", did)
			assert.Nil(t, at(t, outputs, "manifest."+place.path[len(place.path)-1]))
			assert.Equal(t, version, w.get(place.kind, "kept").GetResourceVersion())
			s.mustUp("update", in)
			assert.Equal(t, place.want, w.value(place.kind, "kept", place.path...))
			assert.Empty(t, nobodys(w.get(place.kind, "kept").GetManagedFields()), "it is still nobody's")
			s.mustUp("same", in)
			// And not only once.
			in = with(t, in, "manifest.metadata.annotations", map[string]any{"later": "1"})
			s.mustUp("update", in)
			s.mustUp("update", program(build(place.without)))
			live := w.get(place.kind, "kept")
			if finalizers := live.GetFinalizers(); len(finalizers) > 0 {
				w.patch(place.kind, "kept", map[string]any{"metadata": map[string]any{"finalizers": nil}})
			}
		})
	}
	const pod = "spec.template.spec.containers[0]."
	t.Run("variables and limits that nobody owns stay, defaults do not [D48] [O90]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := with(t, program(w.deployment(t, "web")), "manifest."+pod+"resources", map[string]any{"limits": map[string]any{"cpu": "1"}})
		in = with(t, in, "manifest."+pod+"livenessProbe", map[string]any{"httpGet": map[string]any{"port": 80}})
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		w.leave("Deployment", "web", map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{
			map[string]any{
				"name": "web", "env": []any{map[string]any{"name": "THEIRS", "value": "1"}},
				"resources": map[string]any{"limits": map[string]any{"memory": "64Mi"}},
			},
		}}}}})
		plain := w.deployment(t, "web")
		container := plain["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)
		delete(container, "env")
		s.mustUp("update", program(plain))
		live := containerOf(t, w, "web")
		assert.Equal(t, []any{map[string]any{"name": "THEIRS", "value": "1"}}, live["env"])
		assert.Equal(t, map[string]any{"limits": map[string]any{"memory": "64Mi"}}, live["resources"])
		assert.NotContains(t, live, "livenessProbe", "with the defaults of it")
		s.mustUp("same", program(plain))
	})
	t.Run("an emptied list is sent as one, and keeps what is not ours [D48]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(w.deployment(t, "web"))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		w.leave("Deployment", "web", map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{
			map[string]any{"name": "web", "env": []any{map[string]any{"name": "THEIRS", "value": "1"}}},
		}}}}})
		s.mustUp("update", with(t, in, "manifest."+pod+"env", []any{}))
		assert.Equal(t, []any{map[string]any{"name": "THEIRS", "value": "1"}}, containerOf(t, w, "web")["env"])
	})
	t.Run("a container of ours goes with its defaults, and costs no write more [D48]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		asked := g.watchRequests()
		both := w.deployment(t, "web")
		spec := both["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
		spec["containers"] = append(spec["containers"].([]any), map[string]any{"name": "side", "image": "busybox:1"})
		s := start(t, g.connection()).resource(t, "web").mustUp("create", program(both))
		asked()
		s.mustUp("update", program(w.deployment(t, "web")))
		assert.Equal(t, []string{"GET", "GET", "apply, dry-run", "GET", "apply by force"}, asked())
		assert.Len(t, w.value("Deployment", "web", "spec", "template", "spec", "containers"), 1)
	})
	t.Run("a field beside others of ours is removed without a look [D48]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		asked := g.watchRequests()
		s := start(t, g.connection()).resource(t, "kept").mustUp("create", program(w.configMap("kept", map[string]any{"a": "1", "b": "2"})))
		asked()
		in := program(w.configMap("kept", map[string]any{"a": "1"}))
		s.mustUp("update", in)
		requests := asked()
		assert.Equal(t, []string{"GET", "apply, dry-run", "apply by force"}, requests)
	})
	t.Run("what a variable of another owner consists of stays whole [D48] [D32]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		named := map[string]any{"name": "NS", "valueFrom": map[string]any{"fieldRef": map[string]any{"fieldPath": "metadata.namespace"}}}
		made := w.deployment(t, "web")
		container := made["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)
		container["env"] = []any{named}
		w.apply("helm", made)
		in := program(made, map[string]any{"adopt": true})
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		before := containerOf(t, w, "web")["env"]
		delete(container, "env")
		s.mustUp("update", program(made, map[string]any{"adopt": true}))
		assert.Equal(t, before, containerOf(t, w, "web")["env"])
	})
}

// TestNamesOfIgnoredFieldsThatAreSecret proves [D4] for the names in __ignoredFields.
func TestNamesOfIgnoredFieldsThatAreSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	manifest := w.configMap("hidden", nil)
	metadata := manifest["metadata"].(map[string]any)
	metadata["annotations"] = secret(map[string]any{"example.com/" + hush: "1"})
	metadata["finalizers"] = []any{secret("example.com/" + hush)}
	in := program(manifest, ignoring("metadata.annotations", "metadata.finalizers"))
	s := start(t, inline(newUser(t))).resource(t, "hidden").mustUp("create", in)
	defer w.patch("ConfigMap", "hidden", map[string]any{"metadata": map[string]any{"finalizers": nil}})
	require.NotNil(t, at(t, s.outputs, "__ignoredFields"))
	requireHidden(t, s)
	s.mustRead()
	requireHidden(t, s)
}

// The API server does not store an empty map of labels, so the state has none. It is no change when others have filled it.
func TestAnEmptyMapThatOthersFillIsNoChange(t *testing.T) { // [O98]
	t.Parallel()
	w := newWorld(t)
	manifest := w.configMap("it", m{"a": "1"})
	manifest["metadata"].(m)["labels"] = m{}
	in := program(manifest)
	s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in)
	w.patch("ConfigMap", "it", m{"metadata": m{"labels": m{"theirs": "yes"}}})
	s.mustUp("same", in)

	changed := with(t, in, "manifest.data.a", "2")
	assert.Equal(t, map[string]string{"manifest.data.a": "update"}, s.mustRead().mustDiff(changed))
	s.mustUp("update", changed)
	assert.Equal(t, map[string]any{"theirs": "yes"}, w.value("ConfigMap", "it", "metadata", "labels"))
	s.mustUp("same", changed)

	absent := with(t, changed, "manifest.data", nil)
	s.mustUp("update", absent)
	w.patch("ConfigMap", "it", m{"metadata": m{"labels": nil}})
	s.mustUp("same", absent)
}
