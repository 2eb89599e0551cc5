package rpc_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPatchedValues(t *testing.T) {
	t.Parallel()
	for what, values := range map[string]m{
		"empty text":       {"before": "x", "value": "", "drift": "y"},
		"true":             {"before": false, "value": true, "drift": false},
		"false":            {"before": true, "value": false, "drift": true},
		"zero":             {"before": 1, "value": 0, "drift": 2},
		"a number":         {"before": 1, "value": 12345678901, "drift": 2},
		"a fraction":       {"before": 1, "value": 1.5, "drift": 2},
		"text like number": {"before": "1", "value": "007", "drift": "7"},
		"text like true":   {"before": "1", "value": "true", "drift": "false"},
		"10 kB of text":    {"before": "1", "value": strings.Repeat("0123456789", 1000) + "ü\n", "drift": "x"},
		"an empty list":    {"before": []any{"a"}, "value": []any{}, "drift": []any{"b"}},
		"text with ${}":    {"before": "1", "value": "${pulumi.stack}", "drift": "x"},
	} {
		eachKind(t, what+" [P11]", func(t *testing.T, kind string) {
			w := newWorld(t)
			defineBox(t)
			w.create(w.box("it", m{"v": values["before"], "kept": "1"}))
			in := patching(w.box("it", nil), setting(kind, m{"spec": m{"v": values["value"]}}))
			s := patched(t, w, start(t, inline(newUser(t))), "it")
			s.previewed("create", in)
			s.mustUp("create", in).mustUp("same", in)
			want := plain(resource.NewPropertyValue(values["value"]))
			assert.EqualValues(t, want, plain(resource.NewPropertyValue(w.value("Box", "it", "spec", "v"))))
			assert.Equal(t, want, at(t, s.outputs, "managedFields.spec.v"))
			assert.Equal(t, "1", w.value("Box", "it", "spec", "kept"))
			w.patch("Box", "it", m{"spec": m{"v": values["drift"]}})
			assert.NotEmpty(t, drifted(s, in))
			s.mustUp("update", in).mustUp("same", in)
			w.patch("Box", "it", m{"spec": m{"v": nil}})
			assert.NotEmpty(t, drifted(s, in), "gone altogether")
			s.mustUp("update", in).mustUp("same", in)
			assert.EqualValues(t, want, plain(resource.NewPropertyValue(w.value("Box", "it", "spec", "v"))))
		})
	}
	for kind, removal := range map[string]m{
		"mergePatch": {"mergePatch": m{"data": m{"a": nil}}},
		"jsonPatch":  {"jsonPatch": []any{m{"op": "remove", "path": "/data/a"}}},
	} {
		t.Run(kind+": a field is removed [P11] [P12]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.apply("eks", w.configMap("it", nil))
			in := patching(w.configMap("it", nil), removal)
			s := patched(t, w, start(t, inline(newUser(t))), "it")
			s.previewed("create", in)
			s.mustUp("create", in).mustUp("same", in)
			assert.Equal(t, m{"b": "2"}, w.value("ConfigMap", "it", "data"))
			assert.Nil(t, at(t, s.outputs, "managedFields.data.a"), "what is not there has no value")
			assert.Equal(t, plain(in[resource.PropertyKey(kind)]), plain(s.outputs[resource.PropertyKey(kind)]))
			w.patch("ConfigMap", "it", data("b", "theirs"))
			assert.Empty(t, drifted(s, in))
			require.NoError(t, s.destroy())
			assert.Equal(t, m{"b": "theirs"}, w.value("ConfigMap", "it", "data"), "it stays away")
			require.NoError(t, w.applies("eks", w.configMap("it", m{"a": "1", "b": "theirs"})), "and may come back")
		})
	}
	t.Run("what a merge patch removes is drift when it comes back, and is removed again [P11] [P16]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), m{"mergePatch": m{"data": m{"a": nil, "b": "9"}}})
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		assert.Equal(t, data("b", "9"), at(t, s.outputs, "managedFields"))
		for range 2 {
			w.patch("ConfigMap", "it", data("a", "back"))
			assert.Contains(t, drifted(s, in), "mergePatch.data.a")
			s.mustUp("update", in).mustUp("same", in)
			assert.Equal(t, m{"b": "9"}, w.value("ConfigMap", "it", "data"))
		}
		dropped := patching(w.configMap("it", nil), m{"mergePatch": m{"data": m{"b": "9"}}})
		s.mustUp("update", dropped).mustUp("same", dropped)
		w.patch("ConfigMap", "it", data("a", "back"))
		assert.Empty(t, drifted(s, dropped))
	})
	t.Run("a merge patch that removes what is not there [P11]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), m{"mergePatch": m{"data": m{"none": nil}}})
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		before := w.version("ConfigMap", "it")
		s.mustUp("create", in).mustUp("same", in)
		assert.Equal(t, before, w.version("ConfigMap", "it"))
		require.NoError(t, s.destroy())
	})
	eachKind(t, "quantities in another spelling are no difference [P17]", func(t *testing.T, kind string) {
		w := newWorld(t)
		deployment := w.deployment(t, "it")
		container := deployment["spec"].(m)["template"].(m)["spec"].(m)["containers"].([]any)[0].(m)
		container["resources"] = m{"limits": m{"cpu": "500m", "memory": "1Gi"}}
		w.apply("eks", deployment)
		spellings := func(cpu, memory string) resource.PropertyMap {
			limits := m{"cpu": cpu, "memory": memory}
			return patching(deployment, map[string]m{
				"patch": {"patch": m{"spec": m{"template": m{"spec": m{"containers": []any{m{"name": "web", "resources": m{"limits": limits}}}}}}}},
				// A merge patch replaces the list.
				"mergePatch": {"mergePatch": m{"spec": m{"template": m{"spec": m{"containers": []any{
					m{"name": "web", "image": "nginx:1", "resources": m{"limits": limits}},
				}}}}}},
				"jsonPatch": {"jsonPatch": []any{
					m{"op": "replace", "path": "/spec/template/spec/containers/0/resources/limits/cpu", "value": cpu},
					m{"op": "add", "path": "/spec/template/spec/containers/0/resources/limits/memory", "value": memory},
				}},
			}[kind])
		}
		in := spellings("1000m", "1024Mi")
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		s.in(start(t, inline(newUser(t))))
		for range 2 {
			assert.Empty(t, s.mustDiff(in))
			s.previewed("same", in)
			s.mustUp("same", in)
		}
		containers := w.value("Deployment", "it", "spec", "template", "spec", "containers").([]any)
		assert.Equal(t, m{"cpu": "1", "memory": "1Gi"}, containers[0].(m)["resources"].(m)["limits"])
		before := w.version("Deployment", "it")
		other := spellings("1", "1Gi")
		_, err := s.up(other)
		require.NoError(t, err)
		assert.Equal(t, before, w.version("Deployment", "it"), "the same said differently")
		s.mustUp("same", other)
		require.NoError(t, s.destroy())
	})
}

