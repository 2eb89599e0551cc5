package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// An operator, and two objects that only it lets go.
const (
	setHeldBoxes = `apiVersion: GROUP/v1
kind: Box
metadata: {name: first, namespace: SPACE, finalizers: [GROUP/cleanup]}
---
apiVersion: GROUP/v1
kind: Box
metadata: {name: second, namespace: SPACE, finalizers: [GROUP/cleanup]}
`
	setOperator = `apiVersion: apps/v1
kind: Deployment
metadata: {name: operator, namespace: SPACE}
spec:
  selector: {matchLabels: {app: operator}}
  template:
    metadata: {labels: {app: operator}}
    spec: {serviceAccountName: operator, containers: [{name: operator, image: "operator:1"}]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: operator, namespace: SPACE}
`
	setOperatorRole = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: operator, namespace: SPACE}
rules: [{apiGroups: [GROUP], resources: [boxes, boxes/finalizers], verbs: [get, list, watch, patch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: operator, namespace: SPACE}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: operator}
subjects: [{kind: ServiceAccount, name: operator, namespace: SPACE}]
`
	setOperatorAdmin = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: SPACE}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: operator, namespace: SPACE}]
`
)

// operate is the operator of the boxes of a namespace: it removes the finalizers of those that are deleted. It runs as long as its
// Deployment is there, and has the permissions of its account and no others.
func operate(t *testing.T, c *cluster.Cluster, space string) {
	t.Helper()
	account, err := c.ServiceAccount(t.Context(), space, "operator", time.Hour)
	require.NoError(t, err)
	client, err := dynamic.NewForConfig(account.RESTConfig())
	require.NoError(t, err)
	boxes := client.Resource(schema.GroupVersionResource{Group: space + ".example.com", Version: "v1", Resource: "boxes"}).Namespace(space)
	_, err = boxes.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err, "the operator has its permissions")
	go func() {
		_ = wait.PollUntilContextCancel(t.Context(), 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
			deployment, err := c.Client().AppsV1().Deployments(space).Get(ctx, "operator", metav1.GetOptions{})
			if apierrors.IsNotFound(err) || err == nil && deployment.DeletionTimestamp != nil {
				return true, nil
			}
			list, err := boxes.List(ctx, metav1.ListOptions{})
			if err != nil {
				return false, nil //nolint:nilerr // it tries again
			}
			for _, box := range list.Items {
				if box.GetDeletionTimestamp() != nil {
					_, _ = boxes.Patch(ctx, box.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
				}
			}
			return false, nil
		})
	}()
}

func TestASetIsTakenDownBeforeItsOperator(t *testing.T) { // [M6]
	t.Parallel()
	c := shared.Get(t)
	for name, variant := range map[string]struct {
		permissions string
		binding     string // the end of its path
		leave       func(t *testing.T, s *stack) result
	}{
		"destroyed": {setOperatorRole, "rolebindings/operator", func(t *testing.T, s *stack) result {
			t.Helper()
			return s.succeed(t, "destroy", "--yes", "--skip-preview")
		}},
		"admin": {setOperatorAdmin, "clusterrolebindings/operator-admin", func(t *testing.T, s *stack) result {
			t.Helper()
			return s.succeed(t, "destroy", "--yes", "--skip-preview")
		}},
		"left": {setOperatorRole, "rolebindings/operator", func(t *testing.T, s *stack) result {
			t.Helper()
			s.program(t, "resources: {shop: {type: k8sconnect:Manifests, properties: {manifests: []}}}\n")
			return s.succeed(t, "up", "--yes", "--skip-preview")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, space := kubeOf(t, c), "operator-"+name
			s, user := setOf(t, c, setIn(space, setHeldBoxes, setOperator, variant.permissions, setNamespace, setDefinition))
			applied := recordOf(t, c, user)
			assert.NotContains(t, s.up(t), "warning:")
			assert.Empty(t, applied.refused(t))
			s.previewEmpty(t)

			operate(t, c, space)
			deleted := recordOf(t, c, user)
			r := variant.leave(t, s)
			assert.NotContains(t, r.out, "warning:")
			assert.Less(t, r.took, 100*time.Second, "nothing hangs") // The garbage collector knows new kinds after 30 seconds.
			for _, box := range []string{"boxes/first", "boxes/second"} {
				deleted.order(t, "delete", box, "deployments/operator", variant.binding, "serviceaccounts/operator", "namespaces/"+space)
				deleted.order(t, "delete", box, "deployments/operator", "customresourcedefinitions/boxes."+space+".example.com")
			}
			k.gone(t, "v1/Namespace/"+space)
		})
	}
}
