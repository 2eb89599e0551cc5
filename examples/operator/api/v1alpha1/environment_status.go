package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// EnvironmentStatus is all that the operator remembers: between two reconciliations it keeps nothing else.
type EnvironmentStatus struct {
	// The generation that this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Ready, Reconciling, Stalled, DriftDetected and Suspended.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// The serial number of the newest operation.
	// +optional
	Serial int64 `json:"serial,omitempty"`
	// The operation that goes on.
	// +optional
	CurrentOperation *Operation `json:"currentOperation,omitempty"`
	// The inputs with which the program ran last, with success.
	// +optional
	LastApplied *Applied `json:"lastApplied,omitempty"`
	// When a failed operation is repeated.
	// +optional
	Retry *Retry `json:"retry,omitempty"`
	// The last failure. It stays until an operation succeeds.
	// +optional
	LastFailure *Failure `json:"lastFailure,omitempty"`
	// The value of the annotation platform.example.com/run of the last run that it asked for, once that has succeeded.
	// +optional
	LastRunRequest string `json:"lastRunRequest,omitempty"`
	// The plan that waits for approval.
	// +optional
	PendingPlan *Plan `json:"pendingPlan,omitempty"`
	// When drift was last looked for.
	// +optional
	LastDriftCheck *metav1.Time `json:"lastDriftCheck,omitempty"`
	// What is watched between looks for drift, if driftDetection.watch is true.
	// +optional
	Watched *Watched `json:"watched,omitempty"`
	// The outputs that are not secret. Values over 1 KiB are cut; the Secret has them whole.
	// +optional
	Outputs map[string]apiextensionsv1.JSON `json:"outputs,omitempty"`
	// The Secret with all outputs.
	// +optional
	OutputsSecretRef *LocalObjectReference `json:"outputsSecretRef,omitempty"`
	// The Secret with the state.
	// +optional
	StateRef *LocalObjectReference `json:"stateRef,omitempty"`
	// How many resources the stack has.
	// +optional
	ResourceCount int32 `json:"resourceCount,omitempty"`
	// Up to 100 of the objects that the program made, those first that are not well.
	// +optional
	// +listType=atomic
	Resources []ResourceStatus `json:"resources,omitempty"`
	// The last ten operations, the newest first.
	// +optional
	// +listType=atomic
	History []HistoryEntry `json:"history,omitempty"`
}

// The types of conditions.
const (
	ConditionReady         = "Ready"
	ConditionReconciling   = "Reconciling"
	ConditionStalled       = "Stalled"
	ConditionDriftDetected = "DriftDetected"
	ConditionSuspended     = "Suspended"
)

// OperationKind is what a run does.
// +kubebuilder:validation:Enum=Update;Preview;DriftCheck;Destroy;DestroyPreview
type OperationKind string

// The kinds of operations.
const (
	// OperationUpdate runs the program.
	OperationUpdate OperationKind = "Update"
	// OperationPreview makes a plan.
	OperationPreview OperationKind = "Preview"
	// OperationDriftCheck looks for drift, and puts it right where the Environment says so.
	OperationDriftCheck OperationKind = "DriftCheck"
	// OperationDestroy deletes what the program made.
	OperationDestroy OperationKind = "Destroy"
	// OperationDestroyPreview makes a plan of a destroy.
	OperationDestroyPreview OperationKind = "DestroyPreview"
)

// IsOfDeletion says whether the operation is one of a deleted Environment. It needs nothing of the program.
func (k OperationKind) IsOfDeletion() bool {
	return k == OperationDestroy || k == OperationDestroyPreview
}

// IsPreview says whether the operation makes a plan, and changes nothing.
func (k OperationKind) IsPreview() bool {
	return k == OperationPreview || k == OperationDestroyPreview
}

// Operation is one run, or the runs that continue an interrupted one.
type Operation struct {
	// The number of the run. Its Job is named after it.
	Serial int64 `json:"serial"`
	// What the run does.
	Kind OperationKind `json:"kind"`
	// The hash of program, configuration and versions of secrets.
	// +optional
	InputHash string `json:"inputHash,omitempty"`
	// The generation whose inputs these are.
	// +optional
	Generation int64 `json:"generation,omitempty"`
	// The Secret that holds these inputs until the operation is concluded.
	// +optional
	InputsSecret string `json:"inputsSecret,omitempty"`
	// The plan that was approved.
	// +optional
	ApprovedPlan string `json:"approvedPlan,omitempty"`
	// The value of the annotation platform.example.com/run, if it asks for this run.
	// +optional
	Request string `json:"request,omitempty"`
	// The Job of the run.
	// +optional
	Job string `json:"job,omitempty"`
	// The Job's uid, once it was seen.
	// +optional
	JobUID types.UID `json:"jobUID,omitempty"`
	// When the run began.
	// +optional
	StartedAt metav1.Time `json:"startedAt,omitempty"`
	// What status.watched.digest was when a look for drift began.
	// +optional
	WatchedDigest string `json:"watchedDigest,omitempty"`
	// The pod that does the work.
	// +optional
	Holder *Holder `json:"holder,omitempty"`
	// True of a run that goes on after the Environment was deleted, to conclude what an interrupted one had begun: what
	// the engine had begun and not recorded could not be destroyed.
	// +optional
	Concluding bool `json:"concluding,omitempty"`
}

