package plan

import (
	"time"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// What a pod may do after it should have ended is bounded by its token: the API server refuses it ten seconds after
// the pod is gone, and sixty seconds after the time of its deletion, which is when its grace period ends.
const (
	goneAfter    = 15 * time.Second
	deletedAfter = 75 * time.Second
	longestGrace = 10 * time.Minute
)

// lease shows who has the stack to itself, and takes it from a pod that is dead.
func (d *decision) lease(operation *v1alpha1.Operation) {
	if d.Lease == nil {
		operation.Holder = nil
		return
	}
	if operation.Holder == nil || operation.Holder.UID != d.Lease.UID {
		operation.Holder = &v1alpha1.Holder{Pod: d.Lease.Pod, UID: d.Lease.UID}
	}
	holder := operation.Holder
	pod := d.pod(holder.UID)
	if pod != nil {
		holder.GoneSince = nil
		switch {
		case pod.Terminated:
			d.Step = ReleaseLease
		case !pod.Deleted.IsZero():
			d.release(pod.Deleted.Add(deletedAfter), longestGrace+deletedAfter)
		}
		return
	}
	if holder.GoneSince == nil || holder.GoneSince.After(d.Now) {
		now := d.now()
		holder.GoneSince = &now
	}
	d.release(holder.GoneSince.Add(goneAfter), goneAfter)
}

// release takes the Lease when it is time. A wait longer than there can be is of a clock that was wrong.
func (d *decision) release(at time.Time, longest time.Duration) {
	if left := at.Sub(d.Now); left > 0 && left <= longest {
		d.wait(left)
		return
	}
	d.Step = ReleaseLease
}
