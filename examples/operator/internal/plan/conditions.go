package plan

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// The conditions are those of kstatus: Ready is what people look at, Reconciling and Stalled say whether to wait. One that does not
// hold is absent.

func (d *decision) set(kind string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&d.status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: cut(message, messageSize),
		ObservedGeneration: d.Environment.Generation, LastTransitionTime: d.now(),
	})
}

func (d *decision) remove(kind string) { meta.RemoveStatusCondition(&d.status.Conditions, kind) }

// keepTransitions has conditions that hold as before say since when, in the order of before: on the way to a decision they may have been
// something else.
func (d *decision) keepTransitions() {
	before := d.Environment.Status.Conditions
	place := func(condition metav1.Condition) int {
		i := slices.IndexFunc(before, func(was metav1.Condition) bool { return was.Type == condition.Type })
		if i < 0 {
			return len(before)
		}
		return i
	}
	for i := range d.status.Conditions {
		condition := &d.status.Conditions[i]
		condition.ObservedGeneration = d.Environment.Generation
		if was := meta.FindStatusCondition(before, condition.Type); was != nil && was.Status == condition.Status {
			condition.LastTransitionTime = was.LastTransitionTime
		}
	}
	slices.SortStableFunc(d.status.Conditions, func(a, b metav1.Condition) int { return place(a) - place(b) })
}

// ready says that all is as the inputs say.
func (d *decision) ready() {
	d.remove(v1alpha1.ConditionReconciling)
	d.remove(v1alpha1.ConditionStalled)
	applied := d.status.LastApplied
	d.set(v1alpha1.ConditionReady, metav1.ConditionTrue, "Applied",
		fmt.Sprintf("%s: %s.", count(d.status.ResourceCount, "resource"), describe(applied.Summary)))
}

func count(n int32, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// reconciling says that a run is under way. A look for drift changes nothing, unless it finds some: what is as the inputs say
// stays ready.
func (d *decision) reconciling(operation *v1alpha1.Operation) {
	if pod := d.running(); pod != nil && d.Lease != nil && d.Lease.UID == pod.UID && d.Lease.NotSaved != "" {
		d.waiting(ReasonStateNotSaved, fmt.Sprintf("Run %d (%s) waits in Job %s, because its state cannot be saved: %s.\n"+
			"It goes on when that is corrected. If the Job ends before, what was made since the last save is not known.",
			operation.Serial, operation.Kind, operation.Job, strings.TrimSuffix(d.Lease.NotSaved, ".")))
		return
	}
	if operation.Kind == v1alpha1.OperationDriftCheck && d.upToDate() {
		d.ready()
		return
	}
	so, far := "", d.Progress
	if far != nil {
		so = " So far the stack has " + count(*far, "resource") + "."
	}
	d.waiting(progress(operation.Kind), fmt.Sprintf("Run %d (%s) is under way in Job %s.%s", operation.Serial, operation.Kind, operation.Job, so))
}

// denyReady takes back what was true of other inputs, while it is not decided yet what comes next.
func (d *decision) denyReady() {
	switch {
	case d.upToDate() || !meta.IsStatusConditionTrue(d.status.Conditions, v1alpha1.ConditionReady):
	case d.deleted():
		d.waiting("Deleting", "The Environment is deleted. What its program made is destroyed or left next, as spec.onDelete says.")
	default:
		d.waiting("Changed", "The inputs are not those that were applied. They are run next.")
	}
}

// upToDate says whether the inputs of now are those that were applied.
func (d *decision) upToDate() bool {
	applied := d.status.LastApplied
	return applied != nil && d.Inputs.Problem == nil && applied.Hash == d.Inputs.Hash && !d.deleted()
}

func progress(kind v1alpha1.OperationKind) string {
	switch kind {
	case v1alpha1.OperationPreview, v1alpha1.OperationDestroyPreview:
		return "Planning"
	case v1alpha1.OperationDestroy:
		return "Destroying"
	default:
		return "Updating"
	}
}

// waiting says that the Environment is not ready, and that this will change.
func (d *decision) waiting(reason, message string) {
	d.remove(v1alpha1.ConditionStalled)
	d.set(v1alpha1.ConditionReconciling, metav1.ConditionTrue, reason, message)
	d.notReady(reason, message)
}

func (d *decision) notReady(reason, message string) {
	d.set(v1alpha1.ConditionReady, metav1.ConditionFalse, reason, message)
}

// retrying says why the last run failed, and when the next one is.
func (d *decision) retrying(retry *v1alpha1.Retry) {
	failure := d.status.LastFailure
	if failure == nil {
		return
	}
	d.waiting(failure.Reason, failure.Message)
	d.set(v1alpha1.ConditionReconciling, metav1.ConditionTrue, "Retrying",
		fmt.Sprintf("Attempt %d of %d failed; the next one is at %s.", retry.Count, d.retryLimit()+1, retry.NextTime.UTC().Format("15:04:05 MST")))
}

// stalled says that nothing happens until a person does something.
func (d *decision) stalled() {
	failure := d.status.LastFailure
	if failure == nil {
		return
	}
	cure := "Change the spec, the program or a secret"
	if d.Instance != nil {
		cure = "Change spec of the " + d.Instance.String() + ", or let the platform team change its class"
	}
	switch operation := d.status.CurrentOperation; {
	case d.deleted():
		cure = "Remove what keeps it from being destroyed, or leave what the program made (" + d.orphanWith() + ")"
	case operation != nil:
		cure = "It goes on with the inputs it began with before it looks at others, so change the spec where that helps, such as its runner"
	}
	d.remove(v1alpha1.ConditionReconciling)
	d.notReady(failure.Reason, failure.Message)
	d.set(v1alpha1.ConditionStalled, metav1.ConditionTrue, failure.Reason, fmt.Sprintf(
		"%s failed, see the condition Ready. %s, or try the same once more: %s",
		count(failure.RetryCount, "attempt"), cure, d.retryWith()))
}

// retryWith is the command that tries once more. Who has an object of a class gives it to that object.
func (d *decision) retryWith() string {
	namespace, kind, name := d.Environment.Namespace, "environment", d.Environment.Name
	if d.Instance != nil {
		namespace, kind, name = d.Instance.Namespace, strings.ToLower(d.Instance.Kind), d.Instance.Name
	}
	return fmt.Sprintf("kubectl annotate --overwrite --namespace %s %s %s %s=\"$(date)\"", namespace, kind, name, v1alpha1.AnnotationRetry)
}

// suspended leaves what is true of what was applied. Inputs that were not are neither ready nor on their way, so nothing is
// said of them.
func (d *decision) suspended() {
	if d.deleted() {
		d.waiting("Suspended", "The Environment is deleted and suspended: nothing is destroyed. Set spec.suspend to false, or leave what "+
			"the program made: "+d.orphanWith())
		return
	}
	d.set(v1alpha1.ConditionSuspended, metav1.ConditionTrue, "Suspended", "Nothing begins until spec.suspend is false.")
	if d.upToDate() && d.status.CurrentOperation == nil {
		d.ready()
		return
	}
	d.remove(v1alpha1.ConditionReconciling)
	d.remove(v1alpha1.ConditionStalled)
	d.remove(v1alpha1.ConditionReady)
}

func (d *decision) setDrift(status metav1.ConditionStatus, reason, message string) {
	d.set(v1alpha1.ConditionDriftDetected, status, reason, cut(message, 2048))
}

func (d *decision) dropDrift() { d.remove(v1alpha1.ConditionDriftDetected) }
