package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// next looks for something to begin.
func (d *decision) next() {
	if d.OutputsDue {
		d.Step = WriteOutputs
	} else if d.Leftovers && d.running() == nil && d.Damaged == nil { // A state that cannot be read may need what seems left over.
		d.Step = CleanUp
	}
	if d.status.OutputsSecretRef != nil && !d.OutputsDue && d.OutputsProblem == nil {
		d.status.OutputsSecretRef.Name = d.Environment.OutputsSecretName() // It is there, under a name that may be another one than before.
	}
	switch {
	case d.spec.Suspend:
		d.suspended()
	case d.Damaged != nil: // It may know of a run that is to be continued, and a status that was lost does not.
		d.damaged()
	case d.neverMet():
	case d.Inputs.Problem != nil && d.waitForDependencies(): // What is missing may be an output that comes.
	case d.Inputs.Problem != nil:
		d.waiting(d.Inputs.Problem.Reason, d.Inputs.Problem.Message)
	case !d.upToDate() || d.requested() != "":
		d.change()
	case d.OutputsProblem != nil:
		d.waiting(d.OutputsProblem.Reason, d.OutputsProblem.Message)
	case d.OutputsDue && !meta.IsStatusConditionTrue(d.status.Conditions, v1alpha1.ConditionReady):
		// Who waits for Ready finds the outputs.
	default:
		d.drift()
	}
}

// longestRequest is how much of an annotation that asks for something goes into the status, which has to fit into an object.
const longestRequest = 256

// request is the value of an annotation that asks for something. Of one that is too long, it is the beginning and a hash.
func (d *decision) request(annotation string) string {
	value := d.Environment.Annotations[annotation]
	if len(value) <= longestRequest {
		return value
	}
	hash := sha256.Sum256([]byte(value))
	return strings.ToValidUTF8(value[:longestRequest], "") + "-" + hex.EncodeToString(hash[:8])
}

// requested is the value of the annotation that asks for a run; empty if a run has begun with it that succeeded.
func (d *decision) requested() string {
	request := d.request(v1alpha1.AnnotationRun)
	if d.deleted() || request == d.status.LastRunRequest {
		return ""
	}
	return request
}

// change runs new inputs, or plans them first.
func (d *decision) change() {
	if d.waitForRetry(v1alpha1.OperationUpdate, d.Inputs.Hash) || d.waitForDependencies() {
		return
	}
	if !d.spec.Approval.IsNeeded() {
		d.begin(v1alpha1.OperationUpdate, "")
		return
	}
	plan := d.status.PendingPlan
	switch {
	case plan == nil || plan.InputHash != d.Inputs.Hash || plan.Drift || plan.Request != d.requested():
		if !d.waitForRetry(v1alpha1.OperationPreview, d.Inputs.Hash) {
			d.begin(v1alpha1.OperationPreview, "")
		}
	case d.approved(plan):
		d.begin(v1alpha1.OperationUpdate, plan.Hash)
	default:
		d.waiting("WaitingForApproval", describe(plan.Summary)+". "+d.approveWith(plan))
	}
}

// drift looks after an Environment that is as its inputs say.
func (d *decision) drift() {
	if d.waitForRetry(v1alpha1.OperationUpdate, d.Inputs.Hash) {
		return
	}
	if plan := d.status.PendingPlan; plan != nil && plan.Drift && d.approved(plan) {
		if !d.waitForDependencies() {
			d.begin(v1alpha1.OperationUpdate, plan.Hash)
		}
		return
	}
	if plan := d.status.PendingPlan; plan != nil && !plan.Drift {
		d.status.PendingPlan = nil
	}
	d.ready()
	if d.spec.DriftDetection == nil {
		d.dropDrift()
		d.status.Watched = nil
		return
	}
	left := d.lastLook().Add(d.spec.DriftDetection.Every()).Sub(d.Now)
	if changed := d.changedSinceLook(); left > 0 && !changed {
		d.wait(left)
		return
	}
	d.begin(v1alpha1.OperationDriftCheck, "")
}

// clockError is how far the API server's time may seem to go back: its answers say it to the second.
const clockError = 10 * time.Second

// lastLook is when the objects were last seen to be as the program says. A time in the future is not believed.
func (d *decision) lastLook() time.Time {
	last := time.Time{}
	for _, at := range []*metav1.Time{&d.status.LastApplied.Time, d.status.LastDriftCheck} {
		if at != nil && !at.After(d.Now.Add(clockError)) && at.After(last) {
			last = at.Time
		}
	}
	return last
}

// begin makes an operation the current one. Nothing is created for it before the status says so.
func (d *decision) begin(kind v1alpha1.OperationKind, approvedPlan string) {
	if d.endEarlierRun() || d.nameTaken() || d.queued(kind) {
		return
	}
	serial := d.takeSerial()
	operation := &v1alpha1.Operation{
		Serial: serial, Kind: kind, Generation: d.Environment.Generation,
		InputsSecret: d.Environment.InputsSecretName(serial), ApprovedPlan: approvedPlan,
		Job: d.Environment.JobName(serial), StartedAt: d.now(),
	}
	if !kind.IsOfDeletion() {
		operation.InputHash, operation.Request = d.Inputs.Hash, d.requested()
	}
	if kind == v1alpha1.OperationDriftCheck && d.Watched != nil {
		operation.WatchedDigest = d.Watched.Digest
	}
	d.status.CurrentOperation, d.Slot = operation, true
	d.reconciling(operation)
	d.event(false, string(kind)+"Started", "Job "+operation.Job+".")
}

// endEarlierRun says whether the pod of an earlier run is still there, of which the status does not know: it was lost while
// the pod ran. That run is ended.
func (d *decision) endEarlierRun() bool {
	pod := d.running()
	if pod == nil {
		return false
	}
	unless := "its node is lost"
	if pod.Deleted.IsZero() {
		d.Step = EndRuns
		unless = "its Job is gone" // A Job takes its pods along, unless it was told to leave them.
	}
	d.waiting("EarlierRun", fmt.Sprintf("The pod %s of an earlier run has not ended yet, and the next run begins when it has. If %s, delete the pod: "+
		"kubectl delete --namespace %s pod %s", pod.Name, unless, d.Environment.Namespace, pod.Name))
	return true
}

// queued says whether a run has to wait until another one ends.
func (d *decision) queued(kind v1alpha1.OperationKind) bool {
	free := d.FreeSlot
	if kind == v1alpha1.OperationDriftCheck {
		free = d.FreeSlotForLook
	}
	if free {
		return false
	}
	d.Queued = kind
	if kind != v1alpha1.OperationDriftCheck {
		d.waiting("Queued", fmt.Sprintf("As many runs as may are under way. This one begins when one of them ends; %d wait before it.", d.Ahead))
	}
	d.wait(time.Minute) // for the number
	return true
}

// takeSerial is the number of the next run. No run ever had it, and no inputs are kept for it, also if the status was lost.
func (d *decision) takeSerial() int64 {
	serial := d.status.Serial
	if d.Head != nil {
		serial = max(serial, d.Head.Record.Serial)
	}
	kept := slices.Collect(maps.Values(d.KeptInputs))
	for serial++; slices.Contains(kept, d.Environment.InputsSecretName(serial)); {
		serial++
	}
	d.status.Serial = serial
	return serial
}
