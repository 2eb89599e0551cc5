package plan_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// world is a cluster with one Environment, as far as decisions can see it. It carries decisions out as the controller does,
// and panics where one breaks a law.
type world struct {
	environment v1alpha1.Environment
	gone        bool
	now         time.Time
	hash        string // of the present inputs
	problem     *plan.Problem
	head        *state.Head
	removed     *state.Head       // was removed by force
	inputs      map[string]string // hashes by the names of Secrets
	settings    int               // with which pods are created now
	job         *job              // that of the newest run, nil if it was deleted
	run         *run              // the newest, which may outlive its Job
	foreign     map[string]bool   // Jobs of others
	nameTaken   *plan.Problem     // a Lease or Secret of others has a name that runs need
	lease       *plan.Holder
	outputs     int64 // the serial whose outputs are written
	elsewhere   int32 // how many resources outside of the namespace the next run makes

	refuses    map[plan.Step]bool // the API server refuses these steps, for good if it says true
	refusal    *plan.Refused
	refusedAt  time.Time
	refusedFor int64 // the generation
	damaged    bool

	dependencies []plan.Dependency // Environments that this one depends on
	circle       []string
	dependents   []string

	outputsProblem *plan.Problem
	passphraseLost bool

	terminating bool
	noSlot      bool

	started   []string // what has begun
	serials   int64    // the highest that a Job ever had
	setBack   bool     // the clock was
	inputLost bool     // inputs were removed that were needed
	forgotten bool     // a state was removed that alone knew of a run that was interrupted
	done      []plan.Step
	uids      int
	watched   *plan.Watched
	approvals []string
}

// job is a Job.
type job struct {
	name, hash         string
	uid                types.UID
	settings           int // those of the pod
	finished, deleting bool
}

func newWorld() *world {
	w := &world{
		now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), hash: "inputs-1",
		inputs: map[string]string{}, foreign: map[string]bool{}, refuses: map[plan.Step]bool{},
	}
	w.environment = v1alpha1.Environment{
		ObjectMeta: metav1.ObjectMeta{Name: "shop", Namespace: "team", UID: "uid", Generation: 1},
		Spec: v1alpha1.EnvironmentSpec{
			Approval: v1alpha1.ApprovalAutomatic, OnDelete: v1alpha1.DeletionDestroy,
			Retry: v1alpha1.RetryPolicy{Limit: new(int32(2)), Backoff: &metav1.Duration{Duration: 10 * time.Second}},
		},
		Status: v1alpha1.EnvironmentStatus{ObservedGeneration: -1}, // by default, as the CRD says
	}
	return w
}

func (w *world) status() *v1alpha1.EnvironmentStatus { return &w.environment.Status }

func (w *world) operation() *v1alpha1.Operation { return w.environment.Status.CurrentOperation }

func (w *world) deleted() bool { return !w.environment.DeletionTimestamp.IsZero() }

// observed is what the controller reads. As there, the head is left unread where nothing depends on it.
func (w *world) observed() (observed plan.Observed) {
	operation, applied := w.operation(), w.status().LastApplied
	observed = plan.Observed{
		Environment: &w.environment, Now: w.now, Inputs: plan.Inputs{Hash: w.hash, Problem: w.problem}, Lease: w.lease,
		NamespaceTerminating: w.terminating && w.deleted(), FreeSlot: !w.noSlot, FreeSlotForLook: !w.noSlot, KeptInputs: map[string]string{},
	}
	if w.refusal != nil && w.refusedFor == w.environment.Generation {
		refused := *w.refusal
		refused.After = max(0, w.refusedAt.Add(5*time.Second).Sub(w.now))
		observed.Refused = &refused
	}
	defer func() {
		if w.damaged && observed.Head != nil {
			observed.Head, observed.Damaged = nil, &plan.Problem{Reason: "StateUnusable", Message: "The state is damaged."}
		}
	}()
	observed.Watched, observed.Approvals = w.watched, w.approvals
	observed.PassphraseLost, observed.NameTaken = w.passphraseLost, w.nameTaken
	if w.deleted() {
		observed.Dependents = w.dependents
	} else {
		observed.Dependencies, observed.Circle = w.dependencies, w.circle
	}
	for _, name := range slices.Sorted(maps.Keys(w.inputs)) {
		observed.KeptInputs[w.inputs[name]] = name
	}
	if w.run != nil {
		observed.Pods = []plan.Pod{w.run.pod}
	}
	if operation == nil {
		observed.Leftovers = len(w.inputs) > 0
		observed.OutputsProblem = w.outputsProblem
		observed.OutputsDue = applied != nil && !w.deleted() && w.outputs != applied.Serial && w.outputsProblem == nil
		if w.deleted() || w.status().Serial == 0 || observed.OutputsDue {
			observed.Head = w.head
		}
		return observed
	}
	hash, kept := w.inputs[operation.InputsSecret]
	observed.Frozen = kept && hash == operation.InputHash
	observed.SerialTaken = w.foreign[operation.Job]
	if w.job != nil && w.job.name == operation.Job {
		if w.job.hash != operation.InputHash {
			observed.SerialTaken = true
		} else {
			observed.Job = &plan.Job{UID: w.job.uid, Finished: w.job.finished, Deleting: w.job.deleting}
			if w.run != nil && !w.job.finished {
				observed.Job.NotStarted = w.run.notStarted
				observed.Job.Outdated = w.job.settings != w.settings
			}
		}
	}
	if job := observed.Job; job == nil || job.Finished || job.NotStarted != nil || !w.run.deletedAt().IsZero() {
		observed.Head = w.head
	}
	return observed
}

