package rpc_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// edit changes a live object as kubectl edit does: it reads, changes and writes the whole.
func (w world) edit(kind, name string, change func(object map[string]any)) {
	w.t.Helper()
	live := w.get(kind, name)
	change(live.Object)
	_, err := w.objects(kind).Update(w.t.Context(), live, metav1.UpdateOptions{FieldManager: "intern"})
	require.NoError(w.t, err)
}

// leaf is a field of the Deployment below, how ignoreFields names it, and another value that it may have.
type leaf struct {
	path    string
	find    func(object map[string]any) (holder map[string]any, key string)
	another func(round int) any
}

func dig(object map[string]any, path ...string) map[string]any {
	for _, key := range path {
		object, _ = object[key].(map[string]any)
	}
	return object
}

func pick(holder map[string]any, list, name string) map[string]any {
	items, _ := holder[list].([]any)
	for _, item := range items {
		if item, ok := item.(map[string]any); ok && item["name"] == name {
			return item
		}
	}
	return nil
}

func text(round int) any { return fmt.Sprintf("foreign-%d", round) }

// deploymentLeaves are fields in maps, keyed lists, dotted keys and defaults' places.
var deploymentLeaves = []leaf{
	{"spec.replicas", func(o map[string]any) (map[string]any, string) { return dig(o, "spec"), "replicas" },
		func(round int) any { return int64(10 + round) }},
	{"spec.minReadySeconds", func(o map[string]any) (map[string]any, string) { return dig(o, "spec"), "minReadySeconds" },
		func(round int) any { return int64(20 + round) }},
	{`metadata.labels["app.kubernetes.io/name"]`, func(o map[string]any) (map[string]any, string) {
		return dig(o, "metadata", "labels"), "app.kubernetes.io/name"
	}, text},
	{"metadata.labels.plain", func(o map[string]any) (map[string]any, string) { return dig(o, "metadata", "labels"), "plain" }, text},
	{"metadata.annotations['a.b/c']", func(o map[string]any) (map[string]any, string) {
		return dig(o, "metadata", "annotations"), "a.b/c"
	}, text},
	{"spec.template.metadata.annotations.note", func(o map[string]any) (map[string]any, string) {
		return dig(o, "spec", "template", "metadata", "annotations"), "note"
	}, text},
	{"spec.template.spec.terminationGracePeriodSeconds", func(o map[string]any) (map[string]any, string) {
		return dig(o, "spec", "template", "spec"), "terminationGracePeriodSeconds"
	}, func(round int) any { return int64(60 + round) }},
	{"spec.template.spec.containers[name=web].image", ofContainer("web", "image"), text},
	{"spec.template.spec.containers[?(@.name=='side')].image", ofContainer("side", "image"), text},
	{"spec.template.spec.containers[name=web].env[name=A].value", ofEnv("A"), text},
	{"spec.template.spec.containers[*].env[name=B].value", ofEnv("B"), text},
	{"spec.template.spec.containers[name=web].env[?(@.name=='C')].value", ofEnv("C"), text},
	{"spec.template.spec.containers[name=web].resources.requests.cpu", func(o map[string]any) (map[string]any, string) {
		container, _ := ofContainer("web", "")(o)
		return dig(container, "resources", "requests"), "cpu"
	}, func(round int) any { return fmt.Sprintf("%dm", 101+round) }},
}

func ofContainer(name, key string) func(map[string]any) (map[string]any, string) {
	return func(o map[string]any) (map[string]any, string) {
		return pick(dig(o, "spec", "template", "spec"), "containers", name), key
	}
}

func ofEnv(name string) func(map[string]any) (map[string]any, string) {
	return func(o map[string]any) (map[string]any, string) {
		container, _ := ofContainer("web", "")(o)
		return pick(container, "env", name), "value"
	}
}

func (l leaf) get(object map[string]any) any {
	holder, key := l.find(object)
	return holder[key]
}

func (w world) manyLeaves(t testing.TB, name, round string) map[string]any {
	return object(t, `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: %s
  namespace: %s
  labels: {app.kubernetes.io/name: shop, plain: one, round: %q}
  annotations: {a.b/c: d}
spec:
  replicas: 2
  minReadySeconds: 5
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      annotations: {note: hello}
    spec:
      terminationGracePeriodSeconds: 10
      containers:
      - name: web
        image: nginx:1
        env:
        - {name: A, value: "1"}
        - {name: B, value: "2"}
        - {name: C, value: "3"}
        resources: {requests: {cpu: 100m}}
      - name: side
        image: busybox:1
`, name, w.namespace, round)
}

func TestIgnoredLeavesKeepTheirValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))
	const seed = 20240229
	random := rand.New(rand.NewSource(seed)) //nolint:gosec // reproducible on purpose
	for round := range 25 {
		name := fmt.Sprintf("round-%d", round)
		ignored, touched := map[string]bool{}, map[string]bool{}
		var paths []any
		for _, l := range deploymentLeaves {
			if touched[l.path] = random.Intn(2) == 0; random.Intn(2) == 0 {
				ignored[l.path] = true
				paths = append(paths, l.path)
			}
		}
		t.Run(fmt.Sprintf("%s of seed %d: %v [O37] [O38]", name, seed, paths), func(t *testing.T) {
			before := w.manyLeaves(t, name, "before")
			s := p.resource(t, name).mustUp("create", program(before))
			w.edit("Deployment", name, func(o map[string]any) {
				for _, l := range deploymentLeaves {
					if touched[l.path] {
						holder, key := l.find(o)
						holder[key] = l.another(round)
					}
				}
			})
			was := w.get("Deployment", name).Object
			in := program(w.manyLeaves(t, name, "after"), ignoring(paths...))
			s.mustUp("update", in)
			now := w.get("Deployment", name).Object
			for _, l := range deploymentLeaves {
				want := l.get(before)
				if ignored[l.path] {
					want = l.get(was)
				}
				assert.EqualValues(t, want, l.get(now), l.path)
			}
			s.mustUp("same", in)

			// All of it is taken back, and nothing else than what was ignored had strayed.
			s.mustUp("update", program(w.manyLeaves(t, name, "last")))
			now = w.get("Deployment", name).Object
			for _, l := range deploymentLeaves {
				assert.EqualValues(t, l.get(before), l.get(now), l.path)
			}
		})
	}
}

func TestOthersWriteIgnoredFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))
	for _, l := range deploymentLeaves {
		t.Run(l.path+", again and again: no drift [O38] [O39]", func(t *testing.T) {
			manifest := w.manyLeaves(t, "web", "1")
			in := program(manifest, ignoring(l.path))
			s := p.resource(t, "web").mustUp("create", in)
			assert.EqualValues(t, l.get(manifest), l.get(w.get("Deployment", "web").Object), "the initial value")
			for round := range 4 {
				w.edit("Deployment", "web", func(o map[string]any) {
					holder, key := l.find(o)
					holder[key] = l.another(round)
				})
				require.Empty(t, drifted(s, in))
				s.mustUp("same", in)
				in = program(w.manyLeaves(t, "web", fmt.Sprintf("next-%d", round)), ignoring(l.path))
				s.mustUp("update", in).mustUp("same", in)
				require.EqualValues(t, l.another(round), l.get(w.get("Deployment", "web").Object))
			}
			assert.Empty(t, s.warned())
			w.delete("Deployment", "web")
		})
	}
	t.Run("a whole item of a list is theirs, and comes and goes", func(t *testing.T) {
		in := program(w.deployment(t, "item"), ignoring("spec.template.spec.containers[name=web].env[name=B]"))
		s := p.resource(t, "item").mustUp("create", in)
		env := func() []any { list, _ := containerOf(t, w, "item")["env"].([]any); return list }
		require.Len(t, env(), 3)
		const place = "/spec/template/spec/containers/0/env/1"
		w.jsonPatch("Deployment", "item", map[string]any{"op": "remove", "path": place})
		s.mustUp("same", in).mustUp("update", with(t, in, "manifest.spec.replicas", 3))
		assert.Len(t, env(), 2)
		w.jsonPatch("Deployment", "item", map[string]any{"op": "add", "path": place, "value": map[string]any{"name": "B", "value": "theirs"}})
		s.mustUp("same", with(t, in, "manifest.spec.replicas", 3)).mustUp("update", with(t, in, "manifest.spec.replicas", 4))
		require.Len(t, env(), 3)
		assert.Contains(t, env(), map[string]any{"name": "B", "value": "theirs"})
	})
}

func TestTheListOfIgnoredFieldsChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	manifest := w.configMap("web", map[string]any{"a": "1", "b": "2", "c": "3"})
	s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(manifest))
	theirs := func(key string) { w.patch("ConfigMap", "web", map[string]any{"data": map[string]any{key: "theirs"}}) }
	for _, step := range []struct {
		name   string
		theirs string
		ignore []any
		data   map[string]any
	}{
		{"added", "a", []any{"data.a"}, map[string]any{"a": "theirs", "b": "2", "c": "3"}},
		{"grown", "b", []any{"data.a", "data.b"}, map[string]any{"a": "theirs", "b": "theirs", "c": "3"}},
		{"grown by a field that is still ours", "", []any{"data.a", "data.b", "data.c"}, map[string]any{"a": "theirs", "b": "theirs", "c": "3"}},
		{"shrunk: only what was taken out is reclaimed", "", []any{"data.b", "data.c"}, map[string]any{"a": "1", "b": "theirs", "c": "3"}},
		{"exchanged", "", []any{"data.a"}, map[string]any{"a": "1", "b": "2", "c": "3"}},
		{"removed", "a", nil, map[string]any{"a": "1", "b": "2", "c": "3"}},
	} {
		t.Run(step.name+" [O37]", func(t *testing.T) {
			if step.theirs != "" {
				theirs(step.theirs)
			}
			in := program(manifest, ignoring(step.ignore...))
			s.mustUp("update", in)
			assert.Equal(t, step.data, w.value("ConfigMap", "web", "data"))
			s.mustUp("same", in)
		})
	}
}
