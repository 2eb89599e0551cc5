package controller_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// approve creates an Approval.
func (p *place) approve(environment, plan string) *v1alpha1.Approval {
	p.Helper()
	approval := &v1alpha1.Approval{
		ObjectMeta: metav1.ObjectMeta{GenerateName: environment + "-"},
		Spec:       v1alpha1.ApprovalSpec{EnvironmentRef: v1alpha1.EnvironmentReference{Name: environment}, Plan: plan},
	}
	p.make(approval)
	return approval
}

// approvalSays waits until an Approval says why it is used or not, and returns its message.
func (p *place) approvalSays(approval *v1alpha1.Approval, reason string) string {
	p.Helper()
	var used *metav1.Condition
	p.eventually(func() bool {
		require.NoError(p, p.Get(p.Context(), client.ObjectKeyFromObject(approval), approval))
		used = meta.FindStatusCondition(approval.Status.Conditions, v1alpha1.ConditionUsed)
		return used != nil && used.Reason == reason
	}, "the Approval says "+reason)
	assert.Equal(p, reason == v1alpha1.ApprovalUsed, used.Status == metav1.ConditionTrue)
	assert.Equal(p, approval.Generation, used.ObservedGeneration)
	return used.Message
}

// planned does what the first run of an Environment does that makes a plan.
func planned(hash string) func(*state.Head) {
	return func(head *state.Head) {
		head.Record.Applied = false
		head.Record.Plan = &v1alpha1.Plan{Hash: hash, InputHash: head.Record.InputHash, Summary: v1alpha1.Summary{"create": 1}}
	}
}

func TestAnApprovalSaysWhatBecameOfIt(t *testing.T) { // [X68]
	p := newPlace(t)
	nobody := p.approve("shop", "plan-1")
	assert.Contains(t, p.approvalSays(nobody, v1alpha1.ApprovalOfNobody), "There is no Environment shop in this namespace")

	p.environment(func(spec *v1alpha1.EnvironmentSpec) { spec.Approval = v1alpha1.ApprovalReviewed })
	early := p.approve("shop", "plan-0")
	assert.Contains(t, p.approvalSays(early, v1alpha1.ApprovalOfNothing), "In Environment shop, no plan waits for an approval")
	p.runs(1, planned("plan-1"))
	p.becomes("WaitingForApproval")
	message := p.approvalSays(early, v1alpha1.ApprovalOfOtherPlan)
	assert.Contains(t, message, "for the plan plan-0")
	assert.Contains(t, message, "the plan plan-1 waits")
	p.approvalSays(nobody, v1alpha1.ApprovalOfNobody)
	p.becomes("WaitingForApproval") // One that was there before the Environment was approves nothing.

	given := p.approve("shop", "plan-1")
	assert.Contains(t, p.approvalSays(given, v1alpha1.ApprovalUsed), "Run 2 has begun with it")
	p.runs(2)
	p.becomes("Applied")
	p.approvalSays(given, v1alpha1.ApprovalUsed)
	assert.Contains(t, p.approvalSays(early, v1alpha1.ApprovalOfNothing), "no plan waits")

	p.remove()
	p.runs(3, func(head *state.Head) { head.Record.ResourceCount = 0 })
	p.eventually(func() bool { return p.isGone(given) && p.isGone(early) }, "they go with the Environment")
}

func TestAnApprovalOfAPlanWhoseRunCannotBegin(t *testing.T) { // [X68]
	p := newPlace(t)
	p.environment(func(spec *v1alpha1.EnvironmentSpec) {
		spec.Approval = v1alpha1.ApprovalReviewed
	})
	p.runs(1, planned("plan-1"))
	p.becomes("WaitingForApproval")
	environment := p.read()
	environment.Spec.Suspend = true
	require.NoError(t, p.Update(t.Context(), environment))
	p.eventually(func() bool {
		return meta.IsStatusConditionTrue(p.read().Status.Conditions, v1alpha1.ConditionSuspended)
	}, "it is suspended")
	given := p.approve("shop", "plan-1")
	assert.Contains(t, p.approvalSays(given, v1alpha1.ApprovalWaiting), "The plan is approved, and its run has not begun")
}
