package patch

import (
	"context"
	"fmt"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Delete releases the fields. They keep their values and have no owner, so that their previous owners can apply them
// again without a conflict. If the program asks for it, Delete removes what the patch has added, and puts back what it
// has changed.
func (r *patchResource) Delete(ctx context.Context, req p.DeleteRequest) error {
	return tracked.ExplainDestroy(r.delete(ctx, req), req.Properties)
}

func (r *patchResource) delete(ctx context.Context, req p.DeleteRequest) error {
	in, old, err := decode(r.deleting.Of(req), req.Properties)
	if err != nil {
		return err
	}
	ctx = tracked.AwaitWebhooks(ctx, in.sensitive())
	found, err := old.FindToDelete(ctx, r.source, &r.moves, req, managerOf(req.Urn))
	t := target{found.Target}
	switch {
	case err != nil:
		return t.Explain(handsBack, err, in.sensitive())
	case found.Forgotten:
		r.forget(req.Urn, old)
		return nil
	case found.Missing:
		return r.confirmGone(ctx, t, in, old)
	case r.guard.Superseded(req.Urn, old.Ref.UID, old.HashKey):
		p.GetLogger(ctx).Infof("%s: the fields are kept, because the Patch that replaces this one has them now.", t.Ref)
		return nil
	}
	if old.Ref.UID == "" {
		// The state does not identify the object. It is the one with our field manager.
		live, err := t.Cluster.Get(ctx, t.Ref)
		if failure.Gone(err) {
			return nil
		}
		if err != nil {
			return t.Explain(handsBack, err, in.sensitive())
		}
		old.Ref.UID = string(live.GetUID())
	}
	w := run{target: t, in: in, old: old, urn: req.Urn, source: r.source}
	done, err := w.handBack(ctx)
	if failure.Gone(err) || err == nil && !done.found {
		err = r.confirmGone(ctx, t, in, old)
	}
	if err != nil {
		return t.Explain(handsBack, err, in.sensitive())
	}
	w.sayDone(ctx, done)
	r.forget(req.Urn, old)
	return nil
}

// handsBack is what a deletion does, for messages.
const handsBack = "hand back fields of"

// released is what a deletion has found and done.
type released struct {
	removal removal
	// found means that the object was there, readable that it said who owns its fields, and changed that some of them were ours.
	found, readable, changed bool
	// before is the object as it was, unless the patch is taken away.
	before *unstructured.Unstructured
}

// undoes reports whether a destroy changes values: it removes what the patch has added, or also puts back what it has changed.
func (in inputs) undoes() bool {
	return in.onDestroy == destroyRemoves || in.onDestroy == destroyRestores
}

// handBack releases the fields of the patch, and undoes it if the program asks for that.
func (r *run) handBack(ctx context.Context) (released, error) {
	uid := types.UID(r.old.Ref.UID)
	done := released{readable: true}
	var err error
	if r.in.undoes() {
		done.removal, done.found, done.readable, err = r.takeAway(ctx, uid)
		done.changed = done.found && done.readable
		return done, err
	}
	err = r.target.Edit(ctx, uid, func(live *unstructured.Unstructured) (ownership.Edit, error) {
		done.found, done.readable, done.before = true, tracked.NamesOwners(live), live
		var err error
		if r.old.unrecorded, err = r.unrecorded(live); err != nil {
			return nil, err
		}
		release := r.target.ReleaseAll()
		after, err := release(live)
		done.changed = done.changed || after != live
		return release, err
	})
	return done, err
}

// sayDone says what a deletion has done, to the user and on the object.
func (r *run) sayDone(ctx context.Context, done released) {
	switch {
	case !done.readable:
		p.GetLogger(ctx).Warningf("%s: the response does not say who owns its fields, so none could be handed back. If a "+
			"proxy removes metadata.managedFields, the field manager %s is still on the object.", r.target.Ref, r.target.Manager)
	case r.in.undoes():
		r.say(ctx, done.removal)
	case done.found:
		r.sayReleased(ctx, done.before)
	}
	if done.changed {
		r.target.record(ctx, r.old, done.removal)
	}
}

// forget drops what this process knows about a Patch that no longer exists. Another state of the resource may be newer,
// and about another object.
func (r *patchResource) forget(urn resource.URN, old state) {
	r.claims.dropOn(urn, old.Ref.UID)
	r.guard.Forget(urn, old.Ref.UID, old.HashKey)
}

// confirmGone reports why an object that was not found may still exist elsewhere.
func (r *patchResource) confirmGone(ctx context.Context, t target, in inputs, old state) error {
	return t.Explain(handsBack, old.ConfirmGone(ctx, r.source, t.Target), in.sensitive())
}

// recordTimeout bounds how long we try to record an event.
const recordTimeout = 5 * time.Second

// record creates an event on the object that says what was released. Nothing depends on it, and permission to patch
// need not include permission to create events.
func (t target) record(ctx context.Context, old state, done removal) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	fields, removed, restored := "its fields", "what it has added", "what it has changed"
	if !old.NamesSecret {
		var names []string
		for _, path := range leaves(old.touched.removed.Union(old.present())) {
			if !done.removes(path) && !anyLeadsTo(done.restored, path) {
				names = append(names, old.name(path))
			}
		}
		fields, removed, restored = strings.Join(names, ", "), formatted(done.paths), formatted(done.restored)
	}
	var did []string
	if fields != "" || len(done.paths)+len(done.restored) == 0 {
		did = append(did, "handed back, with the values that they have: "+fields)
	}
	if len(done.restored) > 0 {
		did = append(did, "put back: "+restored)
	}
	if len(done.paths) > 0 {
		did = append(did, "removed: "+removed)
	}
	message := fmt.Sprintf("Field manager %s has %s", t.Manager, strings.Join(did, "; and "))
	err := t.Cluster.Record(ctx, t.Ref, types.UID(old.Ref.UID), cluster.Event{
		Reason:  "PatchReleased",
		Message: message,
	})
	if err != nil {
		p.GetLogger(ctx).Debugf("%s: no event was recorded: %v", t.Ref, err)
	}
}

// formatted lists fields for a message.
func formatted(paths []fieldpath.Path) string {
	var names []string
	for _, path := range paths {
		names = append(names, ownership.Format(path))
	}
	return strings.Join(names, ", ")
}
