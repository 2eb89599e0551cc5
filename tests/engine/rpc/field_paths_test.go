package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPathsAreWrittenAlikeEverywhere has one field in each spelling, for both inputs that take paths.
func TestPathsAreWrittenAlikeEverywhere(t *testing.T) {
	t.Parallel()
	const above, image = "spec.template.spec.", "containers[?@.name=='web'].image"
	for what, path := range map[string]string{
		"as it is written in a sentence": "spec.replicas", "with a leading dot": ".spec.replicas", "from the root": "$.spec.replicas",
		"in kubectl's braces": "{.spec.replicas}",
		"a name in quotes":    `metadata.annotations["a.b/c"]`, "a name with kubectl's backslashes": `metadata.annotations.a\.b/c`,
		"an item by its key": above + "containers[name=web].image", "every item": above + "containers[*].image",
		"a filter as kubectl wants it": above + "containers[?(@.name=='web')].image", "a filter of RFC 9535": above + image,
		"a filter on two keys": above + `containers[name=web].ports[?(@.containerPort==80 && @.protocol=="TCP")].name`,
	} {
		t.Run(what+": "+path+" [D25]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			web := object(t, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: it, namespace: %s, annotations: {a.b/c: first}}
spec:
  replicas: 1
  selector: {matchLabels: {app: it}}
  template:
    metadata: {labels: {app: it}}
    spec:
      containers:
      - {name: web, image: first, ports: [{containerPort: 80, protocol: TCP, name: first}]}
`, w.namespace)
			p := start(t, inline(newUser(t)))
			in := program(web, ignoring(path))
			s := p.resource(t, "it").mustUp("create", in)
			s.mustUp("update", with(t, in, "manifest.spec.minReadySeconds", 1)) // which hands the field over
			in = with(t, in, "manifest.spec.minReadySeconds", 1)
			w.edit("Deployment", "it", func(live map[string]any) {
				dig(live, "metadata", "annotations")["a.b/c"] = "second"
				dig(live, "spec")["replicas"] = int64(2)
				container := pick(dig(live, "spec", "template", "spec"), "containers", "web")
				container["image"] = "second"
				container["ports"].([]any)[0].(map[string]any)["name"] = "second"
			})
			drift := s.mustRead().mustDiff(in)
			assert.Len(t, drift, 3, "all but the ignored field has drifted: %v", drift)

			waits := p.wait(t, "it").mustUp("create", waiting(refTo(web), until("field", path, longTime)))
			require.NotNil(t, at(t, waits.outputs, "status"))
			want := "second"
			if path[len(path)-len("replicas"):] == "replicas" || what == "in kubectl's braces" {
				want = "2"
			}
			p.wait(t, "value").mustUp("create", waiting(refTo(web), m{"fieldValue": m{path: want}, "timeout": longTime}))
		})
	}
	t.Run("what ignoreFields cannot track is refused by Check, with the reason [D25]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "it")
		for path, why := range map[string]string{
			"spec.ports[0].port":        "is a position, and items move",
			"spec.ports[?@.port>80]":    "a filter can be tracked only",
			"spec..port":                "at any depth",
			"spec.ports[0:2]":           "positions",
			"spec['ports','selector']":  "one path each",
			"spec.ports[?@.a=='x'||!@]": "a filter can be tracked only",
		} {
			_, err := s.check(program(w.deployment(t, "it"), ignoring(path)), false)
			require.ErrorContains(t, err, why, path)
		}
	})
}
