package rpc_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ordered is a workload with lists of which the order says something.
func (w world) ordered(t testing.TB) map[string]any {
	t.Helper()
	return object(t, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: %s}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      initContainers:
      - {name: migrate, image: "migrate:1"}
      - {name: fetch-secrets, image: "fetch:1"}
      containers:
      - name: web
        image: nginx:1
        env:
        - {name: HOST, value: db}
        - {name: PORT, value: "5432"}
        - {name: URL, value: "$(HOST):$(PORT)"}
        ports:
        - {containerPort: 80}
        - {containerPort: 443}
      - {name: side, image: "side:1"}
`, w.namespace)
}

func TestTheOrderOfAProgramIsPartOfIt(t *testing.T) {
	t.Parallel()
	const pod = "manifest.spec.template.spec."
	names := func(list any) (all []any) {
		for _, item := range list.([]any) {
			item := item.(map[string]any)
			if item["name"] != nil {
				all = append(all, item["name"])
			} else {
				all = append(all, item["containerPort"])
			}
		}
		return all
	}
	for _, list := range []string{"initContainers", "containers", "containers[0].env", "containers[0].ports"} {
		t.Run("a changed order of "+list+" is a change, and the order of the live object follows [D6]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			in := program(w.ordered(t), atOnce)
			s := start(t, g.connection()).resource(t, "web").mustUp("create", in)
			items := slices.Clone(at(t, in, pod+list).([]any))
			slices.Reverse(items)
			other := with(t, in, pod+list, items)
			live := func() []any {
				return names(at(t, resource.NewPropertyMapFromMap(map[string]any{"manifest": w.get("Deployment", "web").Object}), pod+list))
			}

			g.takeSeen()
			assert.Equal(t, map[string]string{pod + list: "update"}, s.mustRead().mustDiff(other))
			assert.Equal(t, []string{"GET", "PATCH dry-run", "GET"}, g.takeSeen())
			s.mustUp("update", other)
			assert.Equal(t, names(items), live())
			g.takeSeen()
			s.mustUp("same", other)
			assert.Equal(t, []string{"GET"}, g.takeSeen())
			require.Empty(t, s.process.log.warnings())

			at := "/spec/template/spec/" + strings.NewReplacer("[0]", "/0", ".", "/").Replace(list)
			w.jsonPatch("Deployment", "web", map[string]any{"op": "move", "from": at + "/0", "path": at + "/1"})
			require.NotEqual(t, names(items), live())
			assert.Empty(t, drifted(s, other), "an order that others change is no drift")
			s.mustUp("same", other)
		})
	}
	t.Run("an order that the live object has already is nothing to do, and not looked at again [D6]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		in := program(w.ordered(t), atOnce)
		s := start(t, g.connection()).resource(t, "web").mustUp("create", in)
		items := slices.Clone(at(t, in, pod+"initContainers").([]any))
		slices.Reverse(items)
		other := with(t, in, pod+"initContainers", items)
		w.jsonPatch("Deployment", "web", map[string]any{"op": "move",
			"from": "/spec/template/spec/initContainers/0", "path": "/spec/template/spec/initContainers/1"})
		s.mustUp("same", other)
		g.takeSeen()
		s.mustUp("same", other)
		assert.Equal(t, []string{"GET"}, g.takeSeen())
	})
	t.Run("items that come and go between the others change no order [D6]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		in := program(w.ordered(t), atOnce)
		s := start(t, g.connection()).resource(t, "web").mustUp("create", in)
		w.jsonPatch("Deployment", "web", map[string]any{"op": "add", "path": "/spec/template/spec/containers/0/env/0",
			"value": map[string]any{"name": "INJECTED", "value": "x"}})
		longer := with(t, in, pod+"containers[0].env", []any{
			map[string]any{"name": "NEW", "value": "1"}, map[string]any{"name": "HOST", "value": "db"},
			map[string]any{"name": "URL", "value": "$(HOST):$(PORT)"},
		})
		s.mustRead()
		g.takeSeen()
		assert.Equal(t, map[string]string{pod + "containers[0].env[0]": "add", pod + "containers[0].env[1]": "delete"}, s.mustDiff(longer))
		assert.Equal(t, []string{"GET", "PATCH dry-run"}, g.takeSeen(), "the look is for what others have in the item that goes")
		s.mustUp("update", longer).mustUp("same", longer)
	})
	t.Run("an order that is not looked at is no green preview [D6]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		in := program(w.ordered(t), atOnce)
		s := start(t, g.connection()).resource(t, "web").mustUp("create", in)
		items := slices.Clone(at(t, in, pod+"initContainers").([]any))
		slices.Reverse(items)
		g.always(isGet, refuse(500, "InternalError", "no"))
		_, err := s.diff(with(t, in, pod+"initContainers", items))
		require.ErrorContains(t, err, "cannot read")
	})
}

func TestTheOrderOfAPatchIsPartOfIt(t *testing.T) {
	t.Parallel()
	variable := func(name string) any { return m{"name": name, "value": "1"} }
	for form, image := range map[string]m{"patch": {}, "mergePatch": {"image": "nginx:1"}} {
		t.Run("a changed order in the form "+form+" is a change, and the order of the live object follows [D6]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.apply("owner", w.deployment(t, "web"))
			patching := func(names ...string) resource.PropertyMap {
				var variables []any
				for _, name := range names {
					variables = append(variables, variable(name))
				}
				container := m{"name": "web", "env": variables}
				maps.Copy(container, image)
				return patching(w.deployment(t, "web"), m{form: m{"spec": m{"template": m{"spec": m{"containers": []any{container}}}}}})
			}
			order := func() (names []string) {
				for _, variable := range containerOf(t, w, "web")["env"].([]any) {
					names = append(names, variable.(m)["name"].(string))
				}
				return names[len(names)-3:] // without those of the owner
			}
			s := patched(t, w, start(t, inline(newUser(t))), "web").mustUp("create", patching("HOST", "PORT", "URL"))
			require.Equal(t, []string{"HOST", "PORT", "URL"}, order())
			other := patching("PORT", "HOST", "URL")
			s.mustUp("update", other).mustUp("same", other)
			assert.Equal(t, []string{"PORT", "HOST", "URL"}, order())
			if form == "patch" {
				w.jsonPatch("Deployment", "web", m{"op": "move",
					"from": "/spec/template/spec/containers/0/env/3", "path": "/spec/template/spec/containers/0/env/4"})
				assert.Empty(t, drifted(s, other), "an order that others change is no drift")
			}
			require.NoError(t, s.destroy())
		})
	}
}
