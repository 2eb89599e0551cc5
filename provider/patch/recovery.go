package patch

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/mutation"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// resume finds out whether an earlier attempt carried out a JSON patch but lost the reply, and returns what it touched.
// The other kinds of patch can simply be sent again.
//
// The write was bound to one resourceVersion. If the object still has it, nothing was written. Otherwise the object
// must look as it does after the patch. The same check applies if the process was killed and the state knows nothing of
// the attempt, but our field manager is on the object.
func (r run) resume(live *unstructured.Unstructured) (patchedFields, bool, error) {
	if r.in.kind != keyJSONPatch {
		return nothing(), false, nil
	}
	if may, err := r.mayHaveWritten(live); err != nil || !may {
		return nothing(), false, err
	}
	patch, problems := mutation.ParseJSONPatch(r.in.document)
	if err := firstProblem(keyJSONPatch, problems); err != nil {
		return nothing(), false, err
	}
	once := patch.OnceOperations(r.in.hidesPlace)
	if len(once) == 0 {
		return nothing(), false, nil
	}
	if effect, held := patch.Held(live); held {
		if r.old.Pending && len(r.old.touched.operations) > 0 {
			return r.old.touched, true, nil
		}
		return effects(effect), true, nil
	}
	if r.old.Pending {
		return nothing(), false, tracked.Refused(failure.ReasonNotConfirmed, "%s: it is not known whether an earlier try of this patch was carried out: "+
			"its reply was lost, and the object has changed since. Operations that must not be carried out twice: %s.\n"+
			"Check the object. To carry out the patch, change it in any way that means the same; to leave the object as it is, "+
			"remove the completed operations from jsonPatch.", r.target.Ref, strings.Join(once, ", "))
	}
	return nothing(), false, nil
}

// mayHaveWritten reports whether an earlier attempt at this patch may be what changed the object.
func (r run) mayHaveWritten(live *unstructured.Unstructured) (bool, error) {
	// An operation that cannot be repeated changes something, and leaves our field manager on the object until
	// someone else changes the same field.
	traces := slices.ContainsFunc(ownership.Managers(live), r.isOurs)
	if !r.old.Pending {
		return traces, nil
	}
	sum, err := r.in.hash(r.old.HashKey)
	if err != nil || sum != r.old.Hash || live.GetResourceVersion() == r.old.base {
		return false, err
	}
	untouched, err := r.untouched(live)
	return traces || !untouched, err
}

// untouched reports whether the fields of an earlier attempt still belong to their previous owners, who have not
// written them since. If the patch had been carried out, they would belong to us or to a later writer.
func (r run) untouched(live *unstructured.Unstructured) (bool, error) {
	fields := r.old.touched.all()
	if fields.Empty() {
		return false, nil
	}
	was, err := r.datedOwners(live, r.old.before)
	if err != nil {
		return false, err
	}
	is, err := r.datedOwners(live, live.GetManagedFields())
	if err != nil {
		return false, err
	}
	for _, path := range leaves(fields) {
		if !slices.Equal(was.Of(path), is.Of(path)) {
			return false, nil
		}
	}
	return true, nil
}

// datedOwners returns the owners, distinguished also by the time of their last write.
func (r run) datedOwners(object *unstructured.Unstructured, entries []metav1.ManagedFieldsEntry) (ownership.Ownership, error) {
	dated := slices.Clone(entries)
	for i := range dated {
		if r.isOurs(dated[i].Manager) {
			dated[i].Manager = r.target.Manager
		}
		if dated[i].Time != nil {
			dated[i].Manager += " " + dated[i].Time.UTC().Format(time.RFC3339)
		}
	}
	object = object.DeepCopy()
	object.SetManagedFields(dated)
	return ownership.NewOwnership(object)
}

// unconfirmed returns the state of a patch when we do not know whether it was carried out.
func (r run) unconfirmed(lost *lostError) (state, error) {
	sum, err := r.in.hash(r.old.HashKey)
	if err != nil {
		return state{}, err
	}
	before := r.old.before
	if before == nil {
		before = lost.live.GetManagedFields()
	}
	former, err := r.formerWithoutReply(lost)
	if err != nil {
		return state{}, err
	}
	return state{
		State: tracked.State{
			Live:    map[string]any{},
			Ref:     reference.Object{Identity: r.target.Identity(), UID: string(lost.live.GetUID()), Revision: r.old.Ref.Revision},
			Manager: r.target.Manager,
			Hash:    sum,
			HashKey: r.old.HashKey,
			Pending: true,
		},
		touched:  lost.fields,
		created:  r.createdWithoutReply(lost),
		former:   former,
		previous: r.old.previous,
		before:   before,
		base:     lost.live.GetResourceVersion(),
	}, nil
}

// lostError means that we do not know whether a patch took effect.
type lostError struct {
	cause  error
	fields patchedFields
	// live is the object that the patch was sent to.
	live *unstructured.Unstructured
}

func (e *lostError) Error() string { return e.cause.Error() }
