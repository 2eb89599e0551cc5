package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const poolDefinition = `
resources:
  pools:
    type: k8sconnect:KubeObject
    properties:
      deleteInstances: true
      manifest:
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: { name: pools.GROUP }
        spec:
          group: GROUP
          scope: Cluster
          names: { kind: Pool, plural: pools, singular: pool, listKind: PoolList }
          versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } } }]
  defined:
    type: k8sconnect:Wait
    properties: { resourceRef: "${pools.resourceRef}", waitFor: { ready: true } }
`

// The namespace of a set is for namespaced objects. Of a custom kind that is defined elsewhere, the set does not know whether it is
// namespaced.
func TestTheNamespaceOfASetAndACustomKindThatIsClusterScoped(t *testing.T) { // [D112]
	t.Parallel()
	k, s, space := kubeOf(t, shared.Get(t)), newStack(t), shared.Get(t).Namespace(t)
	group := space + ".example.net"
	require.NoError(t, os.MkdirAll(filepath.Join(s.dir, "web", "templates"), 0o700))
	s.file(t, "web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n")
	s.file(t, "web/templates/pool.yaml", "apiVersion: "+group+"/v1\nkind: Pool\nmetadata: { name: of-chart }\n")
	declare := func(more string) {
		s.program(t, "%s", strings.NewReplacer("GROUP", group, "SPACE", space).Replace(poolDefinition+more))
	}
	declare("")
	s.up(t)
	declare(`
  objects:
    type: k8sconnect:Manifests
    properties: { namespace: SPACE, manifests: [{ apiVersion: GROUP/v1, kind: Pool, metadata: { name: of-set } }] }
    options: { dependsOn: ["${defined}"] }
  release:
    type: k8sconnect:Chart
    properties: { chart: ./web, namespace: SPACE }
    options: { dependsOn: ["${defined}"] }
`)
	for _, out := range []string{s.preview(t), s.up(t)} {
		assert.NotContains(t, out, "metadata.namespace is ignored", "no manifest has it")
		for _, name := range []string{"of-set", "of-chart"} {
			assert.Contains(t, out, "Pool "+name+" belongs to no namespace, so that of its set or release does not apply to it.")
		}
	}
	k.get(t, group+"/v1/Pool/of-set")
	k.get(t, group+"/v1/Pool/of-chart")
	s.previewEmpty(t)

	declare(`
  own:
    type: k8sconnect:KubeObject
    properties: { manifest: { apiVersion: GROUP/v1, kind: Pool, metadata: { name: own, namespace: SPACE } } }
`)
	assert.Contains(t, s.up(t), "Pool own belongs to no namespace; metadata.namespace is ignored.")
}
