package object

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// keeps reports whether an object must outlive its resource. The last saved manifest counts as much as the live
// object: an object kept by mistake can still be deleted, but a deleted one cannot be restored.
func (in inputs) keeps(live *unstructured.Unstructured) bool {
	return manifest.SaysKeep(in.applied) || manifest.SaysKeep(live.Object)
}

// keep gives up an object that must outlive its resource: it releases our fields with their values and deletes
// nothing. For all other objects it returns false, with the live object if it was read.
//
// It reads the object only if the manifest or the last read asks to keep it, or if it is a definition, which needs
// further reads anyway: any other deletion stays a single request. An object that is already being deleted cannot be
// kept.
func (d deletion) keep(ctx context.Context) (seen *unstructured.Unstructured, kept bool, err error) {
	if !d.old.kept && !manifest.SaysKeep(d.in.applied) && !manifest.IsDefinition(d.Identity().GroupKind()) {
		return nil, false, nil
	}
	readable := true
	err = d.Edit(ctx, types.UID(d.uid), func(live *unstructured.Unstructured) (ownership.Edit, error) {
		seen, kept = live, d.in.keeps(live) && live.GetDeletionTimestamp() == nil
		if !kept {
			return nil, nil
		}
		readable = tracked.NamesOwners(live)
		return d.ReleaseAll(), nil
	})
	switch {
	case failure.Gone(err):
		return nil, false, nil // the deletion finds this out as well
	case err != nil:
		return nil, false, d.Explain("release", err, d.in.sensitive())
	case !kept:
		return seen, false, nil
	}
	unreleased := ""
	if !readable {
		unreleased = " The response does not say who owns its fields, so the field manager " + d.Manager + " may still be on it."
	}
	whose := "its annotation"
	if !manifest.SaysKeep(seen.Object) {
		whose = "in the manifest of the last `pulumi up`, its annotation"
	}
	p.GetLogger(ctx).Warningf("%s was not deleted: %s %s says keep. It stays as it is, and this resource no longer "+
		"manages it.%s", d.Ref, whose, manifest.ResourcePolicy, unreleased)
	return seen, true, nil
}

// keptInPlace refuses to replace an object that would survive its own deletion and occupy the place of the new one, or
// that the program wants to keep from now on.
func (r *refusedUpdate) keptInPlace(in inputs) error {
	saved, err := decodeInputs(in.saved)
	switch {
	case err != nil:
		return err
	case saved.keeps(r.merged.Live()):
		return tracked.Refused(failure.ReasonImmutable, "%s: the update cannot be made in place, and the object is not replaced: its annotation %s says keep, so it "+
			"would not be deleted, and the new object would meet it. It was not touched.\n%v\n"+
			"Next: undo the change; or, if the object may be deleted, remove the annotation in a separate `pulumi up`, then "+
			"make the change.", r.target.Ref, manifest.ResourcePolicy, r.said(in))
	case manifest.SaysKeep(in.applied):
		return tracked.Refused(failure.ReasonImmutable, "%s: the update cannot be made in place, and the object is not replaced: the manifest adds the annotation %s, "+
			"which says keep. It was not touched.\n%v\n"+
			"Next: undo the other change; or, if the object may be deleted, leave the annotation out until it is replaced.",
			r.target.Ref, manifest.ResourcePolicy, r.said(in))
	}
	return nil
}
