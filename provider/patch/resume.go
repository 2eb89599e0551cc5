package patch

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/mutation"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// resume finds out whether a JSON patch was carried out by an earlier try whose reply
// was lost, and returns what it has touched then. The other kinds of patch can simply
// be sent again.
//
// The write was bound to one resourceVersion. Where the object still has it, nothing
// was written. Else the object has to look as after the patch.
func (w work) resume(live *unstructured.Unstructured) (touched, bool, error) {
	// An operation that cannot be repeated changes something, and leaves our field manager.
	traces := slices.Contains(ownership.Managers(live), w.target.manager)
	switch {
	case w.in.kind != keyJSONPatch || !traces:
		return nothing(), false, nil
	case w.old.pending:
		sum, err := w.in.hash(w.old.hashKey)
		if err != nil {
			return nothing(), false, err
		}
		if sum != w.old.hash || live.GetResourceVersion() == w.old.base {
			return nothing(), false, nil
		}
	case w.old.ref.uid != "":
		return nothing(), false, nil
	}
	patch, problems := mutation.ParseJSONPatch(w.in.document)
	if err := firstProblem(keyJSONPatch, problems); err != nil {
		return nothing(), false, err
	}
	if effect, held := patch.Held(live); held {
		if len(w.old.touched.operations) > 0 {
			return w.old.touched, true, nil
		}
		return effects(effect), true, nil
	}
	if once := patch.OnceOperations(); w.old.pending && len(once) > 0 {
		return nothing(), false, refused("%s: it is not known whether an earlier try of this patch was carried out: its reply was "+
			"lost, and the object has been changed since. Operations that must not be carried out twice: %s.\n"+
			"Look at the object. To carry the patch out, change it in any way that means the same; to leave the object as it is, "+
			"take the operations that are done already out of jsonPatch.", w.target.ref, strings.Join(once, ", "))
	}
	return nothing(), false, nil
}

// unconfirmed is the state of a patch of which it is not known whether it was carried
// out on live.
func (w work) unconfirmed(live *unstructured.Unstructured, lost *lostError) (state, error) {
	sum, err := w.in.hash(w.old.hashKey)
	if err != nil {
		return state{}, err
	}
	before := w.old.before
	if before == nil {
		before = live.GetManagedFields()
	}
	return state{
		touched:  lost.fields,
		live:     map[string]any{},
		previous: w.old.previous,
		ref:      objectRef{identity: w.target.identity(), uid: string(live.GetUID())},
		manager:  w.target.manager,
		hash:     sum,
		hashKey:  w.old.hashKey,
		pending:  true,
		before:   before,
		base:     live.GetResourceVersion(),
	}, nil
}
