package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

// whatIsDrift is a heading of the page about drift.
const whatIsDrift = "What counts as drift"

// pageOnDrift has each kind of drift shown, and what a preview does not know said, as it is printed there.
func pageOnDrift(t *testing.T, p page) {
	c := shared.Get(t)
	k := kubeOf(t, c)
	p.prove(t, proofs{
		anOutput:     p.told(whatIsDrift, "Drift that cannot be corrected", "Values that the API server does not keep"),
		commandLines: commands,
	})
	only := func(t *testing.T, section string, kind kind) string { return p.in(t, section, kind)[0].code }

	t.Run("what is scaled by hand is drift", func(t *testing.T) {
		t.Parallel()
		s, _, in := onPage(t, c)
		s.program(t, "%s", in(programOf(t, readPage(t, "ownership.md").in(t, ownedFields, aProgram)[0].code)))
		s.up(t)
		s.previewEmpty(t)
		shell(t, c, in(only(t, whatIsDrift, commandLines)))
		requireShown(t, in(only(t, whatIsDrift, anOutput)), s.preview(t))
	})

	t.Run("what a queue controller has started stays as it is", func(t *testing.T) {
		t.Parallel()
		s, space, in := onPage(t, c)
		job := func(rev string) {
			s.program(t, `
resources:
  import:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: batch/v1
        kind: Job
        metadata: {name: import, namespace: %s, labels: {rev: "%s"}}
        spec: {suspend: true, template: {spec: {restartPolicy: Never, nodeSelector: {pool: batch}, containers: [{name: main, image: "import:1"}]}}}
`, space, rev)
		}
		job("1")
		s.up(t)
		id := "batch/v1/Job/" + space + "/import"
		k.patch(t, id, types.MergePatchType, `{spec: {template: {spec: {nodeSelector: {zone: a}}}}}`, "kueue")
		k.patch(t, id, types.MergePatchType, `{spec: {suspend: false}}`, "kueue")
		uid := k.get(t, id).GetUID()
		job("2")
		requireShown(t, in(only(t, "Drift that cannot be corrected", anOutput)), s.preview(t))
		s.up(t)
		assert.Equal(t, uid, k.get(t, id).GetUID())
		assert.Equal(t, "2", k.value(t, id, "metadata", "labels", "rev"))
		requireShown(t, in(only(t, "Drift that cannot be corrected", anOutput)), s.previewEmpty(t))
	})

	t.Run("a field whose feature is off is named, each time", func(t *testing.T) {
		t.Parallel()
		s, space, in := onPage(t, c)
		s.program(t, `
resources:
  leader:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: coordination.k8s.io/v1
        kind: Lease
        metadata: {name: leader, namespace: %s}
        spec: {strategy: OldestEmulationVersion}
`, space)
		said := in(only(t, "Values that the API server does not keep", anOutput))
		requireShown(t, said, s.preview(t))
		requireShown(t, said, s.up(t))
		requireShown(t, said, s.previewEmpty(t))
	})

	t.Run("a preview says what it does not know", func(t *testing.T) {
		t.Parallel()
		s, _, in := onPage(t, c)
		said := regexp.MustCompile("`(value[^`]+)`").FindStringSubmatch(p.section(t, "What a preview knows"))
		require.NotNil(t, said)
		s.program(t, "%s", in(`
resources:
  first:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: first, namespace: shop}}}
  second:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: second, namespace: shop}, data: {uid: "${first.resourceRef.uid}"}}}
outputs: {name: "${second.resourceRef.name}", uid: "${second.resourceRef.uid}"}
`))
		out := s.preview(t)
		assert.Contains(t, out, strings.Replace(said[1], gap, "manifest.data.uid", 1))
		assert.Regexp(t, `name: "second"`, out)
		assert.Regexp(t, `uid *: \[unknown\]`, out)
	})

	t.Run("a program in YAML exports a secret value, and of what it is in nothing secret", func(t *testing.T) {
		t.Parallel()
		s, _, in := onPage(t, c)
		s.program(t, "%s", in(`
resources:
  token:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: Secret, metadata: {name: token, namespace: shop}, stringData: {token: swordfish}}}
  read: {type: k8sconnect:Wait, properties: {resourceRef: "${token.resourceRef}", waitFor: {field: data.token}}}
outputs: {whole: "${token.manifest}", value: "${token.manifest.stringData.token}"}
`))
		s.up(t)
		outputs := s.run(t, "stack", "output", "--json", "--show-secrets")
		assert.Contains(t, outputs, `"value": "swordfish"`)
		assert.Contains(t, outputs, `"stringData": {}`)
		assert.NotContains(t, s.run(t, "stack", "export"), "swordfish")
	})
}
