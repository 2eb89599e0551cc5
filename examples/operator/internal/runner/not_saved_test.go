package runner_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// denySaves has admission refuse every change of the state, until allow.
func (e *environment) denySaves() (allow func()) {
	e.t.Helper()
	name := metav1.ObjectMeta{Name: e.namespace}
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: name, Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
		MatchConstraints: &admissionregistrationv1.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": e.namespace}},
			ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Update},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"secrets"}},
			}}},
		},
		Validations: []admissionregistrationv1.Validation{{Expression: "false", Message: "no Secret is changed today"}},
	}}
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: name, Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: e.namespace, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
	}}
	require.NoError(e.t, direct.Create(e.t.Context(), policy))
	require.NoError(e.t, direct.Create(e.t.Context(), binding))
	allow = func() {
		_ = direct.Delete(e.t.Context(), binding)
		_ = direct.Delete(e.t.Context(), policy)
	}
	require.Eventually(e.t, func() bool {
		head := &corev1.Secret{}
		require.NoError(e.t, direct.Get(e.t.Context(), client.ObjectKey{Namespace: e.namespace, Name: "shop-state"}, head))
		return direct.Update(e.t.Context(), head, client.DryRunAll) != nil
	}, 40*time.Second, 50*time.Millisecond, "saves are denied")
	return allow
}

func TestARunWhoseStateIsRefusedSaysSoOnItsLease(t *testing.T) { // [X49]
	t.Parallel()
	e := newEnvironment(t)
	why := func() string {
		lease := &coordinationv1.Lease{}
		require.NoError(t, direct.Get(t.Context(), client.ObjectKey{Namespace: e.namespace, Name: "shop-run"}, lease))
		return lease.Annotations[v1alpha1.AnnotationNotSaved]
	}
	p := e.start(v1alpha1.OperationUpdate, e.slow())
	p.waiting()
	assert.Empty(t, why())
	allow := e.denySaves()
	e.fill()
	p.eventually("the Lease says why it cannot save", func() bool { return why() != "" })
	assert.Contains(t, why(), "no Secret is changed today")
	allow()
	require.Zero(t, p.wait(), p.log.String())
	assert.Equal(t, state.Succeeded, e.head().Record.Outcome)
	assert.Empty(t, why())
}
