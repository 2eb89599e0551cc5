package plan_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// health is what GitOps tools have to make of a status: Failed where only a person helps, Current where nothing is left to do or nothing
// may be done, and InProgress for everything else.
func (w *world) health() status.Status {
	conditions := w.status().Conditions
	isTrue := func(kind string) bool { return meta.IsStatusConditionTrue(conditions, kind) }
	runs := w.operation() != nil && w.operation().JobUID != ""
	rests := w.environment.Spec.Suspend && !runs && meta.FindStatusCondition(conditions, v1alpha1.ConditionReady) == nil
	switch {
	case w.deleted():
		return status.TerminatingStatus
	case w.status().ObservedGeneration != w.environment.Generation:
		return status.InProgressStatus
	case isTrue(v1alpha1.ConditionStalled):
		return status.FailedStatus
	case isTrue(v1alpha1.ConditionReady), rests:
		return status.CurrentStatus
	default:
		return status.InProgressStatus
	}
}

// argoHealth is what Argo CD says in place of kstatus.
func (w *world) argoHealth() string {
	switch health := w.health(); {
	case health == status.FailedStatus:
		return "Degraded"
	case health == status.CurrentStatus && w.environment.Spec.Suspend:
		return "Suspended"
	case health == status.CurrentStatus:
		return "Healthy"
	default:
		return "Progressing"
	}
}

func TestGitOpsToolsSeeWhatBecomesOfAnEnvironment(t *testing.T) { // [X70]
	problem := func(reason string) *plan.Problem { return &plan.Problem{Reason: reason, Message: "It is so."} }
	other := func(other plan.Dependency) func(*world) { return func(w *world) { w.decide(); w.dependsOn(other) } }
	const progress, current, failedFor, terminating = status.InProgressStatus, status.CurrentStatus, status.FailedStatus, status.TerminatingStatus
	rows := []struct {
		reason string // of Ready
		given  func(*world)
		wanted status.Status
	}{
		{"Updating", (*world).starts, progress},
		{"Planning", func(w *world) { w.environment.Spec.Approval = v1alpha1.ApprovalManual; w.starts() }, progress},
		{"Applied", (*world).applies, current},
		{"Applied", looked, current},
		{"Applied", func(w *world) { looked(w); w.settle(w.drifts) }, current},
		{"Applied", func(w *world) { w.applies(); w.suspend() }, current},
		{"", func(w *world) { w.decide(); w.suspend() }, current},
		{"", func(w *world) { w.applies(); w.suspend(); w.change("inputs-2") }, current},
		{"Changed", func(w *world) { looked(w); w.rests(); w.change("inputs-2") }, progress},
		{"Queued", func(w *world) { w.decide(); w.noSlot = true }, progress},
		{"WaitingForApproval", func(w *world) { w.environment.Spec.Approval = v1alpha1.ApprovalManual; w.settle(w.succeeds) }, progress},
		{"InputsMissing", func(w *world) { w.decide(); w.problem = problem("InputsMissing") }, progress},
		{"StateUnusable", func(w *world) { w.applies(); w.loseStatus(); w.damaged = true }, progress},
		{"StateLost", func(w *world) { w.applies(); w.removeState(); w.change("inputs-2") }, progress},
		{"NameTaken", func(w *world) { w.decide(); w.nameTaken = problem(plan.ReasonNameTaken) }, progress},
		{"OutputsNotWritten", func(w *world) { w.applies(); w.outputsProblem = problem("OutputsNotWritten") }, progress},
		{"EarlierRun", func(w *world) { w.starts(); w.loseStatus() }, progress},
		{"PodNotStarted", func(w *world) { w.starts(); w.stuck(problem(plan.ReasonPodNotStarted)) }, progress},
		{"StateNotSaved", func(w *world) { w.starts(); w.begins(); w.lease.NotSaved = "exceeded quota" }, progress},
		{"Interrupted", func(w *world) { w.starts(); w.dies() }, progress},
		{"UpdateFailed", failed, progress},
		{"UpdateFailed", gaveUp, failedFor},
		{"WriteRefused", func(w *world) { w.decide(); w.refuses[plan.FreezeInputs] = false; w.rests(); w.decide() }, progress},
		{"WriteRefused", func(w *world) { w.decide(); w.refuses[plan.FreezeInputs] = true; w.rests(); w.decide() }, failedFor},
		{"DependencyNotReady", other(updated), progress},
		{"DependencyMissing", other(plan.Dependency{Name: "network", Missing: true}), progress},
		{"DependencyStalled", other(plan.Dependency{Name: "network", Stalled: true}), progress},
		{"DependencyCircle", func(w *world) { w.decide(); w.circle = []string{"shop", "network"} }, failedFor},
		{"Suspended", func(w *world) { w.applies(); w.suspend(); w.remove() }, terminating},
		{"Deleting", func(w *world) { w.applies(); w.orphan(); w.remove() }, terminating},
		{"Destroying", func(w *world) { w.applies(); w.remove() }, terminating},
		{"HasDependents", func(w *world) { w.applies(); w.dependents = []string{"cart"}; w.remove() }, terminating},
		{"DestroyFailed", func(w *world) { w.applies(); w.remove(); w.settle(w.fails) }, terminating},
		{"NamespaceTerminating", func(w *world) { w.elsewhere = 1; w.applies(); w.terminate() }, terminating},
	}
	covered := map[string]bool{}
	for _, row := range rows {
		covered[row.reason] = true
		t.Run(strings.TrimSpace(string(row.wanted)+" "+row.reason), func(t *testing.T) {
			w := newWorld()
			row.given(w)
			if w.decide(); row.reason != "Changed" { // It is said for as long as the next write takes.
				w.rests()
			}
			require.Equal(t, row.reason, w.ready().Reason, "%+v", w.status())
			require.Equal(t, row.wanted, kstatus(t, w), "%+v", w.status())
			require.Equal(t, row.wanted, w.health(), "%+v", w.status())
			require.Equal(t, w.argoHealth(), argoCD(t, w), "%+v", w.status())
		})
	}
	t.Run("before the operator has seen it, or a change, it is in progress", func(t *testing.T) {
		assert.Equal(t, progress, kstatus(t, newWorld()))
		assert.Equal(t, "Progressing", argoCD(t, newWorld()))
		for _, given := range []func(*world){(*world).applies, gaveUp, func(w *world) { w.decide(); w.suspend() }} {
			w := newWorld()
			given(w)
			w.rests()
			w.change("inputs-2")
			assert.Equal(t, progress, kstatus(t, w), "%+v", w.status())
			assert.Equal(t, "Progressing", argoCD(t, w), "%+v", w.status())
		}
	})
	t.Run("no reason is left out", func(t *testing.T) {
		files, err := filepath.Glob("*.go")
		require.NoError(t, err)
		// Reasons of a failure that is repeated with other inputs, and of Stalled and Reconciling.
		elsewhere := map[string]bool{"InputsLost": true}
		for _, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, reason := range regexp.MustCompile(`(?:Reason: *|waiting\(|[rR]eason\w+ += )"([A-Z][A-Za-z]+)"`).FindAllStringSubmatch(string(content), -1) {
				assert.True(t, covered[reason[1]] || elsewhere[reason[1]] || reason[1] == v1alpha1.ReasonPlanChanged, "%s: %s", file, reason[1])
			}
		}
	})
}
