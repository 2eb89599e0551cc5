package patch

import (
	"context"
	"fmt"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// Delete hands the fields back. They keep their values and belong to nobody, so that
// whoever had them before can apply them again without a conflict.
func (r *patchResource) Delete(ctx context.Context, req p.DeleteRequest) error {
	in, err := decodeInputs(req.OldInputs)
	if err != nil {
		return err
	}
	old, err := decodeState(req.Properties)
	if err != nil {
		return err
	}
	id := old.ref.identity
	if id.Name == "" {
		if id, err = manifest.ParseID(req.ID); err != nil {
			return err
		}
	}
	clu, err := r.source.Cluster(req.OldInputs)
	if err != nil {
		return err
	}
	t, err := find(ctx, clu, id, managerFor(req.Urn, old))
	if failure.Gone(err) {
		return nil
	}
	if err != nil {
		return t.explain("hand back fields of", err, in)
	}
	if r.standing.Lives(req.Urn, old.ref.uid, old.hashKey) {
		p.GetLogger(ctx).Infof("%s: the fields are kept, because the Patch that replaces this one has them now.", t.ref)
		return nil
	}
	if old.ref.uid == "" {
		// The state does not say which object it was. The one with our field manager is.
		live, err := clu.Get(ctx, t.ref)
		if failure.Gone(err) {
			return nil
		}
		if err != nil {
			return t.explain("hand back fields of", err, in)
		}
		old.ref.uid = string(live.GetUID())
	}
	released, readable := false, true
	err = clu.Edit(ctx, t.ref, types.UID(old.ref.uid), t.manager, func(live *unstructured.Unstructured) ([]byte, error) {
		readable = len(live.GetManagedFields()) > 0
		body, err := ownership.HandBack(live, t.manager, ownership.Kept{})
		released = body != nil
		return body, err
	})
	if err != nil && !failure.Gone(err) {
		return t.explain("hand back fields of", err, in)
	}
	if !readable {
		p.GetLogger(ctx).Warningf("%s: what was read of it does not say who owns its fields, so none could be handed back. "+
			"If a proxy leaves out metadata.managedFields, the field manager %s is still on it.", t.ref, t.manager)
	}
	if released {
		t.record(ctx, old)
	}
	r.claims.drop(req.Urn)
	r.standing.Gone(req.Urn)
	return nil
}

// recordPatience bounds how long is tried to record an event.
const recordPatience = 5 * time.Second

// record leaves an event on the object that says what was handed back. Nothing depends
// on it, and who may patch need not be allowed to make events.
func (t target) record(ctx context.Context, old state) {
	ctx, cancel := context.WithTimeout(ctx, recordPatience)
	defer cancel()
	fields := "its fields"
	if !old.namesSecret {
		var names []string
		for _, path := range leaves(old.touched.all()) {
			names = append(names, ownership.Format(path))
		}
		fields = strings.Join(names, ", ")
	}
	err := t.cluster.Record(ctx, t.ref, types.UID(old.ref.uid), cluster.Event{
		Reason:  "PatchReleased",
		Message: fmt.Sprintf("Field manager %s has handed back, with the values that they have: %s", t.manager, fields),
	})
	if err != nil {
		p.GetLogger(ctx).Debugf("%s: no event was recorded: %v", t.ref, err)
	}
}
