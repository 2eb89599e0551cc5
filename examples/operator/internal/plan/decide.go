package plan

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// Step is what is done besides the status.
type Step string

// The steps. Each may be repeated, and does nothing where it was done.
const (
	// Nothing is to be done until something changes, or until Decision.After.
	Nothing Step = ""
	// WriteStatus writes Decision.Status.
	WriteStatus Step = "WriteStatus"
	// AddFinalizer adds the finalizer to the Environment.
	AddFinalizer Step = "AddFinalizer"
	// FreezeInputs makes passphrase and head, if there are none, and keeps the inputs of the current operation.
	FreezeInputs Step = "FreezeInputs"
	// CreateJob creates the Job of the current operation.
	CreateJob Step = "CreateJob"
	// DeleteJob deletes the Job of the current operation. Its pod gets the time to save what it has done.
	DeleteJob Step = "DeleteJob"
	// EndRuns deletes all Jobs that go on.
	EndRuns Step = "EndRuns"
	// ReleaseLease takes the Lease from the holder in the status.
	ReleaseLease Step = "ReleaseLease"
	// WriteOutputs writes the Secret with the outputs.
	WriteOutputs Step = "WriteOutputs"
	// CleanUp removes the Jobs and inputs that nobody needs any more.
	CleanUp Step = "CleanUp"
	// DeleteState removes state, passphrase and inputs, and then the finalizer: the Environment is gone.
	DeleteState Step = "DeleteState"
	// KeepState takes our finalizer from state, passphrase and inputs, and then from the Environment: it is gone, and
	// what its program made stays.
	KeepState Step = "KeepState"
)

// Decision is what to do next.
type Decision struct {
	Step Step
	// Status is what the status has to be. Where it is already, Step is not WriteStatus.
	Status v1alpha1.EnvironmentStatus
	// After is when to look again without an event; zero for never.
	After time.Duration
	// Queued is what waits only for a slot; nothing does if it is empty.
	Queued v1alpha1.OperationKind
	// Slot says that the operation needs its slot: a run goes on, or begins now. One that is suspended, Stalled or waits to be
	// repeated leaves the slot to others.
	Slot bool
	// Events are for people. They go with the write of the status.
	Events []Event
}

// Event is what "kubectl describe" shows below the status.
type Event struct {
	Warning         bool
	Reason, Message string
	// ForTenant says that it is for who has the object of a class, too: what went wrong, what was changed, and what waits for a person.
	ForTenant bool
}

// decision is one that is being made.
type decision struct {
	*Observed
	spec   *v1alpha1.EnvironmentSpec
	status *v1alpha1.EnvironmentStatus
	Decision
}

// Decide says what to do next.
func Decide(observed Observed) Decision {
	environment := observed.Environment
	if !slices.Contains(environment.Finalizers, v1alpha1.Finalizer) {
		if environment.DeletionTimestamp.IsZero() {
			return Decision{Step: AddFinalizer, Status: environment.Status}
		}
		return Decision{Status: environment.Status}
	}

	d := &decision{Observed: &observed, spec: &environment.Spec, status: environment.Status.DeepCopy()}
	d.status.ObservedGeneration = environment.Generation
	d.status.StateRef = &v1alpha1.LocalObjectReference{Name: environment.StateSecretName()}
	d.readRequests()
	d.restore()
	if !d.spec.Suspend {
		d.remove(v1alpha1.ConditionSuspended)
	}
	switch operation := d.status.CurrentOperation; {
	case operation != nil:
		d.proceed(operation)
	case d.deleted():
		d.delete()
	default:
		d.next()
	}
	d.refused()
	d.denyReady()
	d.keepTransitions()
	fit(d.status)

	d.Status = *d.status
	if !equality.Semantic.DeepEqual(d.Status, environment.Status) {
		d.Step = WriteStatus
	}
	return d.Decision
}

// deleted says whether the Environment is to go.
func (d *decision) deleted() bool { return !d.Environment.DeletionTimestamp.IsZero() }

// readRequests looks for what people ask by annotations.
func (d *decision) readRequests() {
	request := d.request(v1alpha1.AnnotationRetry)
	retry := d.status.Retry
	isNewRun := retry != nil && retry.RunRequest != d.request(v1alpha1.AnnotationRun)
	if retry == nil || retry.Generation == d.Environment.Generation && (request == "" || request == retry.HandledRequest) && !isNewRun {
		return
	}
	// Another spec may be the cure, such as more memory for the runner.
	*retry = v1alpha1.Retry{
		HandledRequest: request, Generation: d.Environment.Generation, RunRequest: d.request(v1alpha1.AnnotationRun),
	}
}

func (d *decision) event(warning bool, reason, message string) {
	d.Events = append(d.Events, Event{Warning: warning, Reason: reason, Message: message, ForTenant: warning})
}

func (d *decision) now() metav1.Time { return metav1.NewTime(d.Now.Truncate(time.Second)) }

// wait looks again after a while, or earlier if another reason for it is earlier.
func (d *decision) wait(after time.Duration) {
	after = max(after, time.Second)
	if d.After == 0 || after < d.After {
		d.After = after
	}
}
