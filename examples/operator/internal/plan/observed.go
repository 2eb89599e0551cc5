package plan

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// Observed is all that a decision depends on.
type Observed struct {
	// Environment is not changed by a decision.
	Environment *v1alpha1.Environment
	// Instance is the object of a class that it was made for; nil if it was made by hand.
	Instance *Instance
	// Now is the API server's time.
	Now time.Time
	// Inputs are what the spec leads to now.
	Inputs Inputs
	// Dependencies are the Environments that this one depends on.
	Dependencies []Dependency
	// Circle are the names of Environments each of which depends on the next, the last one on the first, which is this one. It is empty if
	// this one is in no circle.
	Circle []string
	// Dependents are the names of the Environments that depend on this one, those in a circle with it left out.
	Dependents []string
	// CredentialsProblem is why the credentials of the backend cannot be read, nil if they can. It is a problem of the inputs, too.
	CredentialsProblem *Problem
	// Frozen says whether the inputs of the current operation are kept already.
	Frozen bool
	// Head is nil if nothing was ever run. Its checkpoint is not needed.
	Head *state.Head
	// PassphraseLost says that the Secret without which the state cannot be read is gone, and that there is a state.
	PassphraseLost bool
	// KeptInputs are the Secrets with inputs of operations by the hash of these. They matter where a status was lost.
	KeptInputs map[string]string
	// Job is that of the current operation, nil if there is none.
	Job *Job
	// SerialTaken says that a Job or a Secret of others has the name of the current operation's Job or inputs.
	SerialTaken bool
	// NameTaken says that an object of others has the name of the state, of its passphrase or of the Lease; nil if none has.
	NameTaken *Problem
	// Pods are those of all runs that have not ended.
	Pods []Pod
	// Lease is who has the stack to itself, nil if nobody has.
	Lease *Holder
	// OutputsDue says that the Secret with the outputs is not what the head says.
	OutputsDue bool
	// OutputsProblem is why it cannot be written, nil if it can.
	OutputsProblem *Problem
	// Leftovers says that there are Jobs or inputs that nobody needs any more.
	Leftovers bool
	// NamespaceTerminating says that nothing can be created any more.
	NamespaceTerminating bool
	// Progress is how many resources the state has that the present run has saved; nil if it has saved nothing yet. It is for people.
	Progress *int32
	// Approvals are the hashes of plans that Approvals name.
	Approvals []string
	// Watched is what the watches say of the objects; nil if nothing is watched, or if not all is known yet.
	Watched *Watched
	// Refused is the last write, if the API server has refused it; nil if it has not.
	Refused *Refused
	// Damaged is why the state cannot be read; nil if it can, or if it was not read.
	Damaged *Problem
	// FreeSlot says whether one more run may begin, and FreeSlotForLook whether one may that only looks for drift. Ahead is how many
	// others come before it.
	FreeSlot, FreeSlotForLook bool
	Ahead                     int
}

// Instance is an object of a class.
type Instance struct{ Kind, Namespace, Name string }

// String is the object as people name it.
func (i *Instance) String() string { return i.Kind + " " + i.Namespace + "/" + i.Name }

// Inputs are what the spec leads to.
type Inputs struct {
	// Hash is over the program's content, the configuration and the versions of the secrets.
	Hash string
	// Problem is why there are none, nil if there are.
	Problem *Problem
}

// ReasonNameTaken is the reason of a Problem: an object of others has a name that the Environment needs.
const ReasonNameTaken = "NameTaken"

// ReasonPodNotStarted is the reason of a Problem: the pod of a run cannot be created, scheduled or started.
const ReasonPodNotStarted = "PodNotStarted"

// ReasonStateNotSaved says that the API server does not take the state of a run, which waits.
const ReasonStateNotSaved = "StateNotSaved"

// Problem is something that a person has to put right.
type Problem struct{ Reason, Message string }

// Job is the Job of a run.
type Job struct {
	UID types.UID
	// Finished says that the Job has ended, and all of its pods.
	Finished bool
	// Expired says that its deadline has ended it.
	Expired  bool
	Deleting bool
	// NotStarted is why no pod runs: nil if one does, or if there is nothing to say yet.
	NotStarted *Problem
	// Outdated says that the Job would be created with other settings now: those of the spec, or of the operator, have changed.
	Outdated bool
	// Ending is how its pod ended, for people: such as "OOMKilled, exit code 137".
	Ending string
}

// Pod is the pod of a run.
type Pod struct {
	Name string
	UID  types.UID
	// Job is the name of the Job that it is of.
	Job        string
	Terminated bool
	// Deleted is when its grace period ends, by the API server's clock; zero if nobody has deleted it.
	Deleted time.Time
}

// Holder is who holds the Lease.
type Holder struct {
	Pod string
	UID types.UID
	// NotSaved is why it cannot save the state; empty if it can.
	NotSaved string
}

// pod finds a pod that has not ended.
func (o *Observed) pod(uid types.UID) *Pod {
	for i := range o.Pods {
		if o.Pods[i].UID == uid {
			return &o.Pods[i]
		}
	}
	return nil
}

// running is a pod of any run that has not ended.
func (o *Observed) running() *Pod {
	for i := range o.Pods {
		if pod := &o.Pods[i]; !pod.Terminated && !o.lost(pod) {
			return pod
		}
	}
	return nil
}

// lost says whether a deleted pod should have ended so long ago that nothing it does counts. Its node is gone: nobody says
// any more how it ended.
func (o *Observed) lost(pod *Pod) bool {
	return !pod.Terminated && !pod.Deleted.IsZero() && o.Now.Sub(pod.Deleted) >= deletedAfter
}

// recordOf is what the head says of an operation, nil if it says nothing.
func (o *Observed) recordOf(serial int64) *state.Record {
	if o.Head == nil || o.Head.Record.Serial != serial || o.Head.Record.Imported {
		return nil
	}
	return &o.Head.Record
}

// ended is what the head says of an operation that has ended.
func (o *Observed) ended(serial int64) *state.Record {
	record := o.recordOf(serial)
	if record == nil || record.Outcome == state.Running {
		return nil
	}
	return record
}
