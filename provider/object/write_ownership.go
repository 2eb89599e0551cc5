package object

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

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
