package rpc_test

import (
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ruled is a schema with an atomic list, to whose items the API server adds a default.
const ruled = `{type: object, properties: {note: {type: string}, rules: {type: array, items: {type: object, properties: {
	name: {type: string}, weight: {type: integer}, mode: {type: string, default: fast}}}}}}`

// newRuled defines a kind of the test's own with that schema, and returns its group.
func newRuled(t *testing.T) (w world, group string) {
	t.Helper()
	w = newWorld(t)
	group = w.group()
	w.define(definitionOf(t, group, "Policy", ruled))
	w.served(group, "Policy")
	return w, group
}

// ruledBy is an object of that kind.
func (w world) ruledBy(t *testing.T, rules string) map[string]any {
	t.Helper()
	return custom(t, w.group(), "Policy", w.namespace, "{rules: "+rules+"}")
}

// setters are the resources that set fields by server-side apply or a merge patch, as programs that set one tree. The
// path of a diff begins with the name of the form.
func setters() map[string]func(t *testing.T, w world, p *process, object map[string]any) (*session, func(map[string]any) resource.PropertyMap) {
	result := map[string]func(t *testing.T, w world, p *process, object map[string]any) (*session, func(map[string]any) resource.PropertyMap){
		"manifest": func(t *testing.T, _ world, p *process, _ map[string]any) (*session, func(map[string]any) resource.PropertyMap) {
			return p.resource(t, "it"), func(object map[string]any) resource.PropertyMap { return program(object, atOnce) }
		},
	}
	for _, form := range []string{"patch", "mergePatch"} {
		result[form] = func(t *testing.T, w world, p *process, made map[string]any) (*session, func(map[string]any) resource.PropertyMap) {
			w.applyCustom("owner", made)
			return patchIn(t, p, "it"), func(object map[string]any) resource.PropertyMap {
				return patching(made, m{form: m{"spec": object["spec"]}})
			}
		}
	}
	return result
}

// settingRules is a JSON patch that sets the rules of a policy.
func settingRules(made map[string]any, object map[string]any) resource.PropertyMap {
	return patching(made, m{"jsonPatch": []any{m{"op": "add", "path": "/spec/rules", "value": object["spec"].(m)["rules"]}}})
}

// applyCustom applies an object of a kind of the test's own by force, under another field manager.
func (w world) applyCustom(manager string, object map[string]any) {
	w.t.Helper()
	kind, _ := object["kind"].(string)
	_, err := w.client.Resource(customKind(w.group(), kind)).Namespace(w.namespace).Apply(w.t.Context(), name(object),
		&unstructured.Unstructured{Object: object}, metav1.ApplyOptions{FieldManager: manager, Force: true})
	require.NoError(w.t, err)
}

func TestAPreviewShowsBothTheItemThatGoesAndTheOneThatComes(t *testing.T) {
	t.Parallel()
	const env = ".spec.template.spec.containers[0].env"
	container := func(names ...string) map[string]any {
		var variables []any
		for _, name := range names {
			variables = append(variables, m{"name": name, "value": "x"})
		}
		return m{"name": "web", "image": "nginx:1", "env": variables}
	}
	for _, c := range []struct {
		what     string
		from, to []string
		places   map[string]string
	}{
		{"in one place [D104]", []string{"X", "Y"}, []string{"X", "Z"}, map[string]string{"[1]": "update"}},
		{"in all places [D104]", []string{"X", "Y"}, []string{"V", "W"}, map[string]string{"[0]": "update", "[1]": "update"}},
		{"in different places", []string{"X", "Y"}, []string{"Y", "Z"}, map[string]string{"[0]": "delete", "[1]": "add"}},
	} {
		for _, form := range []string{"manifest", "patch"} {
			t.Run(form+": "+c.what, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				manifest := w.deployment(t, "web")
				in := func(names ...string) resource.PropertyMap {
					own := m{"spec": m{"template": m{"spec": m{"containers": []any{container(names...)}}}}}
					if form == "patch" {
						return patching(manifest, m{form: own})
					}
					whole := w.deployment(t, "web")
					whole["spec"].(m)["template"].(m)["spec"].(m)["containers"] = []any{container(names...)}
					return program(whole, atOnce)
				}
				p := start(t, inline(newUser(t)))
				s := p.resource(t, "web")
				if form == "patch" {
					w.create(manifest)
					s = patchIn(t, p, "web")
				}
				s.mustUp("create", in(c.from...))
				want := map[string]string{}
				for place, kind := range c.places {
					want[form+env+place] = kind
				}
				assert.Equal(t, want, drifted(s, in(c.to...)))
				s.mustUp("update", in(c.to...)).mustUp("same", in(c.to...))
			})
		}
	}
}

