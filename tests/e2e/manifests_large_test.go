package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

const (
	// Three of each operator, which has a group of its own.
	setPartDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: KINDs.OPERATOR.GROUP}
spec:
  group: OPERATOR.GROUP
  scope: Namespaced
  names: {kind: KIND, plural: KINDs}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}, status: {type: object}}}}
`
	setPartInstance = "apiVersion: OPERATOR.GROUP/v1\nkind: KIND\nmetadata: {name: NAME, namespace: SPACE}\nspec: {size: 1}\n"
	setPartOperator = `apiVersion: apps/v1
kind: Deployment
metadata: {name: OPERATOR, namespace: SPACE}
spec:
  selector: {matchLabels: {app: OPERATOR}}
  template:
    metadata: {labels: {app: OPERATOR}}
    spec: {serviceAccountName: OPERATOR, containers: [{name: operator, image: "operator:1", envFrom: [{configMapRef: {name: OPERATOR}}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: OPERATOR, namespace: SPACE}
spec: {selector: {app: OPERATOR}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: OPERATOR, namespace: SPACE}
data: {mode: "on"}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: OPERATOR, namespace: SPACE}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: OPERATOR}
subjects: [{kind: ServiceAccount, name: OPERATOR, namespace: SPACE}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: OPERATOR, namespace: SPACE}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: OPERATOR.GROUP}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: OPERATOR.GROUP}
subjects: [{kind: ServiceAccount, name: OPERATOR, namespace: SPACE}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: OPERATOR.GROUP}
rules: [{apiGroups: [OPERATOR.GROUP], resources: ["*"], verbs: ["*"]}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: OPERATOR, namespace: SPACE}
`
)

// platform is a set of 130 objects: five operators of eight objects, three definitions each, three custom resources of each
// kind, a namespace, and 29 other objects. The documents are in the worst order.
func platform(space string) string {
	var instances, operators, definitions, others []string
	for _, operator := range []string{"backup", "cache", "database", "gateway", "queue"} {
		for _, kind := range []string{"cluster", "policy", "user"} {
			part := func(text, name string) string {
				return replaceAll(text, "OPERATOR", operator, "KIND", kind, "NAME", name)
			}
			definitions = append(definitions, part(setPartDefinition, ""))
			for i := range 3 {
				instances = append(instances, part(setPartInstance, fmt.Sprintf("%s-%d", kind, i)))
			}
		}
		operators = append(operators, strings.ReplaceAll(setPartOperator, "OPERATOR", operator))
	}
	for i := range 29 {
		others = append(others, replaceAll(setSettings, "name: settings", fmt.Sprintf("name: settings-%02d", i)))
	}
	return setIn(space, slices.Concat(instances, operators, others, definitions, []string{setNamespace})...)
}

func TestALargeSetComesUpFromNothing(t *testing.T) { // [M3]
	t.Parallel()
	c, space := shared.Get(t), "manifests-large"
	s, user := setOf(t, c, platform(space))
	assert.NotContains(t, s.preview(t), "warning:")

	applied := recordOf(t, c, user)
	out := s.up(t)
	assert.Contains(t, out, "+ 148 created", "the objects, a Wait for each definition, the stack, the set and its record")
	assert.NotContains(t, out, "warning:")
	assert.Empty(t, applied.refused(t))
	retried := applied.requests(t, func(r cluster.Request) bool { return r.Verb == "patch" }).CountBy(cluster.Request.Path)
	require.Len(t, retried, 130)
	for path, requests := range retried {
		assert.Equal(t, 1, requests, path)
	}
	assert.NotContains(t, s.previewEmpty(t), "warning:")
}
