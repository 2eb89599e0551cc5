package plan_test

import (
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

const waiting = "Ready=False/WaitingForApproval Reconciling=True/WaitingForApproval"

// planned is an Environment whose plan waits for approval.
func planned(w *world) {
	w.environment.Spec.Approval = v1alpha1.ApprovalManual
	w.settle(w.succeeds)
}

func TestApproval(t *testing.T) { // [X9]
	check(t, []decided{
		{"a change is planned first [X9]", func(w *world) { w.environment.Spec.Approval = v1alpha1.ApprovalManual; w.decide() },
			plan.FreezeInputs, "Ready=False/Planning Reconciling=True/Planning", "Preview 1", status.InProgressStatus},
		{"the plan waits for approval [X9] [X29]", planned,
			plan.Nothing, waiting, "", status.InProgressStatus},
		{"the approval of another plan does nothing [X9]", func(w *world) { planned(w); w.annotate(v1alpha1.AnnotationApprove, "plan-0") },
			plan.Nothing, waiting, "", status.InProgressStatus},
		{"the approved plan runs [X9]", func(w *world) { planned(w); w.approve() },
			plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
		{"a plan of other inputs is made again, approved or not [X9]", func(w *world) { planned(w); w.approve(); w.change("inputs-2") },
			plan.FreezeInputs, "Ready=False/Planning Reconciling=True/Planning", "Preview 2", status.InProgressStatus},
		{"where the plan has changed since, the new one waits for approval [X9]", func(w *world) {
			planned(w)
			w.approve()
			w.starts()
			w.replans()
			w.rests()
			w.decide()
		}, plan.Nothing, waiting, "", status.InProgressStatus},
		{"a plan without changes needs no approval [X9]", func(w *world) {
			w.environment.Spec.Approval = v1alpha1.ApprovalManual
			w.starts()
			w.ends(state.Succeeded, func(record *state.Record) { record.Plan = nil })
		}, plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
		{"after the approved run it is Ready [X9]", func(w *world) { planned(w); w.approve(); w.applies() },
			plan.Nothing, applied, "", status.CurrentStatus},
		{"a plan that waits runs when approval is not wanted any more", func(w *world) {
			planned(w)
			w.edit(func(spec *v1alpha1.EnvironmentSpec) { spec.Approval = v1alpha1.ApprovalAutomatic })
		}, plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
	})
}

// reviewed is an Environment whose plan waits for an Approval.
func reviewed(w *world) {
	w.environment.Spec.Approval = v1alpha1.ApprovalReviewed
	w.settle(w.succeeds)
}

func TestReview(t *testing.T) { // [X68]
	check(t, []decided{
		{"the plan waits", reviewed, plan.Nothing, waiting, "", status.InProgressStatus},
		{"the annotation of the author does not count", func(w *world) { reviewed(w); w.annotate(v1alpha1.AnnotationApprove, "plan-1") }, plan.Nothing, waiting, "", status.InProgressStatus},
		{"an Approval of another plan does nothing", func(w *world) { reviewed(w); w.approvals = []string{"plan-0"} },
			plan.Nothing, waiting, "", status.InProgressStatus},
		{"the plan with an Approval runs", func(w *world) { reviewed(w); w.approvals = []string{"plan-0", w.status().PendingPlan.Hash} },
			plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
		{"an Approval is enough where the annotation is, too", func(w *world) { planned(w); w.approvals = []string{w.status().PendingPlan.Hash} },
			plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
	})
	w := newWorld()
	reviewed(w)
	require.Contains(t, w.ready().Message, `To approve, with the ClusterRole environment-approver: kubectl create --namespace team -f - <<< '{"apiVersion":"platform.example.com/v1alpha1","kind":"Approval",`+
		`"metadata":{"generateName":"shop-"},"spec":{"environmentRef":{"name":"shop"},"plan":"plan-1"}}'`)
}

func TestAnApprovalIsForOneRun(t *testing.T) { // [X9]
	w := newWorld()
	planned(w)
	w.approve()
	w.settle(w.succeeds)
	w.change("inputs-2")
	w.settle(w.succeeds)
	require.Equal(t, "WaitingForApproval", w.ready().Reason)
	require.Contains(t, w.ready().Message, "kubectl annotate --overwrite --namespace team environment shop platform.example.com/approve=plan-3")
}

// An update without changes in the plan needs nobody, so nobody would end a loop of plans and failures.
func TestUpdatesWithoutChangesThatFailStallToo(t *testing.T) { // [X17]
	w := newWorld()
	w.environment.Spec.Approval = v1alpha1.ApprovalManual
	w.settle(func() {
		if w.run.operation.Kind == v1alpha1.OperationPreview {
			w.ends(state.Succeeded, func(record *state.Record) { record.Plan = nil })
			return
		}
		w.fails()
	})
	require.True(t, w.is(v1alpha1.ConditionStalled))
	require.EqualValues(t, 3, w.status().LastFailure.RetryCount)
}

// doomed is a deleted Environment whose destroy is planned.
func doomed(w *world) {
	w.environment.Spec.DestroyApproval = v1alpha1.ApprovalManual
	w.applies()
	w.remove()
	w.settle(w.succeeds)
}

func TestApprovalOfADestroy(t *testing.T) { // [X68]
	const destroying = "Ready=False/Destroying Reconciling=True/Destroying"
	check(t, []decided{
		{"a destroy is planned first", func(w *world) {
			w.environment.Spec.DestroyApproval = v1alpha1.ApprovalManual
			w.applies()
			w.remove()
			w.decide()
		}, plan.FreezeInputs, "Ready=False/Planning Reconciling=True/Planning", "DestroyPreview 2", status.TerminatingStatus},
		{"its plan waits", doomed, plan.Nothing, waiting, "", status.TerminatingStatus},
		{"the approval of another plan does nothing", func(w *world) { doomed(w); w.annotate(v1alpha1.AnnotationApprove, "plan-1") },
			plan.Nothing, waiting, "", status.TerminatingStatus},
		{"the approved plan runs", func(w *world) { doomed(w); w.approve() }, plan.FreezeInputs, destroying, "Destroy 3", status.TerminatingStatus},
		{"one that fails goes on without another approval", func(w *world) {
			doomed(w)
			w.approve()
			w.starts()
			w.fails()
			w.rests()
			w.now = w.now.Add(time.Minute)
		}, plan.FreezeInputs, destroying, "Destroy 4", status.TerminatingStatus},
		{"where the plan has changed since, the new one waits", func(w *world) {
			doomed(w)
			w.approve()
			w.starts()
			w.replans()
			w.rests()
			w.decide()
		}, plan.Nothing, waiting, "", status.TerminatingStatus},
		{"with Reviewed, the annotation does not count", func(w *world) {
			doomed(w)
			w.edit(func(spec *v1alpha1.EnvironmentSpec) { spec.DestroyApproval = v1alpha1.ApprovalReviewed })
			w.approve()
		}, plan.Nothing, waiting, "", status.TerminatingStatus},
		{"an Approval does", func(w *world) {
			doomed(w)
			w.edit(func(spec *v1alpha1.EnvironmentSpec) { spec.DestroyApproval = v1alpha1.ApprovalReviewed })
			w.approvals = []string{w.status().PendingPlan.Hash}
		}, plan.FreezeInputs, destroying, "Destroy 3", status.TerminatingStatus},
		{"a destroy that waits runs when approval is not wanted any more", func(w *world) {
			doomed(w)
			w.edit(func(spec *v1alpha1.EnvironmentSpec) { spec.DestroyApproval = v1alpha1.ApprovalAutomatic })
		}, plan.FreezeInputs, destroying, "Destroy 3", status.TerminatingStatus},
		{"what is to stay needs no approval", func(w *world) { doomed(w); w.annotate(v1alpha1.AnnotationOrphan, "true") },
			plan.KeepState, waiting, "", status.TerminatingStatus},
		{"the plan of a change does not count for a destroy", func(w *world) {
			w.environment.Spec.Approval, w.environment.Spec.DestroyApproval = v1alpha1.ApprovalManual, v1alpha1.ApprovalManual
			w.settle(w.succeeds)
			w.approve()
			w.settle(w.succeeds)
			w.change("inputs-2")
			w.settle(w.succeeds)
			w.approve()
			w.remove()
			w.rests()
		}, plan.FreezeInputs, "Ready=False/Planning Reconciling=True/Planning", "DestroyPreview 4", status.TerminatingStatus},
	})
}

func TestWhatBecameOfAnApproval(t *testing.T) { // [X68]
	for name, c := range map[string]struct {
		given        func(*world)
		plan, reason string
	}{
		"of the plan that waits":                 {reviewed, "plan-1", v1alpha1.ApprovalWaiting},
		"of another plan":                        {reviewed, "plan-0", v1alpha1.ApprovalOfOtherPlan},
		"with which a run has begun":             {func(w *world) { planned(w); w.approve(); w.starts() }, "plan-1", v1alpha1.ApprovalUsed},
		"of another plan than the one that runs": {func(w *world) { planned(w); w.approve(); w.starts() }, "plan-0", v1alpha1.ApprovalOfOtherPlan},
		"where nothing waits for one":            {func(w *world) { w.applies() }, "plan-1", v1alpha1.ApprovalOfNothing},
		"where approval is not wanted any more": {func(w *world) {
			reviewed(w)
			w.edit(func(spec *v1alpha1.EnvironmentSpec) { spec.Approval = v1alpha1.ApprovalAutomatic })
		}, "plan-1", v1alpha1.ApprovalOfNothing},
		"of a destroy": {doomed, "plan-2", v1alpha1.ApprovalWaiting},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			c.given(w)
			approval := &v1alpha1.Approval{Spec: v1alpha1.ApprovalSpec{EnvironmentRef: v1alpha1.EnvironmentReference{Name: "shop"}, Plan: c.plan}}
			condition := plan.OfApproval(&w.environment, approval)
			require.Equal(t, c.reason, condition.Reason, condition.Message)
			require.Equal(t, c.reason == v1alpha1.ApprovalUsed, condition.Status == metav1.ConditionTrue)

			t.Run("and stays used", func(t *testing.T) {
				approval.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionUsed, Status: metav1.ConditionTrue}}
				require.Nil(t, plan.OfApproval(&w.environment, approval))
			})
		})
	}
}