func TestAPreviewShowsNoDefaultAsRemovedThatTheAPIServerKeeps(t *testing.T) {
	t.Parallel()
	const before = `[{name: a, weight: 1}, {name: b, weight: 2, mode: slow}]`
	for form, begin := range setters() {
		for _, c := range []struct {
			what, rules string
			places      map[string]string
		}{
			{"where an item of an atomic list changes", `[{name: a, weight: 7}, {name: b, weight: 2, mode: slow}]`, map[string]string{"[0].weight": "update"}},
			{"where one comes", `[{name: a, weight: 1}, {name: b, weight: 2, mode: slow}, {name: c}]`, map[string]string{"[2]": "add"}},
			{"where one goes", `[{name: a, weight: 1}]`, map[string]string{"[1]": "delete"}},
			{"where one moves", `[{name: b, weight: 2, mode: slow}, {name: a, weight: 1}]`, map[string]string{
				"[0].name": "update", "[0].weight": "update", "[0].mode": "update", "[1].name": "update", "[1].weight": "update", "[1].mode": "delete"}},
			{"but a value that is left to the default", `[{name: a, weight: 1}, {name: b, weight: 2}]`, map[string]string{"[1].mode": "delete"}},
		} {
			t.Run(form+": "+c.what+" [D109]", func(t *testing.T) {
				t.Parallel()
				w, _ := newRuled(t)
				s, in := begin(t, w, start(t, inline(newUser(t))), w.ruledBy(t, `[{name: z}]`))
				s.mustUp("create", in(w.ruledBy(t, before)))
				want := map[string]string{}
				for place, kind := range c.places {
					want[form+".spec.rules"+place] = kind
				}
				assert.Equal(t, want, drifted(s, in(w.ruledBy(t, c.rules))))
				s.mustUp("update", in(w.ruledBy(t, c.rules))).mustUp("same", in(w.ruledBy(t, c.rules)))
			})
		}
		t.Run(form+": in drift [D109]", func(t *testing.T) {
			t.Parallel()
			w, _ := newRuled(t)
			s, in := begin(t, w, start(t, inline(newUser(t))), w.ruledBy(t, `[{name: z}]`))
			s.mustUp("create", in(w.ruledBy(t, before)))
			w.applyCustom("intern", w.ruledBy(t, `[{name: a, weight: 9}, {name: b, weight: 2, mode: slow}]`))
			assert.Equal(t, map[string]string{form + ".spec.rules[0].weight": "update"}, drifted(s, in(w.ruledBy(t, before))))
			s.mustUp("update", in(w.ruledBy(t, before))).mustUp("same", in(w.ruledBy(t, before)))
		})
		t.Run(form+": nor a place in a list that has a secret", func(t *testing.T) {
			t.Parallel()
			w, _ := newRuled(t)
			s, in := begin(t, w, start(t, inline(newUser(t))), w.ruledBy(t, `[{name: z}]`))
			hidden := func(weight int) resource.PropertyMap {
				object := w.ruledBy(t, before)
				rules := slices.Clone(object["spec"].(m)["rules"].([]any))
				rules[0] = m{"name": secret("hunter2"), "weight": weight}
				object["spec"].(m)["rules"] = rules
				return in(object)
			}
			s.mustUp("create", hidden(1))
			assert.Equal(t, map[string]string{form + ".spec.rules": "update"}, drifted(s, hidden(7)))
		})
	}
	t.Run("jsonPatch: in drift [D109]", func(t *testing.T) {
		t.Parallel()
		for drift, want := range map[string]map[string]string{
			`[{name: a, weight: 9}, {name: b, weight: 2, mode: slow}]`:            {"[0].weight": "update"},
			`[{name: a, weight: 1}]`:                                              {"[1]": "add"},
			`[{name: a, weight: 1}, {name: b, weight: 2, mode: slow}, {name: c}]`: {"[2]": "delete"},
		} {
			w, _ := newRuled(t)
			made := w.ruledBy(t, `[{name: z}]`)
			w.applyCustom("owner", made)
			s, in := patchIn(t, start(t, inline(newUser(t))), "it"), settingRules(made, w.ruledBy(t, before))
			s.mustUp("create", in)
			w.applyCustom("intern", w.ruledBy(t, drift))
			places := map[string]string{}
			for place, kind := range want {
				places["jsonPatch[0].value"+place] = kind
			}
			assert.Equal(t, places, drifted(s, in))
			s.mustUp("update", in).mustUp("same", in)
		}
	})
}
