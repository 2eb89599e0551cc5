package patch

import (
	"context"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// leaving is what happens to the fields that the program no longer has in the patch, if it wants them restored: the same
// as at a destroy. With "remove", as by default, they stay.
//
// It happens before the patch, which may need it: a failure leaves the state as it is, and the next update finds what is done.
func (r run) leaving(live *unstructured.Unstructured, now patchedFields) (removal, error) {
	if r.in.onDestroy != destroyRestores {
		return removal{}, nil
	}
	m, err := r.removerOf(live, func(path fieldpath.Path) bool { return !r.names(now, path) })
	if err != nil {
		return removal{}, err
	}
	all := m.putBack()
	all.add(m.additions(all))
	for _, leaf := range leaves(r.old.touched.present()) {
		if _, _, has := ownership.Locate(live.Object, leaf); has && m.given(leaf) && !all.covers(leaf) {
			kept := m.keep(leaf)
			if r.old.created.around(leaf) {
				kept.why = "it is a part of something that this Patch has added and still has"
			}
			all.kept = append(all.kept, kept)
		}
	}
	return all, nil
}

// names reports whether a patch concerns a field, something in it or around it.
func (r run) names(now patchedFields, path fieldpath.Path) bool {
	if ownership.Touches(now.all(), path) {
		return true
	}
	operations, _ := r.in.document.([]any)
	for i, operation := range operations {
		members, _ := operation.(map[string]any)
		if place, known := now.place(i); known && place != nil && members["op"] != "test" && leadsTo(place, path) {
			return true
		}
	}
	return false
}

// release gives up what the patch no longer names, before the patch is sent: an apply deletes what it leaves out. It
// returns the object after that, and what has become of the fields.
func (r run) release(
	ctx context.Context, live *unstructured.Unstructured, now patchedFields, kept ownership.Kept,
) (*unstructured.Unstructured, removal, error) {
	planned, err := r.leaving(live, now)
	if err != nil {
		return nil, planned, err
	}
	if len(planned.puts)+len(planned.places) > 0 {
		if live, err = r.convertible(ctx, live); err != nil {
			return nil, planned, err
		}
		if live, err = r.remove(ctx, live, &planned); err != nil {
			return nil, planned, err
		}
	}
	live, err = r.edit(ctx, live, ownership.InOrder(ownership.GiveBack(planned.owners), ownership.ReleaseExcept(r.target.Manager, kept)))
	return live, planned, err
}

// sayLeft reports what has become of the fields that are no longer in the patch, and which fields a destroy cannot restore.
func (o outcome) sayLeft(ctx context.Context) {
	log, left := p.GetLogger(ctx), o.left
	if len(left.restored) > 0 {
		log.Infof("%s: these fields are no longer in the patch. They get back what was there before it: %s", o.target.Ref, strings.Join(left.restored, ", "))
	}
	if len(left.removed) > 0 {
		log.Infof("%s: these fields are no longer in the patch, and were not there before it. They are removed: %s", o.target.Ref, strings.Join(left.removed, ", "))
	}
	if len(left.kept) > 0 {
		log.Warningf("%s: these fields are no longer in the patch, and stay as they are, although onDestroy is \"restore\". The Patch no longer owns them.\n  %s%s",
			o.target.Ref, strings.Join(left.kept, "\n  "), left.refusal)
	}
	if len(o.notRecorded) > 0 {
		log.Warningf("%s: nothing records what was in these fields before this Patch has set them, so a destroy leaves them as they are, although "+
			"onDestroy is \"restore\": %s", o.target.Ref, strings.Join(o.notRecorded, ", "))
	}
	if len(o.tooLarge) > 0 {
		log.Warningf("%s: what was in these fields before is too large to be recorded: a Patch records %d KiB in all. A destroy leaves them as they are, "+
			"although onDestroy is \"restore\": %s", o.target.Ref, maxFormer>>10, strings.Join(o.tooLarge, ", "))
	}
}

// leftFields are the fields of a removal, for messages.
type leftFields struct {
	restored, removed, kept []string
	refusal                 string
}

func (r run) leftFields(done removal) leftFields {
	var left leftFields
	for _, path := range done.restored {
		left.restored = append(left.restored, r.leftName(path))
	}
	for _, path := range done.paths {
		left.removed = append(left.removed, r.leftName(path))
	}
	for _, kept := range done.kept {
		if !kept.former {
			left.kept = append(left.kept, fmt.Sprintf("%s: %s", r.leftName(kept.path), kept.why))
		}
	}
	left.restored, left.removed, left.kept = tracked.Unique(left.restored), tracked.Unique(left.removed), tracked.Unique(left.kept)
	if done.refusal != "" {
		left.refusal = "\nWhat the API server says: " + done.refusal
	}
	return left
}
