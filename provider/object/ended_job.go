package object

import (
	"context"
	"reflect"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/diagnosis"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// The cluster deletes a Job with spec.ttlSecondsAfterFinished after it has ended. Creating it again would run it again,
// with every update. So a missing Job whose own manifest sets that field counts as ended until its manifest changes. If
// the Job is known to have failed, it is created again, like any other missing object, and so is a Job that went with
// its namespace.

// keyJob is the hidden output that records such a Job, followed by the names of its members.
const (
	keyJob       = "__job"
	keyCreated   = "created"
	keyEndedWith = "endedWith"
	keyEndedGone = "gone"
)

// shortLived records a Job that the cluster deletes after it has ended. It is empty for every other object.
type shortLived struct {
	// created is when the object was created, by the cluster's clock.
	created time.Time
	// ending is the type of the condition that was seen at its end, Complete or Failed; empty if no one saw the end.
	ending string
	// gone means that the cluster has deleted it.
	gone bool
}

// shortLivedOf returns the record for a live object. manifest is what we have applied.
func shortLivedOf(live *unstructured.Unstructured, manifest map[string]any) shortLived {
	if live.GroupVersionKind().GroupKind() != kinds.Job {
		return shortLived{}
	}
	if _, set, _ := unstructured.NestedFieldNoCopy(manifest, "spec", "ttlSecondsAfterFinished"); !set {
		return shortLived{}
	}
	return shortLived{created: live.GetCreationTimestamp().Time, ending: readiness.JobEnding(live).Type}
}

func (j shortLived) encode(out map[string]property.Value) {
	if j.created.IsZero() {
		return
	}
	known := map[string]property.Value{keyCreated: property.New(j.created.UTC().Format(time.RFC3339))}
	if j.ending != "" {
		known[keyEndedWith] = property.New(j.ending)
	}
	if j.gone {
		known[keyEndedGone] = property.New(true)
	}
	out[keyJob] = property.New(known)
}

// decodeShortLived reads what encode has written. It returns an empty record if it cannot read it.
func decodeShortLived(v property.Value) shortLived {
	if !v.IsMap() {
		return shortLived{}
	}
	known := v.AsMap()
	created, err := time.Parse(time.RFC3339, values.Text(known.Get(keyCreated)))
	if err != nil {
		return shortLived{}
	}
	return shortLived{created: created, ending: values.Text(known.Get(keyEndedWith)), gone: values.Flag(known.Get(keyEndedGone))}
}

// endedAndGone returns the record of a Job that was not found; ok means that the Job has ended and is not created
// again.
func (s state) endedAndGone(ctx context.Context, t target) (job shortLived, ok bool, err error) {
	job = s.job
	if job.created.IsZero() || s.Pending || s.Ref.UID == "" {
		return job, false, nil
	}
	if fresh, err := t.isNamespaceNewer(ctx, job.created); err != nil || fresh {
		return job, false, err
	}
	if job.ending == "" && !job.gone {
		job.ending = diagnosis.JobEnding(ctx, t.Cluster, t.Ref.Namespace, types.UID(s.Ref.UID))
	}
	if job.ending == string(batchv1.JobFailed) {
		return job, false, nil
	}
	job.gone = true
	return job, true, nil
}

// isNamespaceNewer reports whether the target's namespace was created, or deleted, after an object in it. If the
// namespace may not be read, we assume that the object did not go with it.
func (t target) isNamespaceNewer(ctx context.Context, created time.Time) (bool, error) {
	of, err := t.Cluster.Resolve(ctx, "v1", kinds.Namespace.Kind, "", t.Ref.Namespace)
	if err != nil {
		return false, err
	}
	namespace, err := t.Cluster.Get(ctx, of.Ref)
	switch {
	case apierrors.IsNotFound(err):
		return true, nil
	case apierrors.IsForbidden(err):
		return false, nil
	case err != nil:
		return false, err
	}
	return namespace.GetDeletionTimestamp() != nil || namespace.GetCreationTimestamp().After(created), nil
}

// sayEnded says once that a Job has ended, and why it is not created again.
func (t target) sayEnded(ctx context.Context, was, now shortLived) {
	switch {
	case was.gone:
	case now.ending != "":
		p.GetLogger(ctx).Infof("%s is complete, and the cluster has deleted it, as its ttlSecondsAfterFinished says. It runs again when its "+
			"manifest changes.", t.Ref)
	default:
		p.GetLogger(ctx).Warningf("%s is gone. Its ttlSecondsAfterFinished lets the cluster delete it when it has ended, and how it ended "+
			"was not seen. It is not run again.\nNext: to run it again, use `pulumi up --replace` with its URN, or change its manifest. "+
			"To have the update fail if it fails, make it a Task.", t.Ref)
	}
}

// sayRunsAgain says that an update creates a Job that has ended.
func (t target) sayRunsAgain(ctx context.Context) {
	p.GetLogger(ctx).Infof("%s has ended, and the cluster has deleted it. The update makes it, and so runs it, again.", t.Ref)
}

// sayFailed says why a Job is created again, if it is known to have failed.
func (t target) sayFailed(ctx context.Context, job shortLived) {
	if job.ending == string(batchv1.JobFailed) {
		p.GetLogger(ctx).Warningf("%s failed before the cluster deleted it, as its ttlSecondsAfterFinished says. It is made, and so run, again.", t.Ref)
	}
}

// staysEnded reports whether there is nothing to do for a Job that has ended and is gone, because the manifest has not
// changed since the last run.
func (s state) staysEnded(in inputs, saved property.Map) bool {
	if !s.job.gone || s.Pending {
		return false
	}
	was, err := decodeInputs(saved)
	return s.unchanged(in) || err == nil && in.unknown == 0 && was.unknown == 0 && in.written != nil && reflect.DeepEqual(in.written, was.written)
}

// noteEnded tells the Waits of this operation about a Job that was complete.
func (s state) noteEnded(ended *tracked.EndedJobs) {
	if s.job.gone && s.job.ending != "" {
		ended.Note(s.Ref.UID)
	}
}
