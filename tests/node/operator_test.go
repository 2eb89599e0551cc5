//go:build linux && node

package node

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// controller is the operator of the custom kind with its rights, and the wait for its object. Nothing in it says in which
// order.
const controller = `
  ready:
    type: k8sconnect:Wait
    properties: {resourceRef: "${object.resourceRef}", waitFor: {ready: true, timeout: 2m}}
  operator:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: operator, namespace: $NS}
        spec:
          replicas: 1
          selector: {matchLabels: {app: operator}}
          template:
            metadata: {labels: {app: operator}}
            spec:
              serviceAccountName: operator
              terminationGracePeriodSeconds: 1
              containers:
              - name: operator
                image: "workload:1"
                args: [operator]
                env: [{name: PLURAL, value: $PLURAL}, {name: NAMESPACE, value: $NS}]
  account:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ServiceAccount, metadata: {name: operator, namespace: $NS}}
  role:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: rbac.authorization.k8s.io/v1
        kind: Role
        metadata: {name: operator, namespace: $NS}
        rules: [{apiGroups: [shop.example.com], resources: [$PLURAL, $PLURAL/status], verbs: [get, list, watch, patch]}]
  binding:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: rbac.authorization.k8s.io/v1
        kind: RoleBinding
        metadata: {name: operator, namespace: $NS}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: operator}
        subjects: [{kind: ServiceAccount, name: operator, namespace: $NS}]
`

// afterItsController has the object made after all that it needs, and so deleted before.
const afterItsController = `dependsOn: ["${operator}", "${account}", "${role}", "${binding}", "${definition}", "${configuration}", ` +
	`"${service}", "${certificate}", "${server}"], customTimeouts: {delete: 5s}`

func TestAnOperatorAndItsObjectInOneProgram(t *testing.T) {
	s := newStack(t)
	p := newPair(t, s)
	program := func(t *testing.T, options string) {
		t.Helper()
		s.program(t, p.with(s, true, "", strings.NewReplacer("$SIZE", "1", "$OPTIONS", options).Replace(customKind+controller)))
	}
	object := func(t *testing.T, path string) string {
		t.Helper()
		return s.kubectl(t, "get", plural(s)+".shop.example.com", "first", "--output=jsonpath="+path)
	}
	step(t, "definition, operator, webhook and custom resource need one up, in no order [N6]", func(t *testing.T) {
		program(t, "")
		s.up(t)
		assert.Equal(t, `["shop.example.com/clean-up"]`, object(t, "{.metadata.finalizers}"))
		assert.Equal(t, "True", object(t, `{.status.conditions[?(@.type=="Ready")].status}`))
		s.previewEmpty(t)
	})
	step(t, "while its operator is away, the custom resource does not go, which is explained, and what it needs stays [N6]", func(t *testing.T) {
		program(t, afterItsController)
		s.up(t)
		s.kubectl(t, "scale", "deployment", "operator", "--replicas=0")
		s.eventually(t, "", "get", "pods", "--selector=app=operator", "--output=name")
		out := s.fails(t, "destroy", "--yes", "--skip-preview")
		assert.Contains(t, out, "shop.example.com/clean-up: its controller has not removed it; check whether the controller still runs")
		assert.Equal(t, "operator", s.kubectl(t, "get", "deployment", "operator", "--output=jsonpath={.metadata.name}"))
	})
	step(t, "with the operator back it goes, and the next destroy goes through [N6]", func(t *testing.T) {
		s.kubectl(t, "scale", "deployment", "operator", "--replicas=1")
		s.eventually(t, "", "get", plural(s)+".shop.example.com", "--output=name")
		s.destroy(t)
		out, err := s.tryKubectl(t, "get", "crd", plural(s)+".shop.example.com")
		require.Error(t, err)
		assert.Contains(t, out, "NotFound")
	})
}
