package kinds

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestObjectsAreAppliedAfterWhatTheyNeed(t *testing.T) {
	for _, c := range []struct{ sentence, first, then string }{
		{"a definition before the namespace that its operator is in", "CustomResourceDefinition.apiextensions.k8s.io", "Namespace"},
		{"a namespace before its quota", "Namespace", "ResourceQuota"},
		{"a quota before what it counts", "ResourceQuota", "ConfigMap"},
		{"a ServiceAccount before its binding", "ServiceAccount", "RoleBinding.rbac.authorization.k8s.io"},
		{"a role before its binding", "ClusterRole.rbac.authorization.k8s.io", "ClusterRoleBinding.rbac.authorization.k8s.io"},
		{"a Secret before the pods that mount it", "Secret", "Deployment.apps"},
		{"a binding before the operator that needs it", "ClusterRoleBinding.rbac.authorization.k8s.io", "Deployment.apps"},
		{"a workload before what scales it", "Deployment.apps", "HorizontalPodAutoscaler.autoscaling"},
		{"an operator before its objects", "Deployment.apps", "Certificate.cert-manager.io"},
		{"a kind of Kubernetes that is not known here before custom ones", "Brandnew.apps", "Certificate.cert-manager.io"},
		{"webhooks after the Deployment that serves them", "Deployment.apps", "ValidatingWebhookConfiguration.admissionregistration.k8s.io"},
		{"webhooks after the objects that they would see too early", "Certificate.cert-manager.io", "MutatingWebhookConfiguration.admissionregistration.k8s.io"},
		{"an APIService after the Service that it names", "Service", "APIService.apiregistration.k8s.io"},
	} {
		t.Run(c.sentence+" [D47]", func(t *testing.T) {
			first, then := schema.ParseGroupKind(c.first), schema.ParseGroupKind(c.then)
			assert.Negative(t, CompareApplyOrder(first, then))
			assert.Positive(t, CompareApplyOrder(then, first))
		})
	}
	t.Run("of one step, as they were written [D47]", func(t *testing.T) {
		written := []schema.GroupKind{{Kind: "Secret"}, {Kind: "ConfigMap"}, {Group: "b.org", Kind: "X"}, {Group: "a.org", Kind: "Y"}}
		ordered := slices.Clone(written)
		slices.SortStableFunc(ordered, CompareApplyOrder)
		assert.Equal(t, written, ordered)
	})
}
