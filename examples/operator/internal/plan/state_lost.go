package plan

import (
	"fmt"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// stateLost says what of the state was removed, past its finalizer, while the program's objects are there: nil if nothing was. No run
// begins without it. It would create everything once more, and a destroy would find nothing to destroy.
func (d *decision) stateLost(kind v1alpha1.OperationKind) *Problem {
	var what string
	switch {
	case d.PassphraseLost && (kind != v1alpha1.OperationDestroy || d.holdsResources()):
		what = fmt.Sprintf("The Secret %s with the passphrase of the state is gone, so no run can read the state of what the program made (%s).",
			d.Environment.PassphraseSecretName(), count(d.status.ResourceCount, "resource"))
	case !d.headLost() || d.backend() && kind != v1alpha1.OperationDestroy:
		return nil
	case kind == v1alpha1.OperationDestroy:
		what = fmt.Sprintf("The Secret %s with the state is gone, so what the program made (%s) cannot be destroyed.",
			d.Environment.StateSecretName(), count(d.status.ResourceCount, "resource"))
	default:
		what = fmt.Sprintf("The Secret %s with the state is gone, so a run would create once more what is there (%s).",
			d.Environment.StateSecretName(), count(d.status.ResourceCount, "resource"))
	}
	then := "delete the objects by hand and let the Environment go: " + d.orphanWith()
	if kind != v1alpha1.OperationDestroy {
		then = "delete this Environment, which leaves its objects, and create one that adopts them: " + d.orphanWith()
	}
	return &Problem{Reason: "StateLost", Message: what + " Restore the Secret from a backup, or " + then}
}

// backend says whether the state is not in Secrets here.
func (d *decision) backend() bool { return d.spec.Backend != nil && d.spec.Backend.URL != "" }

// headLost says whether the head is gone, or is as new, while the program's objects are there. In a namespace that terminates it
// may be the deletion of the Environment that removed it.
func (d *decision) headLost() bool {
	if d.Head != nil && d.Head.Record.Serial > 0 || d.status.ResourceCount == 0 || d.NamespaceTerminating {
		return false
	}
	history := d.status.History
	return len(history) == 0 || history[0].Kind != v1alpha1.OperationDestroy || history[0].Result != v1alpha1.ResultSucceeded
}
