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

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Delete releases the fields. They keep their values and have no owner, so that their previous owners can apply them
// again without a conflict. If the program asks for it, Delete removes what the patch has added.
func (r *patchResource) Delete(ctx context.Context, req p.DeleteRequest) error {
	return tracked.ExplainDestroy(r.delete(ctx, req), req.Properties)
}

func (r *patchResource) delete(ctx context.Context, req p.DeleteRequest) error {
	in, old, err := decode(r.deleting.Of(req), req.Properties)
	if err != nil {
		return err
	}
	id, err := old.IdentityIn(req.ID)
	if err != nil {
		return err
	}
	ctx = tracked.AwaitWebhooks(ctx, in.sensitive())
	if r.moves.Has(old.State) {
		old.Origin.WarnLeft(ctx, r.source)
		r.forget(req.Urn, old)
		return nil
	}
	if old.IsToForget(ctx, r.source, req.OldInputs, id) {
		r.forget(req.Urn, old)
		return nil
	}
	clu, err := r.source.Cluster(req.OldInputs)
	if err != nil {
		return err
	}
	asked := target{tracked.Target{Cluster: clu, Ref: tracked.RefOf(id)}}
	if err := old.RequireDeletable(ctx, r.source, asked.Target); err != nil {
		return asked.Explain("hand back fields of", err, in.sensitive())
	}
	manager, next := old.OnObject(managerOf(req.Urn))
	t, err := find(ctx, clu, id, manager)
	t.Also = next
	if failure.Gone(err) {
		return r.confirmGone(ctx, t, in, old)
	}
	if err != nil {
		return t.Explain("hand back fields of", err, in.sensitive())
	}
	if r.guard.Superseded(req.Urn, old.Ref.UID, old.HashKey) {
		p.GetLogger(ctx).Infof("%s: the fields are kept, because the Patch that replaces this one has them now.", t.Ref)
		return nil
	}
	if old.Ref.UID == "" {
		// The state does not identify the object. It is the one with our field manager.
		live, err := clu.Get(ctx, t.Ref)
		if failure.Gone(err) {
			return nil
		}
		if err != nil {
			return t.Explain("hand back fields of", err, in.sensitive())
		}
		old.Ref.UID = string(live.GetUID())
	}
	w := run{target: t, in: in, old: old, urn: req.Urn, source: r.source}
	var done removal
	var before *unstructured.Unstructured
	found, released, readable := false, false, true
	if in.onDestroy == destroyRemoves {
		done, found, readable, err = w.takeAway(ctx, types.UID(old.Ref.UID))
		released = found && readable
	} else {
		err = t.Edit(ctx, types.UID(old.Ref.UID), func(live *unstructured.Unstructured) (ownership.Edit, error) {
			found, readable, before = true, tracked.NamesOwners(live), live
			var err error
			if w.old.unrecorded, err = w.unrecorded(live); err != nil {
				return nil, err
			}
			release := t.ReleaseAll()
			after, err := release(live)
			released = released || after != live
			return release, err
		})
	}
	if failure.Gone(err) || err == nil && !found {
		err = r.confirmGone(ctx, t, in, old)
	}
	if err != nil {
		return t.Explain("hand back fields of", err, in.sensitive())
	}
	if !readable {
		p.GetLogger(ctx).Warningf("%s: the response does not say who owns its fields, so none could be handed back. If a "+
			"proxy removes metadata.managedFields, the field manager %s is still on the object.", t.Ref, t.Manager)
	}
	switch {
	case !readable:
	case in.onDestroy == destroyRemoves:
		w.say(ctx, done)
	case found:
		w.sayReleased(ctx, before)
	}
	if released {
		t.record(ctx, w.old, done)
	}
	r.forget(req.Urn, old)
	return nil
}

// forget drops what this process knows about a Patch that no longer exists. Another state of the resource may be newer,
// and about another object.
func (r *patchResource) forget(urn resource.URN, old state) {
	r.claims.dropOn(urn, old.Ref.UID)
	r.guard.Forget(urn, old.Ref.UID, old.HashKey)
}

// confirmGone reports why an object that was not found may still exist elsewhere.
func (r *patchResource) confirmGone(ctx context.Context, t target, in inputs, old state) error {
	return t.Explain("hand back fields of", old.ConfirmGone(ctx, r.source, t.Target), in.sensitive())
}

// recordTimeout bounds how long we try to record an event.
const recordTimeout = 5 * time.Second

// record creates an event on the object that says what was released. Nothing depends on it, and permission to patch
// need not include permission to create events.
func (t target) record(ctx context.Context, old state, done removal) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	fields, removed := "its fields", "what it has added"
	if !old.NamesSecret {
		var names, taken []string
		for _, path := range leaves(old.touched.removed.Union(old.present())) {
			if !done.removes(path) {
				names = append(names, old.name(path))
			}
		}
		for _, path := range done.paths {
			taken = append(taken, ownership.Format(path))
		}
		fields, removed = strings.Join(names, ", "), strings.Join(taken, ", ")
	}
	message := fmt.Sprintf("Field manager %s has handed back, with the values that they have: %s", t.Manager, fields)
	switch {
	case len(done.paths) > 0 && fields == "":
		message = fmt.Sprintf("Field manager %s has removed: %s", t.Manager, removed)
	case len(done.paths) > 0:
		message += "; and removed: " + removed
	}
	err := t.Cluster.Record(ctx, t.Ref, types.UID(old.Ref.UID), cluster.Event{
		Reason:  "PatchReleased",
		Message: message,
	})
	if err != nil {
		p.GetLogger(ctx).Debugf("%s: no event was recorded: %v", t.Ref, err)
	}
}
