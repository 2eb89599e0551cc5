package object

import (
	"context"
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// write is one write onto an object that exists: an update, or the takeover of an object that the state does not know.
//
// It has three steps. First it changes who owns what, by one patch of managedFields that carries out all necessary
// edits. If no edit is necessary, it sends no patch, so usually the apply is the only request. Then it applies. Finally,
// by at most one more patch, it reverts what was changed only for the apply. The same patch renames the field manager of
// an object that has only the former one: such an update applies under that one.
//
// A dry-run cannot carry managedFields, so a preview can make none of these edits. For each of them it sends or assumes
// something else:
//
//	edit                                  file of the preview   in a preview
//	the field manager is renamed          target.go             applies under the one on the object, renames it in the answer
//	ignored fields are released           ignore_released.go    sends them with their live values
//	fields of other managers become ours  takeover.go           assumes that they are
//	what is not ours is shielded          unowned_fields.go     sends its values
type write struct {
	// target is who applies, and last who owns the fields in the end. They differ if the resource has a new URN while
	// the object has only the former URN's field manager ([target.asOn]).
	target
	last    target
	in      inputs
	old     state
	uid     types.UID
	preview bool

	// sends is what is applied, and applied is what we applied before; nil if that is unknown.
	sends, applied map[string]any
	seen           seen
	// renamed means that cleanUp has moved our fields to the field manager of the resource's URN.
	renamed bool
	// releasing are the fields to release. releasesIgnored means to release our fields that are ignored on the live
	// object.
	releasing       *fieldpath.Set
	releasesIgnored bool
	// migrates means that fields of client-side appliers become ours. takes means the same for the managers in
	// takeOverFrom.
	migrates, takes bool
	// migrating are the client-side appliers whose fields a preview assumes to be ours.
	migrating sets.Set[string]
	// shields means that the apply may remove what is not ours.
	shields bool

	// undo reverts what was changed about who owns what; nil if nothing was.
	undo ownership.Edit

	// unsettled is drift that stays.
	unsettled []drifted
	// kept is what was shielded.
	kept []ownership.Bystander
	// extras are what others have set on the object that is taken over and the manifest lacks.
	extras []ownership.Extra
	// busy means that others kept writing the object, so that no apply succeeded.
	busy bool
}

// seen is what we know of the live object: the state's part of it, or everything if it was read.
type seen struct {
	object map[string]any
	fields *fieldpath.Set
}

// writeOf prepares the write of an update. It reads the object first, if necessary.
func (r *kubeObject) writeOf(ctx context.Context, t target, req request) (*write, error) {
	in, old := req.in, req.old
	var live *unstructured.Unstructured
	if r.readsFirst(t, req) {
		var err error
		if live, err = t.lookFirst(ctx, types.UID(old.Ref.UID)); err != nil {
			return nil, t.Explain("read", err, in.sensitive())
		}
	}
	if live != nil {
		if err := in.leaveOn(live, lastOf(old, in), t.asOn(live).Own()...); err != nil {
			return nil, t.Explain("read", err, in.sensitive())
		}
		old = old.withoutTheirs(in)
	}
	w := &write{
		target: t, last: t, in: in, old: old, uid: types.UID(old.Ref.UID), preview: req.preview, applied: old.Wanted(),
		releasing: in.unreleased(old), releasesIgnored: old.isImported() && len(in.ignore) > 0,
		migrates: old.isImported(), takes: in.taking, seen: seen{old.Live, old.fields},
	}
	w.sends = w.body(live)
	w.shields = in.handsOver(old) || old.mayTakeBystanders(t, in, w.sends)
	if live == nil {
		return w, nil
	}
	if err := w.see(live); err != nil {
		return w, t.Explain("read", err, in.sensitive())
	}
	w.target = t.asOn(live)
	if err := t.mayWrite(in, live); err != nil || !old.isImported() {
		return w, err
	}
	return w, t.refusePatched("is managed by", live)
}

// readsFirst reports whether an update reads the object before it writes. A preview usually does not: the answer to its
// dry-run says who manages the object.
func (r *kubeObject) readsFirst(t target, req request) bool {
	return t.Also != "" || req.old.isImported() || len(req.in.managers()) > 0 ||
		(!req.preview || req.old.Foreign != "") && r.isUnseen(req.urn, req.old)
}

// run carries out the write.
func (w *write) run(ctx context.Context) applyResult {
	result := applyResult{wrote: !w.preview, uid: string(w.uid), theirs: w.in.theirs}
	switch {
	case w.preview:
		result.answer, result.err = w.sendShielded(ctx, w.sends)
		if w.assumesReleased(result.err) {
			result.answer, result.err = w.sendAsReleased(ctx, result.err)
		}
		if result.err == nil {
			result.answer, result.err = w.assumeTaken(ctx, result.answer)
		}
	default:
		if result.err = w.prepare(ctx, w.sends); result.err == nil {
			result.answer, result.err = w.send(ctx, w.sends)
		}
		w.cleanUp(ctx, result)
		// Before an update, the dry-run of its diff has reported it.
		if result.err == nil && w.old.Ref.UID == "" && w.findExtras(ctx, result.answer) == nil {
			w.sayExtras(ctx)
		}
	}
	return result
}

// body returns what the write applies: the manifest without the ignored fields, except in a preview, which cannot release
// them first.
func (w *write) body(live *unstructured.Unstructured) map[string]any {
	if w.preview && w.releasing != nil && !w.releasing.Empty() {
		return w.bodyOfPreview(live)
	}
	return w.in.sent()
}

// send applies body. It reads the object first, if ignored fields may have to be sent.
func (w *write) send(ctx context.Context, body map[string]any) (*unstructured.Unstructured, error) {
	if !w.in.ignoresInside(w.old) && !w.makesItems() {
		return w.attempt(ctx, body)
	}
	return w.sendOnto(ctx, body)
}

// attempt applies body. It tries again while others write the object, and again without what blocks it: defaults of the
// API server, drift, or what admission denies.
func (w *write) attempt(ctx context.Context, body map[string]any) (answer *unstructured.Unstructured, err error) {
	if isGuarded(body) {
		// sendOnto reads it again after a conflict.
		answer, err = w.applyWithPolicy(ctx, body)
		w.busy = apierrors.IsConflict(err)
	} else {
		answer, w.busy, err = w.applyUntilFree(ctx, body)
	}
	return w.orElse(ctx, body, answer, err)
}

// applyUntilFree retries [write.applyWithPolicy] while the API server answers that another client has just written
// the object (409). The API server gives the same answer if no object has this uid, so it reads the object to tell
// them apart. busy means that the object exists and was busy all the time.
func (w *write) applyUntilFree(ctx context.Context, body map[string]any) (answer *unstructured.Unstructured, busy bool, err error) {
	waited := cluster.RetryOnConflict(ctx, func() error {
		answer, err = w.applyWithPolicy(ctx, body)
		if !isStale(err) {
			return nil
		}
		live, readErr := w.Cluster.Get(ctx, w.Ref)
		if readErr != nil || live.GetUID() != w.uid {
			return nil
		}
		return err
	})
	return answer, waited != nil, err
}

// orElse returns the answer to an apply. If the API server refused it because of something that the program has not
// caused, orElse returns the answer to a modified apply.
func (w *write) orElse(
	ctx context.Context, body map[string]any, answer *unstructured.Unstructured, err error,
) (*unstructured.Unstructured, error) {
	if apierrors.IsInvalid(err) && !isOtherObject(err) {
		answer, err = w.applyDespiteDefaults(ctx, body, err)
	}
	if refused := (*refusedUpdate)(nil); errors.As(err, &refused) {
		return w.applyBesidesDrift(ctx, body, refused)
	}
	if reason, _ := failure.ReasonOf(err); reason == failure.ReasonAdmissionDenied && !tracked.IsRefusal(err) {
		return w.applyBesidesDenied(ctx, body, err)
	}
	return answer, err
}

// settle turns the result of an update into its outcome.
func (w *write) settle(t target, result applyResult, hashKey string) (outcome, error) {
	old := w.old
	updated, err := t.classifyOutcome(result, w.in, hashKey, "update")
	if updated.state.Hash == "" {
		// The next write counts on from the last known revision, also after an unconfirmed write.
		updated.state.Ref.Revision = old.Ref.Revision
		updated.state.left, updated.state.leftSecret = old.left, old.hidesNames()
		return updated, err
	}
	updated.state.Ref.Revision = tracked.RevisionOf(updated.state.Hash, old.Ref.Revision)
	if updated.state.unsettled, err = unsettledOf(w.unsettled, result.answer, hashKey); err != nil {
		return outcome{target: t}, err
	}
	old.fields, old.left = updated.state.unsettled.without(old.fields), updated.state.unsettled.without(old.left)
	if updated.leaving, err = w.leavingOf(old, updated.state, result.answer); err != nil {
		return outcome{target: t}, err
	}
	updated.state.left, updated.state.leftSecret = updated.leaving.stays, old.hidesNames()
	return updated, nil
}

// see records the object that was read.
func (w *write) see(live *unstructured.Unstructured) error {
	owned, err := ownership.AllOwned(live)
	if err == nil {
		w.seen = seen{live.Object, owned}
	}
	return err
}

// isUnseen reports whether this process has not read the object of a resource yet, or the last read was unusable or found
// it managed by another KubeObject. Then a write reads it first.
func (r *kubeObject) isUnseen(urn resource.URN, old state) bool {
	return old.Foreign != "" || old.Stale || old.Pending || !r.looks.Has(urn)
}

// lookFirst reads the object before a write. It returns nil if the object is gone or has been replaced, which the write
// notices.
func (t target) lookFirst(ctx context.Context, uid types.UID) (*unstructured.Unstructured, error) {
	live, err := t.Cluster.Get(ctx, t.Ref)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	case live.GetUID() != uid:
		return nil, nil
	}
	return live, nil
}
