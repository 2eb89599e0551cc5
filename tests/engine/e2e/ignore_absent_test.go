package e2e

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asOlder is a state without the hidden outputs in which this version of the provider remembers what the API server has not kept.
func asOlder(t testing.TB, exported string) string {
	t.Helper()
	var saved map[string]any
	require.NoError(t, json.Unmarshal([]byte(exported), &saved))
	for _, resource := range at(saved, "deployment", "resources").([]any) {
		outputs, _ := at(resource.(map[string]any), "outputs").(map[string]any)
		delete(outputs, "__absentFields")
		if outputs["__ignoredFields"] != nil {
			outputs["__ignoredFields"] = `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{"f:resources":{"f:requests":{"f:cpu":{}}}}}}}}}`
		}
	}
	older, err := json.Marshal(saved)
	require.NoError(t, err)
	return string(older)
}

func TestAnIgnoredValueBesideAnEmptyMap(t *testing.T) { // [D50] [D56]
	t.Parallel()
	k, space := kubeOf(t, shared.Get(t)), shared.Get(t).Namespace(t)
	const program = `
resources:
  web:
    type: k8sconnect:KubeObject
    properties:
      ignoreFields: ["spec.template.spec.containers[name=main].resources%s"]
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata: { name: %s, namespace: %s, labels: { version: "%d" } }
        spec:
          replicas: 0
          selector: { matchLabels: { app: web } }
          template:
            metadata: { labels: { app: web } }
            spec: { containers: [{ name: main, image: "web:1", resources: { requests: { cpu: 100m }%s } }] }
`
	for name, ignored := range map[string]string{"requests": ".requests", "all": ""} {
		for made, change := range map[string]func(t *testing.T, s *stack){
			"this": func(*testing.T, *stack) {},
			"older": func(t *testing.T, s *stack) {
				older := asOlder(t, s.exported(t))
				require.NotContains(t, older, "__absentFields")
				s.run(t, "stack", "import", "--stack="+s.name, "--file="+s.file(t, "older.json", older))
			},
		} {
			t.Run(name+" ignored, in a state of "+made+" version", func(t *testing.T) {
				t.Parallel()
				s, object := newStack(t), name+"-"+made
				id := "apps/v1/Deployment/" + space + "/" + object
				resources := func() any {
					return at(k.get(t, id).Object, "spec", "template", "spec", "containers").([]any)[0].(map[string]any)["resources"]
				}
				s.program(t, program, ignored, object, space, 1, ", limits: {}")
				s.up(t)
				change(t, s)
				s.previewEmpty(t)
				s.program(t, program, ignored, object, space, 2, "")
				s.up(t)
				assert.Equal(t, map[string]any{"requests": map[string]any{"cpu": "100m"}}, resources(), "what is ignored stays")
				s.previewEmpty(t)
				s.destroy(t)
			})
		}
	}
}
