package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// definitionWithStatus is a kind with any fields and a status of its own.
const definitionWithStatus = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[2]s.%[1]s, annotations: {api-approved.kubernetes.io: unapproved}}
spec:
  group: %[1]s
  names: {kind: %[3]s, plural: %[2]s}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

// defineWithStatus defines such a kind, and returns a client that knows it.
func defineWithStatus(t *testing.T, c *cluster.Cluster, group, kind string) *kube {
	t.Helper()
	k := kubeOf(t, c)
	plural := strings.ToLower(kind) + "s"
	id := "apiextensions.k8s.io/v1/CustomResourceDefinition/" + plural + "." + group
	k.create(t, id, fmt.Sprintf(definitionWithStatus, group, plural, kind))
	t.Cleanup(func() { k.remove(t, id) })
	k.established(t, id)
	return kubeOf(t, c)
}

func TestWhenACustomObjectIsReady(t *testing.T) {
	t.Parallel()
	c := workloads.Get(t)
	t.Run("a kind of a well-known operator has a rule [R10]", func(t *testing.T) {
		t.Parallel()
		s, _, space := docsStack(t, c)
		k := defineWithStatus(t, c, "cert-manager.io", "Certificate")
		it, then := "cert-manager.io/v1/Certificate/"+space+"/web", "v1/ConfigMap/"+space+"/then"
		s.program(t, readyProgram, space, "{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: web}, spec: {secretName: web}}", "2s")
		assert.Contains(t, s.upFails(t), "Certificate "+space+"/web: timed out after 2s waiting for readiness [WaitTimedOut]")
		uid := k.get(t, it).GetUID()

		s.program(t, readyProgram, space, "{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: web}, spec: {secretName: web}}", "10m")
		k.status(t, it, `{status: {conditions: [{type: Ready, status: "False", observedGeneration: 1}, `+
			`{type: Issuing, status: "False", observedGeneration: 1, reason: Failed, message: "the domain is not ours"}]}}`)
		out := s.upFails(t) // long before the timeout
		assert.Contains(t, out, "[WaitFailed]")
		assert.Contains(t, out, "the domain is not ours")
		k.gone(t, then)

		k.status(t, it, `{status: {conditions: [{type: Ready, status: "True", observedGeneration: 1}]}}`)
		assert.NotContains(t, s.up(t), "which is a guess")
		k.get(t, then)
		assert.Equal(t, uid, k.get(t, it).GetUID(), "nothing is destroyed to retry")
		s.previewEmpty(t)
	})
	t.Run("words decide where there is no rule, and the output says so [R1] [R9]", func(t *testing.T) {
		t.Parallel()
		s, _, space := docsStack(t, c)
		k := defineWithStatus(t, c, "words.example", "Widget")
		it := "words.example/v1/Widget/" + space + "/it"
		manifest := "{apiVersion: words.example/v1, kind: Widget, metadata: {name: it}, spec: {size: 1}}"
		s.program(t, readyProgram, space, manifest, "2s")
		s.upFails(t)
		k.status(t, it, "{status: {phase: Failed, message: no such size}}")
		out := s.upFails(t)
		assert.Contains(t, out, "[WaitTimedOut]", "its controller may try again")
		assert.Contains(t, out, "status.phase is Failed: no such size")
		k.gone(t, "v1/ConfigMap/"+space+"/then")

		k.status(t, it, "{status: {phase: Running, message: null}}")
		assert.Contains(t, s.up(t), "Widget "+space+"/it counts as ready because status.phase is Running, which is a guess: there is no rule for Widget.")
		k.get(t, "v1/ConfigMap/"+space+"/then")
		s.previewEmpty(t)
	})
	t.Run("one that is suspended fails at once, with a reason of its own, until it is resumed [R8]", func(t *testing.T) {
		t.Parallel()
		s, _, space := docsStack(t, c)
		k := defineWithStatus(t, c, "kustomize.toolkit.fluxcd.io", "Kustomization")
		it := "kustomize.toolkit.fluxcd.io/v1/Kustomization/" + space + "/it"
		program := func(suspend bool) {
			s.program(t, readyProgram, space, fmt.Sprintf("{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: it}, spec: {suspend: %v}}", suspend), "10m")
		}
		program(true)
		out := s.upFails(t)
		assert.Contains(t, out, "[WaitSuspended]")
		assert.Contains(t, out, "it is suspended (spec.suspend), so its controller leaves it alone")
		uid := k.get(t, it).GetUID()
		k.status(t, it, `{status: {observedGeneration: 2, conditions: [{type: Ready, status: "True", observedGeneration: 2}]}}`)
		program(false)
		s.up(t)
		assert.Equal(t, uid, k.get(t, it).GetUID())
		s.previewEmpty(t)
	})
}