func TestATypoInAPatch(t *testing.T) {
	t.Parallel()
	typos := map[string]m{
		"patch":      {"patch": m{"spec": m{"replicsa": 3}}},
		"mergePatch": {"mergePatch": m{"spec": m{"replicsa": 3}}},
		"jsonPatch":  {"jsonPatch": []any{m{"op": "add", "path": "/spec/replicsa", "value": 3}}},
	}
	eachKind(t, "is named in the preview, at create and at update [P15]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.deployment(t, "it"))
		p := start(t, inline(newUser(t)))
		s := patched(t, w, p, "it")
		in := patching(w.deployment(t, "it"), typos[kind])
		refusedBoth(t, w, s, in, "Deployment", "it", "replicsa", "Deployment "+w.namespace+"/it")
		good := patching(w.deployment(t, "it"), setting(kind, m{"spec": m{"replicas": 3}}))
		s.mustUp("create", good)
		refusedBoth(t, w, s, in, "Deployment", "it", "replicsa")
		_, err := s.diff(in)
		if err != nil {
			assert.ErrorContains(t, err, "replicsa")
		}
		s.mustUp("same", good)
		assert.NotContains(t, p.log.all(), "OpenAPI")
	})
	wrong := map[string]m{
		"patch":      {"patch": m{"spec": m{"replicas": "many"}}},
		"mergePatch": {"mergePatch": m{"spec": m{"replicas": "many"}}},
		"jsonPatch":  {"jsonPatch": []any{m{"op": "add", "path": "/spec/replicas", "value": "many"}}},
	}
	eachKind(t, "of a value's type is refused as well [P15]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.deployment(t, "it"))
		refusedBoth(t, w, patched(t, w, start(t, inline(newUser(t))), "it"), patching(w.deployment(t, "it"), wrong[kind]),
			"Deployment", "it", "replicas")
	})
	invalid := map[string]m{
		"patch":      {"patch": m{"spec": m{"replicas": -1}}},
		"mergePatch": {"mergePatch": m{"spec": m{"replicas": -1}}},
		"jsonPatch":  {"jsonPatch": []any{m{"op": "add", "path": "/spec/replicas", "value": -1}}},
	}
	eachKind(t, "that the API server finds invalid is refused, and never a replacement [P15]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.deployment(t, "it"))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		in := patching(w.deployment(t, "it"), invalid[kind])
		refusedBoth(t, w, s, in, "Deployment", "it", "spec.replicas")
		s.mustUp("create", patching(w.deployment(t, "it"), setting(kind, m{"spec": m{"replicas": 3}})))
		refusedBoth(t, w, s, in, "Deployment", "it", "spec.replicas")
	})
	eachKind(t, "a field that may not change is refused, and never a replacement [P15]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.deployment(t, "it"))
		refusedBoth(t, w, patched(t, w, start(t, inline(newUser(t))), "it"),
			patching(w.deployment(t, "it"), setting(kind, m{"spec": m{"selector": m{"matchLabels": m{"app": "other"}}}})),
			"Deployment", "it", "selector")
	})
	t.Run("a list item without its key is refused [P15]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("eks", w.deployment(t, "it"))
		refusedBoth(t, w, patched(t, w, start(t, inline(newUser(t))), "it"), patching(w.deployment(t, "it"), m{
			"patch": m{"spec": m{"template": m{"spec": m{"containers": []any{m{"image": "x"}}}}}},
		}), "Deployment", "it", "containers")
	})
}
