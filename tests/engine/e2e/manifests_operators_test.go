package e2e

import (
	"context"
	"strings"
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

func TestASetIsNotTakenDownUnderTheObjectsOfOthers(t *testing.T) { // [M6]
	t.Parallel()
	c, space := shared.Get(t), "operator-of-others"
	s, _ := setOf(t, c, setIn(space, setHeldBoxes, setOperator, setOperatorRole, setNamespace, setDefinition))
	s.up(t)
	operate(t, c, space)
	const operator = "apps/v1/Deployment/operator-of-others/operator"
	theirs, definition := space+".example.com/v1/Box/"+space+"/theirs", "apiextensions.k8s.io/v1/CustomResourceDefinition/boxes."+space+".example.com"
	k := kubeOf(t, c) // which knows the new kind
	k.create(t, theirs, replaceAll(setBox, "GROUP", space+".example.com", "SPACE", space, "name: first", "name: theirs, finalizers: ["+space+".example.com/cleanup]"))

	refused := func(t *testing.T, r result) {
		t.Helper()
		require.NotZero(t, r.code, r.String())
		assert.Less(t, r.took, 100*time.Second)
		assert.Contains(t, r.out, `"shop" was not taken down: 1 object of kind Box.`+space+`.example.com would be deleted with the definition of the kind`)
		assert.Contains(t, r.out, "Box "+space+"/theirs")
		assert.Nil(t, k.get(t, operator).GetDeletionTimestamp(), "the operator runs on")
		k.get(t, definition)
	}
	step(t, "a destroy is refused before their operator is deleted", func(t *testing.T) {
		refused(t, s.exec(t, "destroy", "--yes", "--skip-preview"))
		s.up(t)
		s.previewEmpty(t)
	})
	step(t, "and so is an update that empties the set", func(t *testing.T) {
		s.program(t, "resources: {shop: {type: k8sconnect:Manifests, properties: {manifests: []}}}\n")
		refused(t, s.exec(t, "up", "--yes", "--skip-preview"))
		s.program(t, "resources: {shop: {type: k8sconnect:Manifests, properties: {files: [set.yaml]}}}\n")
		s.up(t)
		s.previewEmpty(t)
	})
	step(t, "when they are gone, which the operator makes possible, the destroy goes through", func(t *testing.T) {
		k.delete(t, theirs)
		eventually(t, "their object is gone", func() bool { return k.find(t, theirs) == nil })
		s.destroy(t)
		k.gone(t, "v1/Namespace/"+space)
	})
}

func TestASetWhoseDefinitionOutlivesItIsTakenDown(t *testing.T) { // [M6]
	t.Parallel()
	c := shared.Get(t)
	for name, test := range map[string]struct {
		annotations, overrides string
		gone                   bool
	}{
		"kept":    {"{helm.sh/resource-policy: keep}", "[]", false},
		"allowed": {"{}", "[{select: {kind: CustomResourceDefinition}, deleteInstances: true}]", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			space, elsewhere := "definition-"+name, c.Namespace(t)
			definition := strings.Replace(setDefinition, "{name: boxes.GROUP}", "{name: boxes.GROUP, annotations: "+test.annotations+"}", 1)
			s, _ := setOf(t, c, setIn(space, setOperator, setOperatorRole, setNamespace, definition))
			s.program(t, "resources: {shop: {type: k8sconnect:Manifests, properties: {files: [set.yaml], overrides: "+test.overrides+"}}}\n")
			s.up(t)
			k := kubeOf(t, c) // which knows the new kind
			theirs := space + ".example.com/v1/Box/" + elsewhere + "/first"
			k.create(t, theirs, replaceAll(setBox, "GROUP", space+".example.com", "SPACE", elsewhere))
			s.destroy(t)
			k.gone(t, "v1/Namespace/"+space)
			if !test.gone {
				k.get(t, theirs)
				k.remove(t, theirs)
				k.remove(t, "apiextensions.k8s.io/v1/CustomResourceDefinition/boxes."+space+".example.com")
			}
		})
	}
}