// Watched says what is watched between looks for drift.
type Watched struct {
	// How many of the objects are watched.
	// +optional
	Objects int32 `json:"objects,omitempty"`
	// The kinds whose objects are looked at at the interval alone, with the reason.
	// +optional
	// +listType=atomic
	NotWatched []string `json:"notWatched,omitempty"`
	// A digest of what the program had set in the watched objects when they were last looked at. Another one is a reason to look.
	// +optional
	Digest string `json:"digest,omitempty"`
}

// Holder is the pod that has the stack to itself.
type Holder struct {
	// The pod's name.
	Pod string `json:"pod"`
	// The pod's uid.
	UID types.UID `json:"uid"`
	// Since when the pod is gone, by the API server's clock.
	// +optional
	GoneSince *metav1.Time `json:"goneSince,omitempty"`
}

// Applied says what was run last, with success.
type Applied struct {
	// The hash of the inputs.
	Hash string `json:"hash"`
	// The generation whose inputs these are.
	Generation int64 `json:"generation"`
	// The run's serial.
	Serial int64 `json:"serial"`
	// When the run ended.
	Time metav1.Time `json:"time"`
	// How many resources were created, updated, and so on.
	// +optional
	Summary Summary `json:"summary,omitempty"`
}

// Summary counts resources by what became of them: create, update, delete, same and so on, as Pulumi names them.
type Summary map[string]int32

// Retry is about a failed operation.
type Retry struct {
	// How many runs of the same inputs have failed, or were interrupted without a new revision of the state.
	Count int32 `json:"count"`
	// When the next one is due. Absent once the Environment is Stalled.
	// +optional
	NextTime *metav1.Time `json:"nextTime,omitempty"`
	// The inputs that failed.
	// +optional
	InputHash string `json:"inputHash,omitempty"`
	// What failed.
	// +optional
	Kind OperationKind `json:"kind,omitempty"`
	// The generation that failed: another one starts the count again.
	// +optional
	Generation int64 `json:"generation,omitempty"`
	// The value of the annotation platform.example.com/retry that was acted on.
	// +optional
	HandledRequest string `json:"handledRequest,omitempty"`
	// The value of the annotation platform.example.com/run at that time: another one starts the count again.
	// +optional
	RunRequest string `json:"runRequest,omitempty"`
}

// Failure is why an operation failed.
type Failure struct {
	// When it failed.
	Time metav1.Time `json:"time"`
	// One word, for programs.
	Reason string `json:"reason"`
	// What the engine and the providers said, resource by resource, without secrets.
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message"`
	// How many times in a row it has failed.
	// +optional
	RetryCount int32 `json:"retryCount,omitempty"`
}

// Plan is what a run would change.
type Plan struct {
	// The hash with which the plan is approved.
	Hash string `json:"hash"`
	// The hash of the inputs with which it was made.
	// +optional
	InputHash string `json:"inputHash,omitempty"`
	// How many resources would be created, updated, and so on.
	// +optional
	Summary Summary `json:"summary,omitempty"`
	// Up to 50 of the changes.
	// +optional
	// +listType=atomic
	Changes []Change `json:"changes,omitempty"`
	// Whether the plan puts drift right.
	// +optional
	Drift bool `json:"drift,omitempty"`
	// Whether the plan destroys what the program made.
	// +optional
	Destroy bool `json:"destroy,omitempty"`
	// The value of the annotation platform.example.com/run, if it asks for this run.
	// +optional
	Request string `json:"request,omitempty"`
}

// Change is what a plan does to one resource.
type Change struct {
	// create, update, delete or replace, as Pulumi names them.
	Op string `json:"op"`
	// The resource's type in Pulumi.
	Type string `json:"type"`
	// The resource's name in Pulumi.
	Name string `json:"name"`
	// The paths of the inputs that change, at most 10.
	// +optional
	// +listType=atomic
	Paths []string `json:"paths,omitempty"`
}

// ResourceStatus is one object that the program made.
type ResourceStatus struct {
	// The resource's name in Pulumi.
	// +optional
	Name string `json:"name,omitempty"`
	// The resource's type in Pulumi, where it is no object of Kubernetes.
	// +optional
	Type string `json:"type,omitempty"`
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`
	// +optional
	Kind string `json:"kind,omitempty"`
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// +optional
	ObjectName string `json:"objectName,omitempty"`
	// +optional
	UID types.UID `json:"uid,omitempty"`
	// Applied, or Failed.
	State string `json:"state"`
}

// The states of a resource.
const (
	ResourceApplied = "Applied"
	ResourceFailed  = "Failed"
)

// HistoryEntry is an operation that has ended.
type HistoryEntry struct {
	// The run's serial.
	Serial int64 `json:"serial"`
	// What the run did.
	Kind OperationKind `json:"kind"`
	// Succeeded, Failed or Interrupted.
	Result string `json:"result"`
	// When the run began.
	StartedAt metav1.Time `json:"startedAt"`
	// When it ended.
	EndedAt metav1.Time `json:"endedAt"`
	// How many resources were created, updated, and so on.
	// +optional
	Summary Summary `json:"summary,omitempty"`
}

// The results of an operation.
const (
	ResultSucceeded   = "Succeeded"
	ResultFailed      = "Failed"
	ResultInterrupted = "Interrupted"
)
