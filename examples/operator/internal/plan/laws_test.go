package plan_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// The events that can happen to an Environment and its runs, in any order.
var events = map[string]func(*world, *rapid.T){
	"the controller decides":       always(func(w *world) { w.decide() }),
	"the controller dies deciding": always(func(w *world) { plan.Decide(w.observed()) }),
	"time passes": func(w *world, t *rapid.T) {
		w.now = w.now.Add(time.Duration(rapid.IntRange(1, 4000).Draw(t, "s")) * time.Second)
	},
	"the clock is set back": always((*world).setClockBack),
	"the spec changes": func(w *world, t *rapid.T) {
		w.change(rapid.SampledFrom([]string{"inputs-1", "inputs-2", "inputs-3"}).Draw(t, "hash"))
	},
	"the program changes": func(w *world, t *rapid.T) {
		w.hash = rapid.SampledFrom([]string{"inputs-1", "inputs-2", "inputs-3"}).Draw(t, "hash")
	},
	"the settings of pods change": always((*world).changeSettings),
	"a secret goes away":          always(func(w *world) { w.problem = &plan.Problem{Reason: "InputsMissing", Message: "no Secret"} }),
	"the secret comes back":       always(func(w *world) { w.problem = nil }),
	"approval is wanted":          edit(func(spec *v1alpha1.EnvironmentSpec) { spec.Approval = v1alpha1.ApprovalManual }),
	"an Approval is wanted":       edit(func(spec *v1alpha1.EnvironmentSpec) { spec.Approval = v1alpha1.ApprovalReviewed }),
	"a destroy wants approval":    edit(func(spec *v1alpha1.EnvironmentSpec) { spec.DestroyApproval = v1alpha1.ApprovalManual }),
	"a destroy wants an Approval": edit(func(spec *v1alpha1.EnvironmentSpec) { spec.DestroyApproval = v1alpha1.ApprovalReviewed }),
	"a destroy wants no approval": edit(func(spec *v1alpha1.EnvironmentSpec) { spec.DestroyApproval = v1alpha1.ApprovalAutomatic }),
	"a reviewer approves": always(func(w *world) {
		if pending := w.status().PendingPlan; pending != nil {
			w.approvals = append(w.approvals, pending.Hash)
		}
	}),
	"approval is not wanted":         edit(func(spec *v1alpha1.EnvironmentSpec) { spec.Approval = v1alpha1.ApprovalAutomatic }),
	"it is suspended":                edit(func(spec *v1alpha1.EnvironmentSpec) { spec.Suspend = true }),
	"it is resumed":                  edit(func(spec *v1alpha1.EnvironmentSpec) { spec.Suspend = false }),
	"drift is looked for":            edit(func(spec *v1alpha1.EnvironmentSpec) { spec.DriftDetection = &v1alpha1.DriftDetection{} }),
	"its objects are to stay":        edit(func(spec *v1alpha1.EnvironmentSpec) { spec.OnDelete = v1alpha1.DeletionOrphan }),
	"its objects are not to stay":    edit(func(spec *v1alpha1.EnvironmentSpec) { spec.OnDelete = v1alpha1.DeletionDestroy }),
	"all slots are taken":            always(func(w *world) { w.noSlot = true }),
	"a slot is free":                 always(func(w *world) { w.noSlot = false }),
	"the run saves":                  during(func(w *world) { w.saves(1) }),
	"the run succeeds":               during((*world).succeeds),
	"the run fails":                  during((*world).fails),
	"the run finds drift":            during((*world).drifts),
	"the run finds another plan":     during((*world).replans),
	"the run is killed":              during((*world).dies),
	"the run is killed mid-flight":   during(func(w *world) { w.saves(1); w.dies() }),
	"a pod that holds it disappears": during(func(w *world) { w.begins(); w.vanishes() }),
	"it makes something elsewhere":   always(func(w *world) { w.elsewhere = 1 }),
	"a Job is deleted by hand": always(func(w *world) {
		if w.job != nil {
			w.deleteJob()
		}
	}),
	"a Job is deleted in the foreground": during(func(w *world) {
		if w.job != nil {
			w.job.deleting = true
			w.run.delete(w)
		}
	}),
	"another Job has the next name": always(func(w *world) { w.foreign[w.environment.JobName(w.status().Serial+1)] = true }),
	"the API server refuses a step": func(w *world, t *rapid.T) {
		step := rapid.SampledFrom([]plan.Step{
			plan.FreezeInputs, plan.CreateJob, plan.DeleteJob, plan.EndRuns, plan.ReleaseLease, plan.WriteOutputs, plan.CleanUp,
			plan.DeleteState, plan.KeepState,
		}).Draw(t, "step")
		w.refuses[step] = rapid.Bool().Draw(t, "final")
	},
	"the API server accepts all":    always(func(w *world) { clear(w.refuses) }),
	"the state is damaged":          rarely(func(w *world) { w.damaged = true }),
	"the state can be read again":   always(func(w *world) { w.damaged = false }),
	"a name is taken":               always(func(w *world) { w.nameTaken = &plan.Problem{Reason: plan.ReasonNameTaken, Message: "no Lease"} }),
	"the name is free":              always(func(w *world) { w.nameTaken = nil }),
	"the inputs Secrets are lost":   always(func(w *world) { w.inputLost = true; clear(w.inputs) }),
	"the state is removed by force": rarely((*world).removeState),
	"the state is restored":         always((*world).restoreState),
	"a state is imported":           always((*world).importState),
	"the status is lost":            always((*world).loseStatus),
	"a pod cannot start":            always(func(w *world) { w.stuck(&plan.Problem{Reason: "PodNotStarted", Message: "no image"}) }),
	"the pod can start after all":   always(func(w *world) { w.stuck(nil) }),
	"someone asks for a retry": func(w *world, t *rapid.T) {
		w.annotate(v1alpha1.AnnotationRetry, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "retry"))
	},
	"someone asks for a run": func(w *world, t *rapid.T) {
		w.annotate(v1alpha1.AnnotationRun, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "run"))
	},
	"another Environment becomes something": func(w *world, t *rapid.T) {
		w.dependencies = []plan.Dependency{rapid.SampledFrom([]plan.Dependency{
			{Name: "network", Ready: true}, {Name: "network", Says: "Run 2 is under way."}, {Name: "network", Missing: true},
			{Name: "network", Stalled: true, Says: "It failed."}, {Name: "network", Ready: true, Deleted: true},
		}).Draw(t, "network")}
	},
	"others close a circle":    always(func(w *world) { w.circle = []string{"shop", "network"} }),
	"others open the circle":   always(func(w *world) { w.circle = nil }),
	"others depend on it":      always(func(w *world) { w.dependents = []string{"cart", "front"} }),
	"the others go":            always(func(w *world) { w.dependents = nil }),
	"the plan is approved":     always((*world).approve),
	"it is deleted":            rarely((*world).remove),
	"the namespace is deleted": rarely((*world).terminate),
}

