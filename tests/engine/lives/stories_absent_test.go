package lives_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAnIgnoredValueBesideOneThatIsNotThere tells that what the program ignores stays when the last value of the resource beside it leaves
// the program, also where the API server has never kept that value: the resource still owns it, and an apply that gives up the last owned
// field of a map removes the map.
func TestAnIgnoredValueBesideOneThatIsNotThere(t *testing.T) { // [D50]
	gated, note := `{data: {gated: "on"}}`, `{metadata: {annotations: {note: ours}}}`
	data := func(p *place) any { return p.live("ConfigMap", "settings").Object["data"] }

	t.Run("admission has dropped it", func(t *testing.T) {
		for name, ignored := range map[string]with{"one key is ignored": ignoring("data.a"), "the map is ignored": ignoring("data")} {
			t.Run(name, func(t *testing.T) {
				story(t, "[D56]", "gated", func(p *place) {
					p.up(object("settings", changed(configMap("settings"), gated), ignored))
					require.Equal(p, m{"a": "1"}, data(p))
					p.unchangedObject(object("settings", changed(configMap("settings"), note), ignored))
					require.Equal(p, m{"a": "1"}, data(p), "the value went")
				})
			})
		}
	})
	t.Run("a run whose state is lost has set it", func(t *testing.T) {
		story(t, "[D56]", "gated", func(p *place) {
			ignored, kept := ignoring("data.a"), t.TempDir()
			p.up(object("settings", configMap("settings"), ignored))
			p.up(object("settings", changed(configMap("settings"), rev2), ignored))
			require.NoError(p, os.CopyFS(kept, os.DirFS(p.stack.Backend)))
			p.up(object("settings", changed(configMap("settings"), gated), ignored))
			require.NoError(p, os.RemoveAll(p.stack.Backend))
			require.NoError(p, os.CopyFS(p.stack.Backend, os.DirFS(kept)))
			p.up(object("settings", changed(configMap("settings"), note), ignored))
			require.Equal(p, m{"a": "1"}, data(p), "the value went")
		})
	})
	t.Run("it is an empty map", func(t *testing.T) {
		story(t, "[D56]", "plain", func(p *place) {
			web, ignored := deployment("web"), ignoring("spec.template.spec.containers[name=main].resources.requests")
			resources := func() any {
				template := p.live("Deployment", "web").Object["spec"].(m)["template"].(m)["spec"].(m)
				return template["containers"].([]any)[0].(m)["resources"]
			}
			with := func(resources string) m {
				return changed(web, `{spec: {template: {spec: {containers: [{name: main, image: "web:1", resources: `+resources+`}]}}}}`)
			}
			p.up(object("web", with("{requests: {cpu: 100m}, limits: {}}"), ignored))
			require.Equal(p, m{"requests": m{"cpu": "100m"}}, resources())
			p.unchangedObject(object("web", changed(with("{requests: {cpu: 100m}}"), rev2), ignored))
			require.Equal(p, m{"requests": m{"cpu": "100m"}}, resources(), "the value went")
		})
	})
}

// TestAPatchOfWhatIsNotThereLeavesTheRest tells the same of a Patch: the API server has dropped its only value in a map of which nobody
// owns the rest.
func TestAPatchOfWhatIsNotThereLeavesTheRest(t *testing.T) { // [D50]
	for _, onDestroy := range []string{"leave", "remove"} {
		t.Run(onDestroy, func(t *testing.T) {
			story(t, "[D56]", "gated", func(p *place) {
				require.NoError(p, put(p.Context(), p.namespace, configMap("settings")))
				p.edit("ConfigMap", "settings", `{metadata: {managedFields: [{manager: theirs, operation: Apply, apiVersion: v1,
					fieldsType: FieldsV1, fieldsV1: {"f:metadata": {"f:labels": {"f:rev": {}}}}}]}}`)
				patch := func(content string) declared {
					return patchOf("patch", m{
						"target": m{"apiVersion": "v1", "kind": "ConfigMap", "name": "settings"}, "patch": parsef("%s", content), "onDestroy": onDestroy,
					})
				}
				for _, program := range [][]declared{
					{patch(`{metadata: {labels: {ours: "1"}}, data: {gated: "on"}}`)},
					{patch(`{metadata: {labels: {ours: "1"}}}`)},
					{patch(`{data: {gated: "on"}}`)},
					{},
				} {
					p.up(program...)
					require.Equal(p, m{"a": "1"}, p.live("ConfigMap", "settings").Object["data"], "the value went")
				}
			})
		})
	}
}
