package ownership

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// OwnedBy returns the leaves on object that the selected managers own, by any operation or subresource, and that none
// of own has applied. What a manager shares with us is ours: we would not notice that it gives the field up.
//
// The result has neither the key fields of list items, nor maps and items of which a manager owns only that they exist.
func OwnedBy(object *unstructured.Unstructured, selected func(manager string) bool, own ...string) (*fieldpath.Set, error) {
	all, err := NewOwnership(object)
	if err != nil {
		return nil, err
	}
	theirs, ours := fieldpath.NewSet(), fieldpath.NewSet()
	for _, entry := range all.entries {
		if slices.Contains(own, entry.owner.Manager) {
			ours = ours.Union(entry.fields)
		} else if selected(entry.owner.Manager) {
			theirs = theirs.Union(entry.fields)
		}
	}
	result := fieldpath.NewSet()
	withoutKeyFields(theirs.Leaves()).Iterate(func(path fieldpath.Path) {
		onlyExists := path[len(path)-1].Key != nil ||
			slices.ContainsFunc(all.entries, func(entry ownedFields) bool { return hasPart(entry.fields, path) })
		if !onlyExists && !touches(ours, path) {
			result.Insert(path.Copy())
		}
	})
	return result, nil
}

// Exactly returns the selection of the members of a set, each with everything below it.
func Exactly(fields *fieldpath.Set) Ignore {
	var ignore Ignore
	fields.Iterate(func(path fieldpath.Path) {
		if pattern, err := ParsePattern(Format(path)); err == nil { // there are no positions in fields of an apply
			ignore = append(ignore, pattern)
		}
	})
	return ignore
}