func always(do func(*world)) func(*world, *rapid.T) { return func(w *world, _ *rapid.T) { do(w) } }

// rarely leaves room for what comes before the end.
func rarely(do func(*world)) func(*world, *rapid.T) {
	return func(w *world, t *rapid.T) {
		if rapid.IntRange(0, 3).Draw(t, "rarely") == 3 {
			do(w)
		}
	}
}

func edit(change func(*v1alpha1.EnvironmentSpec)) func(*world, *rapid.T) {
	return func(w *world, _ *rapid.T) { w.edit(change) }
}

func during(do func(*world)) func(*world, *rapid.T) {
	return func(w *world, _ *rapid.T) {
		if w.run.alive(w) {
			do(w)
		}
	}
}

// calm takes away what keeps an Environment from its end.
func (w *world) calm() {
	w.problem, w.nameTaken, w.noSlot, w.damaged = nil, nil, false, false
	w.dependencies, w.circle, w.dependents = nil, nil, nil
	clear(w.refuses)
	if w.environment.Spec.Suspend {
		w.edit(func(spec *v1alpha1.EnvironmentSpec) { spec.Suspend = false })
	}
	w.stuck(nil)
	w.restoreState()
}

var eventNames = slices.Sorted(maps.Keys(events)) // or a failure could not be repeated

func TestEveryPathEndsInReadyStalledWaitingOrGone(t *testing.T) { // [X20] [X13]
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			events[rapid.SampledFrom(eventNames).Draw(t, "event")](w, t)
			for range rapid.IntRange(0, 5).Draw(t, "decisions") {
				if w.gone {
					return
				}
				obeys(t, w)
				w.decide()
			}
			if w.gone {
				return
			}
		}
		w.calm()
		w.settle(w.succeeds)
		for range 3 {
			if w.ready().Reason == "WaitingForApproval" {
				w.approve()
				w.approvals = append(w.approvals, w.status().PendingPlan.Hash)
				w.settle(w.succeeds)
			}
		}
		if w.ready().Reason == "NamespaceTerminating" {
			w.annotate(v1alpha1.AnnotationOrphan, "true")
			w.settle(w.succeeds)
		}
		stalled := w.is(v1alpha1.ConditionStalled)
		switch {
		case w.deleted():
			require.True(t, w.gone || stalled, "%+v", w.status())
		case stalled:
			require.False(t, w.is(v1alpha1.ConditionReady), "%+v", w.status())
		default:
			require.True(t, w.is(v1alpha1.ConditionReady), "%+v", w.status())
			require.Nil(t, w.operation())
			require.Equal(t, w.environment.Annotations[v1alpha1.AnnotationRun], w.status().LastRunRequest, "the run that was asked for [X56]")
			require.Equal(t, w.status().LastApplied.Serial, w.outputs, "the outputs are those of the last run")
		}
	})
}

