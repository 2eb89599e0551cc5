package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/sets"
)

func TestALargeSetComesUpFromNothing(t *testing.T) { // [M3] [M25]
	t.Parallel()
	for _, set := range []sets.Set{sets.ArgoCD(), sets.Large()} {
		t.Run(set.Name, func(t *testing.T) {
			t.Parallel()
			text, err := set.Text()
			require.NoError(t, err)
			c, objects, definitions := shared.Get(t), len(set.Objects), len(set.Definitions())
			s, user := setOf(t, c, string(text))
			assert.NotContains(t, s.preview(t), "warning:")

			applied := recordOf(t, c, user)
			out := s.up(t)
			assert.Contains(t, out, fmt.Sprintf("+ %d created", objects+definitions+4), "the objects, a Wait for each definition, the stack, the set, its record and its guard")
			assert.NotContains(t, out, "warning:")
			assert.Empty(t, applied.refused(t))
			retried := applied.requests(t, func(r cluster.Request) bool { return r.Verb == "patch" }).CountBy(cluster.Request.Path)
			require.Len(t, retried, objects)
			for path, requests := range retried {
				assert.Equal(t, 1, requests, path)
			}
			assert.NotContains(t, s.previewEmpty(t), "warning:")
		})
	}
}

func TestTheLightestObjectsOfASetAreAppliedFirst(t *testing.T) { // [M25]
	t.Parallel()
	c := shared.Get(t)
	space := c.Namespace(t)
	configMap := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME, namespace: SPACE}\ndata: {file: DATA}\n"
	documents := []string{replaceAll(configMap, "NAME", "big", "DATA", strings.Repeat("x", 300_000))}
	var small []string
	for i := range 40 {
		name := fmt.Sprintf("small-%d", i)
		small = append(small, name)
		documents = append(documents, replaceAll(configMap, "NAME", name, "DATA", "x"))
	}
	documents = append(documents, replaceAll(setWebUses, "CONFIG", "big"))
	s, user := setOf(t, c, setIn(space, documents...))
	applied := recordOf(t, c, user)
	s.up(t)
	for _, name := range small {
		applied.order(t, "patch", "configmaps/"+name, "configmaps/big", "deployments/web")
	}
	s.previewEmpty(t)
	s.destroy(t)
}

const setWebUses = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: SPACE}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1", envFrom: [{configMapRef: {name: CONFIG}}]}]}
`

func TestManyObjectsOfASetCostNoMoreRequestsThanByThemselves(t *testing.T) { // [M23]
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	const many = 1000
	s.env["PULUMI_SKIP_CHECKPOINTS"] = "true" // What the engine saves in between is no matter of the set.
	var documents []string
	for i := range many {
		documents = append(documents, setIn(space, replaceAll(setSettings, "name: settings", fmt.Sprintf("name: settings-%03d", i))))
	}
	s.file(t, "set.yaml", strings.Join(documents, "---\n"))
	s.program(t, "resources: {shop: {type: k8sconnect:Manifests, properties: {files: [set.yaml]}}}\n")
	count := func(run func()) map[string]int {
		mark, err := c.AuditMark()
		require.NoError(t, err)
		run()
		requests, err := c.RequestsSince(mark)
		require.NoError(t, err)
		counts := map[string]int{}
		for _, request := range requests.Where(func(r cluster.Request) bool {
			return strings.HasPrefix(r.UserAgent, "pulumi-k8sconnect/") && strings.Contains(r.URI, "/namespaces/"+space+"/")
		}) {
			if object, what := objectAndVerb(request); strings.HasPrefix(object, "settings-") {
				counts[what]++
			}
		}
		return counts
	}
	assert.Equal(t, map[string]int{"patch": many}, count(func() { s.up(t) }))
	assert.Equal(t, map[string]int{"get": many}, count(func() { s.previewEmpty(t) }))
	assert.Len(t, s.export(t).named("k8sconnect:index:KubeObject"), many)
	k.get(t, "v1/ConfigMap/"+space+"/settings-999")
	s.destroy(t)
	k.gone(t, "v1/ConfigMap/"+space+"/settings-999")
}
