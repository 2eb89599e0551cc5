package object

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
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

// prepare changes who owns what before the apply. If there is nothing to change, it sends no request. If it fails, that
// is a refusal: regardless of the effect of the edits, no value has changed, and nothing is applied.
func (w *write) prepare(ctx context.Context, body map[string]any) error {
	edits, verb, err := w.plan(ctx)
	if isOtherObject(err) {
		return nil // the apply reports it as well
	}
	if w.shields {
		edits = append(edits, w.shield(ctx, body))
	}
	if err == nil && len(edits) > 0 {
		err = w.edit(ctx, ownership.InOrder(edits...))
	}
	if outdated := (*tracked.OutdatedError)(nil); err == nil || tracked.IsRefusal(err) || errors.As(err, &outdated) {
		return err // the caller corrects outdated managed fields and tries again
	}
	if refused := (*refusedUpdate)(nil); errors.As(err, &refused) {
		return err // the caller finds out what cannot be changed
	}
	err = w.Explain(verb, err, w.in.sensitive())
	reason, _ := failure.ReasonOf(err)
	return tracked.Refused(reason, "%v", err)
}

// plan lists the necessary edits in their order, and says what the first of them does.
func (w *write) plan(ctx context.Context) (edits []ownership.Edit, verb string, err error) {
	verb = "guard what is not ours in"
	add := func(does string, edit ownership.Edit) {
		if len(edits) == 0 {
			verb = does
		}
		edits = append(edits, edit)
	}
	// If target is not last, the object has only the former manager: the apply runs under it, and cleanUp renames it afterwards.
	if w.Also != "" && w.target == w.last {
		add("rename the field manager on", w.Rename())
	}
	if w.releasing != nil && !w.releasing.Empty() {
		add("release fields of", ownership.Release(w.Manager, w.releasing))
	}
	if w.migrates {
		add("take over fields of", func(live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
			return w.migrate(w.in, live)
		})
	}
	if w.takes {
		handOver, err := w.handOver(ctx)
		if err != nil {
			return nil, "take over fields of", err
		}
		add("take over fields of", handOver)
		add("take over fields of", w.claimLeft)
	}
	if w.releasesIgnored {
		add("release fields of", w.releaseIgnored)
	}
	return edits, verb, nil
}

// edit changes who owns what, and remembers how to revert that.
func (w *write) edit(ctx context.Context, edit ownership.Edit) error {
	earlier := w.undo
	return w.editOwned(ctx, w.in, w.uid, func(live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		edited, err := edit(live)
		if err == nil && edited != live {
			w.undo = ownership.InOrder(ownership.Undo(live, edited), earlier)
		}
		return edited, err
	})
}

// editOwned changes who owns the fields of the object with this uid, if we may write the object.
func (t target) editOwned(ctx context.Context, in inputs, uid types.UID, edit ownership.Edit) error {
	return t.Edit(ctx, uid, func(live *unstructured.Unstructured) (ownership.Edit, error) { return edit, t.mayWrite(in, live) })
}

// cleanUp removes the shield, removes what we have applied from the placeholder entries, and gives the object of a
// renamed resource its new field manager. If it fails, the next write tries again: no value depends on it.
//
// After a refused update, cleanUp reverts everything that was changed for the apply. The program may give the change
// up, and then fields that others had owned would be ours to remove.
func (w *write) cleanUp(ctx context.Context, result applyResult) {
	var edits []ownership.Edit
	if w.undo != nil && result.err != nil && tracked.HadNoEffect(result.err) {
		edits = append(edits, w.undo)
	}
	if len(w.kept) > 0 {
		edits = append(edits, ownership.Unshield())
	}
	if result.err == nil {
		reclaim := ownership.Reclaim(w.Manager)
		if reclaimed, err := reclaim(result.answer); err == nil && reclaimed != result.answer {
			edits = append(edits, reclaim)
		}
	}
	renames := result.err == nil && w.target != w.last
	if renames {
		edits = append(edits, w.last.Rename())
	}
	if len(edits) > 0 {
		err := w.CleanUp(ctx, w.uid, edits...)
		if err != nil {
			p.GetLogger(ctx).Debugf("%s: nobody's entries still have fields of this resource, or values that stay, or its field manager has "+
				"its former name: %v", w.Ref, err)
		}
		w.renamed = renames && err == nil
	}
	w.sayKept(ctx, result.err)
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
