package patch

import (
	"context"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// unrecorded returns what our field managers own on a live object and the state does not know: a run of this Patch
// whose state was not saved has set it, or an older state was imported since. Nothing tells whether that run has added
// it, so it is released with its value.
//
// For a JSON patch or a merge patch, managedFields show only what it changed. A state of an earlier version does not
// know what the API server has added to that. So if nothing was written since that state, none of these fields counts
// as unrecorded.
func (r run) unrecorded(live *unstructured.Unstructured) (*fieldpath.Set, error) {
	known, own := r.old.touched.all(), r.target.Own()
	for _, fields := range []*fieldpath.Set{r.old.besides, r.old.dropped} {
		if fields != nil {
			known = known.Union(fields)
		}
	}
	ours := ownership.WrittenBy(own...)
	if r.old.besides == nil && (r.old.WrittenAt == "" || slices.ContainsFunc(own, func(manager string) bool {
		return ownership.WrittenAt(live, manager) == r.old.WrittenAt
	})) {
		ours = ownership.AppliedBy(own...)
	}
	return ownership.Unrecorded(live, ours, known)
}

// leavesUnrecorded names what is unrecorded on a live object and not among the fields that the patch touches. It
// returns nothing if the state has no object or is unconfirmed.
func (r run) leavesUnrecorded(live *unstructured.Unstructured, touched patchedFields) ([]string, error) {
	if r.old.Ref.UID == "" || r.old.Pending {
		return nil, nil
	}
	unrecorded, err := r.unrecorded(live)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, path := range leaves(unrecorded) {
		if !ownership.Touches(touched.all(), path) {
			names = append(names, r.leftName(ownership.UpToSet(path)))
		}
	}
	return tracked.Unique(names), nil
}

// sayUnrecorded warns about the fields that are released although no state ever had them.
func (o outcome) sayUnrecorded(ctx context.Context) {
	if len(o.unrecorded) > 0 {
		p.GetLogger(ctx).Warningf("%s: a run of this Patch whose state was not saved has set fields that the patch does not name. The Patch "+
			"gives them up, and they keep their values: nothing records what was there before.\n  %s",
			o.target.Ref, strings.Join(o.unrecorded, ", "))
	}
}

// unrecordedDrift lists the fields that are ours although the patch does not name them.
func (s state) unrecordedDrift() []ownership.Change {
	if s.unrecorded == nil {
		return nil
	}
	var changes []ownership.Change
	for _, path := range leaves(s.unrecorded) {
		v, _, _ := ownership.Locate(s.Live, path)
		changes = append(changes, ownership.Change{Kind: ownership.Removed, Path: path, Old: v})
	}
	return changes
}

// isUnrecorded reports whether a field is one that the state did not know.
func (s state) isUnrecorded(path fieldpath.Path) bool {
	return s.unrecorded != nil && s.unrecorded.Has(path)
}

// name formats a field of the state. Nothing tells whether an unrecorded item of a set, which is its own name, is secret.
func (s state) name(path fieldpath.Path) string {
	if s.isUnrecorded(path) {
		path = ownership.UpToSet(path)
	}
	return ownership.Format(path)
}

// present returns our fields that have a value, both those in the state and those that only the last read has found.
func (s state) present() *fieldpath.Set {
	if s.unrecorded == nil {
		return s.touched.present()
	}
	return s.touched.present().Union(s.unrecorded)
}
