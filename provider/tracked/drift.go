package tracked

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// Seen is the result of reading an object.
type Seen struct {
	// Object is the live object, and Manager our field manager on it.
	Object  *unstructured.Unstructured
	Manager string
	// Live is the projection on our fields, and Owners their owners.
	Live   map[string]any
	Owners map[string]string
	// Sent returns what the last write sent for a field, as far as that is known.
	Sent func(fieldpath.Path) (any, bool)
}

// Drifted records the live values and, if they differ from what was applied in one of the compared fields, the applied
// values.
func (s State) Drifted(seen Seen, compared *fieldpath.Set) State {
	wanted := s.Wanted()
	if s.isUnwritten(seen) {
		// Only the API server can have changed a value that we still own.
		wanted = ownership.WithDefaults(wanted, seen.Live, seen.ours(compared), seen.Sent)
	}
	s.Live, s.Applied, s.Ownership = seen.Live, nil, seen.Owners
	if len(ownership.Compare(seen.Live, wanted, compared)) > 0 {
		s.Applied = wanted
	} else {
		s.WrittenAt = ownership.WrittenAt(seen.Object, seen.Manager)
	}
	return s
}

// isUnwritten reports whether nothing was written under our field manager since the state was saved.
func (s State) isUnwritten(seen Seen) bool {
	return s.WrittenAt != "" && s.WrittenAt == ownership.WrittenAt(seen.Object, seen.Manager)
}

// ours returns the leaves of a set that we still own.
func (s Seen) ours(fields *fieldpath.Set) *fieldpath.Set {
	own := fieldpath.NewSet()
	fields.Leaves().Iterate(func(path fieldpath.Path) {
		if owner, ok := ownership.OwnerOf(s.Owners, path); ok && owner == s.Manager {
			own.Insert(path.Copy())
		}
	})
	return own
}

// Unsaved lists the fields that we still own although their values differ from what was applied. Anyone else who
// changes a value takes it from us, so a run of ours whose state was lost wrote these values. Nothing tells whether
// they are secret.
func (s State) Unsaved(fields *fieldpath.Set) []fieldpath.Path {
	if s.Applied == nil {
		return nil
	}
	var unsaved []fieldpath.Path
	for _, change := range ownership.Compare(s.Live, s.Applied, fields) {
		if owner, ok := ownership.OwnerOf(s.Ownership, change.Path); ok && owner == s.Manager {
			unsaved = append(unsaved, change.Path)
		}
	}
	return unsaved
}

// Lost lists the leaves that we have applied and no longer own, besides those already listed because their values
// changed. A field that another manager has taken has drifted even if its value is the same.
func (s State) Lost(leaves []fieldpath.Path, listed []ownership.Change) []ownership.Change {
	known := fieldpath.NewSet()
	for _, change := range listed {
		known.Insert(change.Path)
	}
	var lost []ownership.Change
	for _, path := range leaves {
		owner, ok := ownership.OwnerOf(s.Ownership, path)
		if !ok || owner == s.Manager || ownership.Around(known, path) {
			continue
		}
		v, _, _ := ownership.Locate(s.Live, path)
		if ownership.IsNothing(v, path) {
			continue
		}
		lost = append(lost, ownership.Change{Kind: ownership.Changed, Path: path, Old: v, New: v})
	}
	return lost
}