// decide decides, and carries it out.
func (w *world) decide() plan.Decision {
	decision := plan.Decide(w.observed())
	w.done = append(w.done, decision.Step)
	w.carryOut(decision)
	return decision
}

func (w *world) carryOut(decision plan.Decision) {
	operation := w.operation() // The status has it already: [plan] law 1.
	if final, refuses := w.refuses[decision.Step]; refuses {
		w.refusal = &plan.Refused{Step: decision.Step, Message: "no", Final: final}
		w.refusedAt, w.refusedFor = w.now, w.environment.Generation
		return
	}
	if w.refusal != nil && w.refusal.Step == decision.Step {
		w.refusal = nil
	}
	switch decision.Step {
	case plan.Nothing:
	case plan.WriteStatus:
		w.writeStatus(decision.Status)
	case plan.AddFinalizer:
		w.environment.Finalizers = []string{v1alpha1.Finalizer}
	case plan.FreezeInputs:
		w.refuse(w.environment.Spec.Suspend, "inputs are frozen while suspended [X25]")
		w.refuse(w.terminating, "nothing can be created in a namespace that terminates [X32]")
		w.refuse(w.damaged && w.head != nil, "a run is prepared with a state that cannot be read [X49]")
		w.inputs[operation.InputsSecret] = operation.InputHash
		if w.head == nil {
			w.head = &state.Head{}
		}
	case plan.CreateJob:
		w.createJob(operation)
	case plan.DeleteJob:
		w.refuse(w.job == nil || w.job.name != operation.Job, "that Job is not there")
		w.deleteJob()
	case plan.EndRuns:
		w.deleteJob()
	case plan.ReleaseLease:
		if operation.Holder != nil && w.lease != nil && operation.Holder.UID == w.lease.UID {
			// A time in the future is due: a clock that was set back costs the holder its Lease, and it ends itself.
			w.refuse(w.run.holds(w) && w.run.alive(w) && !w.setBack, "the Lease is taken from a pod that lives [X22]")
			w.lease = nil
		}
	case plan.WriteOutputs:
		w.outputs = w.status().LastApplied.Serial
	case plan.CleanUp:
		w.refuse(operation != nil || w.runs(), "inputs are removed that a run needs")
		clear(w.inputs)
	case plan.DeleteState, plan.KeepState:
		w.leave(decision.Step)
	default:
		panic("unknown step " + decision.Step)
	}
}

// refuse is how a law is broken.
func (w *world) refuse(broken bool, what string) {
	if broken {
		panic(what)
	}
}

