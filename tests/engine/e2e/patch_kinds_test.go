package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPatchesOfKubectlsObjects patches what kubectl apply has made, by a merge patch and by a JSON patch.
func TestPatchesOfKubectlsObjects(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	merged, operated := "v1/ConfigMap/"+space+"/merged", "v1/ConfigMap/"+space+"/operated"
	apply := func() {
		for _, name := range []string{"merged", "operated"} {
			kubectl(t, c, fmt.Sprintf(`
apiVersion: v1
kind: ConfigMap
metadata: {name: %s, namespace: %s, annotations: {example.com/team: blue}}
data: {log: info, mode: slow, kept: k, obsolete: "1"}
`, name, space), "apply", "-f", "-")
		}
	}
	apply()
	declare := func(merge, operations string) {
		s.program(t, "%s", "resources:"+
			patchOf("merged", targetConfigMap(space, "merged"), "mergePatch: "+merge)+
			patchOf("operated", targetConfigMap(space, "operated"), "jsonPatch: "+operations))
	}
	const taken = `will take from kubectl-client-side-apply: `
	const operations = `
        - {op: test, path: /data/mode, value: slow}
        - {op: replace, path: /data/log, value: debug}
        - {op: add, path: /metadata/annotations/example.com~1team, value: red}
        - {op: add, path: /data/new, value: ""}
        - {op: remove, path: /data/obsolete}`

	step(t, "create [P1, P11, P12, P14, P22, P23]", func(t *testing.T) {
		// A null in the program's YAML does not reach the provider; as text it does.
		declare(`{data: {obsolete: null}}`, operations)
		assert.Contains(t, s.preview(t), "mergePatch.data is an empty object, which sets nothing")
		declare(`'{"metadata": {"annotations": {"example.com/team": "red"}}, "data": {"log": "debug", "new": "", "obsolete": null}}'`, operations)
		out := s.preview(t)
		for _, line := range []string{
			`data.log: "info" -> "debug"`, `metadata.annotations["example.com/team"]: "blue" -> "red"`, `data.obsolete: "1" -> nothing`,
		} {
			assert.Equal(t, 2, strings.Count(out, line), "%s: %s", line, out)
		}
		assert.Contains(t, out, taken)
		s.up(t)
		saved := s.export(t)
		for name, id := range map[string]string{"merged": merged, "operated": operated} {
			live := k.get(t, id)
			assert.Equal(t, map[string]any{"log": "debug", "mode": "slow", "kept": "k", "new": ""}, live.Object["data"])
			assert.Equal(t, "red", live.GetAnnotations()["example.com/team"])
			assert.Equal(t, map[string]any{
				"data": map[string]any{"log": "debug", "new": ""}, "metadata": map[string]any{"annotations": map[string]any{"example.com/team": "red"}},
			}, saved.get(t, name).Outputs["managedFields"])
			assert.Equal(t, map[string]any{
				"data.log": "kubectl-client-side-apply", "data.obsolete": "kubectl-client-side-apply",
				`metadata.annotations["example.com/team"]`: "kubectl-client-side-apply",
			}, saved.get(t, name).Outputs["previousOwners"])
			assert.Len(t, k.ours(t, id), 1)
		}
		s.previewEmpty(t)
	})
	step(t, "drift is in the patched fields alone, and put right in place [P13, P16, P17]", func(t *testing.T) {
		for _, id := range []string{merged, operated} {
			k.merge(t, id, `{metadata: {labels: {theirs: x}}, data: {log: lost, kept: changed, mode: fast}}`)
		}
		out := s.preview(t)
		assert.ElementsMatch(t, []string{`~ log: "lost" => "debug"`, `~ value: "lost" => "debug"`}, changedLines(out), out)
		assert.Contains(t, s.runFails(t, "up", "--yes", "--skip-preview", "--continue-on-error"), "has drifted and is not corrected",
			"the test of the JSON patch does not hold: the object is not what it was written for [D7]")
		k.merge(t, operated, `{data: {mode: slow}}`)
		s.up(t)
		k.merge(t, operated, `{data: {mode: fast}}`)
		for _, id := range []string{merged, operated} {
			assert.Equal(t, map[string]any{"log": "debug", "mode": "fast", "kept": "changed", "new": ""}, k.value(t, id, "data"))
		}
		s.previewEmpty(t)
	})
	step(t, "another text of the same patch is none [P19]", func(t *testing.T) {
		declare(`"metadata: {annotations: {example.com/team: red}}\ndata: {obsolete: null, new: '', log: debug}"`, operations)
		s.previewEmpty(t)
	})
	step(t, "what a new patch drops stays as it is and is nobody's [P1, P24]", func(t *testing.T) {
		declare(`{data: {log: trace}}`, `[{op: replace, path: /data/log, value: trace}]`)
		out := s.preview(t)
		assert.Contains(t, out, "~ 2 to update")
		assert.NotContains(t, out, "will take")
		s.up(t)
		saved := s.export(t)
		for name, id := range map[string]string{"merged": merged, "operated": operated} {
			live := k.get(t, id)
			assert.Equal(t, map[string]any{"log": "trace", "mode": "fast", "kept": "changed", "new": ""}, live.Object["data"])
			assert.Equal(t, "red", live.GetAnnotations()["example.com/team"])
			assert.Equal(t, []string{"data.log"}, keysOf(saved.get(t, name).Outputs["fieldOwnership"]))
			assert.JSONEq(t, `{"f:data": {"f:log": {}}}`, k.oursIn(t, id))
		}
		s.previewEmpty(t)
	})
	step(t, "the kind of patch changes in place, and so does what it removes [P1]", func(t *testing.T) {
		s.program(t, "%s", "resources:"+
			patchOf("merged", targetConfigMap(space, "merged"), `jsonPatch: [{op: remove, path: /data/new}, {op: replace, path: /data/log, value: last}]`)+
			patchOf("operated", targetConfigMap(space, "operated"), `mergePatch: '{"data": {"new": null, "log": "last"}}'`))
		assert.Contains(t, s.up(t), "~ 2 updated")
		for _, id := range []string{merged, operated} {
			assert.Equal(t, map[string]any{"log": "last", "mode": "fast", "kept": "changed"}, k.value(t, id, "data"))
			assert.JSONEq(t, `{"f:data": {"f:log": {}}}`, k.oursIn(t, id))
		}
		assert.NotContains(t, s.up(t), "updated")
	})
	step(t, "destroy leaves the values, and kubectl applies again [P1, P25]", func(t *testing.T) {
		s.handBack(t, k, merged, operated)
		apply()
		for _, id := range []string{merged, operated} {
			assert.Equal(t, map[string]any{"log": "info", "mode": "slow", "kept": "k", "obsolete": "1"}, k.value(t, id, "data"))
		}
	})
}
