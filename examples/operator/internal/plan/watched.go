package plan

import (
	"time"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// quiet is how long nothing has to change until what is watched counts: one change of a person is often several, and the last writes of a
// run may still be on their way.
const quiet = time.Second

// Watched is what the watches say of the objects of an Environment.
type Watched struct {
	// Digest is of what the program has set in them, as it is now.
	Digest string
	// Objects is how many are watched, and NotWatched the kinds of the others, with the reason.
	Objects    int
	NotWatched []string
	// Missing says that a watched object is gone.
	Missing bool
	// Touched is when others last changed one of them, by the API server's clock.
	Touched time.Time
	// Quiet is for how long nothing has changed.
	Quiet time.Duration
}

// changedSinceLook says whether what the program has set in the watched objects is another than at the last look.
//
// A look compares the objects with the program from its beginning on. So what is compared with is the digest of that time: a
// change during the look is a reason for another one. A run that applies changes the objects itself. What others have changed
// since it began is then a reason for one look, and the digest of the time of that look is compared with from there on.
func (d *decision) changedSinceLook() bool {
	if !d.spec.DriftDetection.Watch {
		d.status.Watched = nil
		return false
	}
	seen := d.Watched
	if seen == nil {
		return false
	}
	if seen.Quiet < quiet {
		d.wait(quiet - seen.Quiet)
		return false
	}
	before := d.status.Watched
	d.status.Watched = &v1alpha1.Watched{Objects: int32(min(seen.Objects, maximumWatched)), NotWatched: seen.NotWatched, Digest: seen.Digest}
	if before == nil || before.Digest == "" {
		changed := seen.Missing || !seen.Touched.Before(d.lastStart())
		if changed {
			d.status.Watched.Digest = "" // The look may have to wait for a slot.
		}
		return changed
	}
	d.status.Watched.Digest = before.Digest
	return before.Digest != seen.Digest
}

// maximumWatched is more than a status has resources.
const maximumWatched = 1000

// lastStart is when the last operation began.
func (d *decision) lastStart() time.Time {
	if len(d.status.History) == 0 {
		return time.Time{}
	}
	return d.status.History[0].StartedAt.Time
}

// lookedAt notes with what the watched objects are compared after an operation.
func (d *decision) lookedAt(operation *v1alpha1.Operation, record *state.Record) {
	if d.status.Watched == nil || operation.Kind.IsPreview() {
		return
	}
	d.status.Watched.Digest = ""
	if operation.Kind == v1alpha1.OperationDriftCheck && !record.Applied {
		d.status.Watched.Digest = operation.WatchedDigest
	}
}