// writeStatus looks at what begins by it.
func (w *world) writeStatus(status v1alpha1.EnvironmentStatus) {
	before, spec := w.status(), &w.environment.Spec
	w.refuse(status.Serial < before.Serial, "a serial becomes smaller")
	operation := status.CurrentOperation
	if operation != nil {
		w.refuse(operation.Serial > status.Serial, "a serial is not in the status")
	}
	continued := operation != nil && operation.InputsSecret != w.environment.InputsSecretName(operation.Serial)
	// One that has a Job already is what a lost status did not say.
	if begins := operation != nil && before.CurrentOperation == nil && !continued && operation.JobUID == ""; begins {
		w.refuse(spec.Suspend, "it begins while suspended [X25]")
		w.refuse(operation.Serial <= w.serials, "a serial is used twice")
		isRun := operation.Kind == v1alpha1.OperationUpdate || operation.Kind == v1alpha1.OperationPreview
		w.refuse(isRun && w.unmet() != "", "it begins before what it depends on is ready [X67]")
		w.refuse(operation.Kind == v1alpha1.OperationDestroy && len(w.dependents) > 0, "what others depend on is destroyed [X67]")
		w.refuse(operation.Kind.IsOfDeletion() != w.deleted(), "only a deleted Environment is destroyed, and only destroyed [X11]")
		if operation.Kind == v1alpha1.OperationUpdate && spec.Approval.IsNeeded() {
			approved := spec.Approval == v1alpha1.ApprovalManual && operation.ApprovedPlan == w.environment.Annotations[v1alpha1.AnnotationApprove]
			w.refuse(operation.ApprovedPlan != v1alpha1.NoChanges && !approved && !slices.Contains(w.approvals, operation.ApprovedPlan), "a plan runs that was not approved [X9] [X68]")
			w.refuse(status.PendingPlan == nil || status.PendingPlan.Hash != operation.ApprovedPlan, "another plan runs than the one that is shown [X9]")
		}
		if operation.Kind == v1alpha1.OperationDestroy && spec.DestroyApproval.IsNeeded() {
			approved := spec.DestroyApproval == v1alpha1.ApprovalManual && operation.ApprovedPlan == w.environment.Annotations[v1alpha1.AnnotationApprove]
			w.refuse(operation.ApprovedPlan != v1alpha1.NoChanges && !approved && !slices.Contains(w.approvals, operation.ApprovedPlan), "something is destroyed that was not approved [X68]")
			w.refuse(status.PendingPlan == nil || !status.PendingPlan.Destroy || status.PendingPlan.Hash != operation.ApprovedPlan, "another destroy runs than the one that is shown [X68]")
		}
	}
	w.environment.Status = status
}

func (w *world) orphaned() bool {
	return w.environment.Spec.OnDelete == v1alpha1.DeletionOrphan || w.environment.Annotations[v1alpha1.AnnotationOrphan] == "true"
}

func (w *world) createJob(operation *v1alpha1.Operation) {
	w.refuse(operation == nil, "a Job is created for nothing that is in the status")
	w.refuse(w.runs(), "two runs at a time")
	w.refuse(w.environment.Spec.Suspend, "a Job is created while suspended [X25]")
	w.refuse(w.terminating, "no Job can be created in a namespace that terminates [X32]")
	w.refuse(w.foreign[operation.Job], "the name of the Job is taken")
	w.refuse(w.noSlot, "more runs than may")
	w.refuse(w.damaged, "a run begins with a state that cannot be read [X49]")
	w.refuse(w.nameTaken != nil, "a run begins with what is of others [X43]")
	w.refuse(operation.Serial < w.serials, "serials do not grow")
	hash, kept := w.inputs[operation.InputsSecret]
	w.refuse(!kept || hash != operation.InputHash, "a run has no inputs")
	w.refuse(operation.Kind == v1alpha1.OperationDestroy && (!w.deleted() || w.orphaned()), "what is to stay is destroyed [X11]")
	record := w.head.Record
	w.refuse(record.Serial == 0 && w.status().ResourceCount > 0, "a run begins without the state of what is there [X33]")
	w.refuse(record.Outcome == state.Running && !w.inputLost && !w.forgotten && !w.deleted() && operation.InputHash != record.InputHash,
		"an interrupted run is not continued with its own inputs [X31] [X4]")
	w.uids++
	uid := types.UID("job-" + strconv.Itoa(w.uids))
	w.serials = operation.Serial
	w.job = &job{name: operation.Job, hash: operation.InputHash, uid: uid, settings: w.settings}
	w.run = &run{operation: *operation, pod: plan.Pod{Name: operation.Job + "-x", UID: "pod-of-" + uid, Job: operation.Job}}
	w.started = append(w.started, fmt.Sprintf("%s %s", operation.Kind, operation.InputHash))
}

