package plan

import (
	"time"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// lookForName is how often a name is looked at that is taken: not every object that can have one is watched.
const lookForName = 10 * time.Second

// nameTaken says whether no run may begin because an object of others has a name that runs need.
func (d *decision) nameTaken() bool {
	if d.NameTaken == nil {
		return false
	}
	d.waiting(d.NameTaken.Reason, d.NameTaken.Message)
	d.wait(lookForName)
	return true
}

// damaged waits for a state that can be read. Whether the run of before has ended, and how, is in it.
func (d *decision) damaged() {
	message := d.Damaged.Message
	if d.deleted() {
		message += ", or leave what the program made: " + d.orphanWith()
	}
	d.waiting(d.Damaged.Reason, message)
	d.wait(lookForName)
}

// blocked says whether no run may begin, whatever its inputs are: a name is taken, what of the state is needed was removed, or a backend has
// no credentials. The head was read.
func (d *decision) blocked(kind v1alpha1.OperationKind) bool {
	if d.nameTaken() {
		return true
	}
	problem := d.stateLost(kind)
	if problem == nil && !d.Frozen {
		problem = d.credentialsProblem()
	}
	if problem != nil {
		d.waiting(problem.Reason, problem.Message)
	}
	return problem != nil
}

// credentialsProblem says to a deleted Environment the other way out, too.
func (d *decision) credentialsProblem() *Problem {
	if d.CredentialsProblem == nil || !d.deleted() {
		return d.CredentialsProblem
	}
	return &Problem{d.CredentialsProblem.Reason, d.CredentialsProblem.Message + "\nOr leave what the program made: " + d.orphanWith()}
}