// requireSays wants the status to say which and why, where a write was refused and where nothing happens by itself.
func requireSays(t require.TestingT, w *world, decision plan.Decision) {
	ready, suspended := metav1.Condition{}, false
	for _, condition := range decision.Status.Conditions {
		if condition.Type == v1alpha1.ConditionReady {
			ready = condition
		}
		suspended = suspended || condition.Type == v1alpha1.ConditionSuspended
	}
	refused := w.observed().Refused
	if refused != nil && refused.Step == decision.Step && refused.Step != plan.CleanUp {
		require.Equal(t, plan.ReasonWriteRefused, ready.Reason, "%s was refused, and the status does not say so [X49]", refused.Step)
		require.Equal(t, metav1.ConditionFalse, ready.Status, "%s was refused [X49]", refused.Step)
	}
	if decision.Step == plan.Nothing && !suspended && len(w.environment.Finalizers) > 0 && ready.Message == "" {
		require.Fail(t, "nothing happens, and the status does not say why [X49]", "%+v", decision.Status)
	}
}

// requireNames wants a status that rests to name the Environment that is waited for.
func requireNames(t require.TestingT, w *world, decision plan.Decision) {
	unmet, status := w.unmet(), decision.Status
	if w.deleted() || unmet == "" || decision.Step == plan.WriteStatus || status.CurrentOperation != nil || w.environment.Spec.Suspend || w.damaged {
		return
	}
	ready := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady)
	isApplied := status.LastApplied != nil && status.LastApplied.Hash == w.hash && w.problem == nil
	asks := w.environment.Annotations[v1alpha1.AnnotationRun] != status.LastRunRequest
	waits := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionStalled) == nil &&
		meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReconciling) != nil && status.Retry == nil
	if ready == nil || ready.Reason == plan.ReasonWriteRefused || isApplied && !asks || !waits {
		return
	}
	require.Contains(t, ready.Message, "network", "it waits, and the status does not name for what [X67]: %+v", status)
}

// requireHealth wants kstatus, on which GitOps tools go, to see what becomes of the Environment.
func requireHealth(t require.TestingT, w *world, decision plan.Decision) {
	if len(w.environment.Finalizers) == 0 {
		return
	}
	later := *w
	later.environment.Status = decision.Status
	require.Equal(t, later.health(), kstatus(t, &later), "[X70] %+v", decision.Status)
}

// obeys checks what holds of each decision.
func obeys(t require.TestingT, w *world) {
	before := w.environment.DeepCopy()
	first := plan.Decide(w.observed())
	if !reflect.DeepEqual(before, &w.environment) {
		require.Equal(t, before, &w.environment, "a decision changes what it was made from")
	}
	if second := plan.Decide(w.observed()); !reflect.DeepEqual(first, second) {
		require.Equal(t, first, second, "the same is decided of the same [X20]")
	}
	isReady := false
	for _, condition := range first.Status.Conditions {
		if condition.Reason == "" || condition.ObservedGeneration != w.environment.Generation {
			require.Fail(t, "a condition is not about the present generation [X16]", "%+v", condition)
		}
		isReady = isReady || condition.Type == v1alpha1.ConditionReady && condition.Status == metav1.ConditionTrue
	}
	if applied := first.Status.LastApplied; isReady && !w.deleted() && w.problem == nil && applied.Hash != w.hash {
		require.Fail(t, "it says Ready of inputs that were not applied [X29]", "%+v", first.Status)
	}
	requireSays(t, w, first)
	requireNames(t, w, first)
	requireHealth(t, w, first)
	later := *w
	for range 5 + len(w.foreign) { // The end of an operation and the beginning of the next are writes of their own.
		if first.Step != plan.WriteStatus {
			return
		}
		later.environment.Status = first.Status
		first = plan.Decide(later.observed())
	}
	require.Fail(t, "the status is written for ever [X20]", "%+v", first.Status)
}