// deleteJob deletes a Job in the background: it is gone, and its pod gets its time.
func (w *world) deleteJob() {
	w.job = nil
	switch {
	case w.run.working():
		w.run.delete(w)
	default:
		w.run = nil
	}
}

func (w *world) leave(step plan.Step) {
	w.refuse(!w.deleted(), "an Environment goes that nobody has deleted [X32]")
	w.refuse(w.runs(), "an Environment goes before its run")
	if step == plan.KeepState {
		w.refuse(!w.orphaned(), "what nobody orphaned is left [X11]")
	} else {
		ran := w.head != nil && w.head.Record.Serial > 0
		destroyed := ran && w.head.Record.Kind == v1alpha1.OperationDestroy && w.head.Record.Outcome == state.Succeeded
		goesAlong := w.terminating && ran && w.head.Record.ElsewhereCount == 0
		w.refuse(ran && !destroyed && !goesAlong, "the state is deleted before what it names [X32]")
	}
	w.gone = true
}

func (w *world) condition(kind string) metav1.Condition {
	for _, condition := range w.status().Conditions {
		if condition.Type == kind {
			return condition
		}
	}
	return metav1.Condition{}
}

func (w *world) is(kind string) bool { return w.condition(kind).Status == metav1.ConditionTrue }

func (w *world) ready() metav1.Condition { return w.condition(v1alpha1.ConditionReady) }

// edit changes the spec.
func (w *world) edit(change func(*v1alpha1.EnvironmentSpec)) {
	change(&w.environment.Spec)
	w.environment.Generation++
}

// change changes the inputs by the spec.
func (w *world) change(hash string) { w.hash = hash; w.environment.Generation++ }

// changeSettings changes how pods are created, such as their memory.
func (w *world) changeSettings() { w.settings++; w.environment.Generation++ }

// setClockBack revives no pod.
func (w *world) setClockBack() {
	if w.run.running() {
		w.run.refused = w.run.late(w)
	}
	w.now, w.setBack = w.now.Add(-time.Hour), true
}

func (w *world) annotate(key, value string) {
	annotations := maps.Clone(w.environment.Annotations)
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	w.environment.Annotations = annotations
}

// approve approves the plan that is shown.
func (w *world) approve() {
	if pending := w.status().PendingPlan; pending != nil {
		w.annotate(v1alpha1.AnnotationApprove, pending.Hash)
	}
}

// remove is a "kubectl delete".
func (w *world) remove() {
	if w.deleted() {
		return
	}
	w.gone = len(w.environment.Finalizers) == 0
	deleted := metav1.NewTime(w.now)
	w.environment.DeletionTimestamp = &deleted
	w.environment.Generation++
}

// loseStatus is the restore of a backup. Serials that no run has written into the head are used again.
func (w *world) loseStatus() {
	w.restoreState() // Of an Environment without state and status nobody knows that it ever ran.
	w.environment.Status = v1alpha1.EnvironmentStatus{}
	w.serials = 0
	if w.head != nil {
		w.serials = w.head.Record.Serial
	}
}

// removeState removes the head past its finalizer, at a time when no run would write it once more.
func (w *world) removeState() {
	if w.head != nil && w.head.Record.Serial > 0 && !w.runs() {
		w.forgotten = w.forgotten || w.head.Record.Outcome == state.Running
		w.removed, w.head = w.head, nil
		w.serials = min(w.serials, w.status().Serial) // Without status and state nobody knows which serials were used.
	}
}

// restoreState puts it back, as a backup does.
func (w *world) restoreState() {
	if w.removed != nil && (w.head == nil || w.head.Record.Serial == 0) {
		w.head = w.removed
	}
	w.removed = nil
}

// importState is an "operator state import", which wants that no run holds the Lease.
func (w *world) importState() {
	if w.head == nil || w.head.Record.Serial == 0 || w.runs() || w.lease != nil {
		return
	}
	w.head.Record = state.Record{
		Serial: max(w.head.Record.Serial, w.status().Serial), Kind: v1alpha1.OperationUpdate, Outcome: state.Succeeded, Imported: true,
		Applied: true, ResourceCount: 3,
	}
}
