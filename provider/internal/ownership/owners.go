package ownership

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Owner is an owner of a field: a manager, with its operation and subresource.
type Owner struct {
	Manager     string
	Operation   metav1.ManagedFieldsOperationType
	Subresource string
}

// Ownership is managedFields, decoded once to answer questions about many fields.
type Ownership struct{ entries []ownedFields }

type ownedFields struct {
	owner  Owner
	fields *fieldpath.Set
}

// NewOwnership reads who owns what on object.
func NewOwnership(object *unstructured.Unstructured) (Ownership, error) {
	var ownership Ownership
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == releasedManager {
			continue // a placeholder
		}
		fields, err := entryFields(entry)
		if err != nil {
			return Ownership{}, err
		}
		ownership.entries = append(ownership.entries, ownedFields{Owner{entry.Manager, entry.Operation, entry.Subresource}, fields})
	}
	return ownership, nil
}

// Of lists the owners of path itself, of an atomic value around it or of anything below it, each once, in the
// object's order.
func (o Ownership) Of(path fieldpath.Path) []Owner {
	var owners []Owner
	for _, entry := range o.entries {
		if touches(entry.fields, path) && !o.onlyAround(entry.fields, path) && !slices.Contains(owners, entry.owner) {
			owners = append(owners, entry.owner)
		}
	}
	return owners
}

// ManagersOf lists the managers of [Ownership.Of], each once.
func (o Ownership) ManagersOf(path fieldpath.Path) []string {
	var names []string
	for _, owner := range o.Of(path) {
		if !slices.Contains(names, owner.Manager) {
			names = append(names, owner.Manager)
		}
	}
	return names
}

// onlyAround reports whether fields touches path only by a surrounding map or list, parts of which others own. The
// manager that created such a map still owns its existence after others have taken over all its content. In
// managedFields that looks like an atomic value, but no one could own a part of an atomic value.
func (o Ownership) onlyAround(fields *fieldpath.Set, path fieldpath.Path) bool {
	above, ok := leafAbove(fields, path)
	return ok && slices.ContainsFunc(o.entries, func(entry ownedFields) bool {
		return hasPart(entry.fields, above)
	})
}

// leafAbove returns the leaf of set that is above path, if there is one.
func leafAbove(set *fieldpath.Set, path fieldpath.Path) (fieldpath.Path, bool) {
	for n := 1; n < len(path); n++ {
		if set.Has(path[:n]) && !hasPart(set, path[:n]) {
			return path[:n], true
		}
	}
	return nil, false
}

// Whole returns the list or map around path that is owned as a whole, if there is one, or else path.
func Whole(owned *fieldpath.Set, path fieldpath.Path) fieldpath.Path {
	if above, ok := leafAbove(owned, path); ok {
		return above
	}
	return path
}

// touches reports whether set has path, a leaf above it or anything below it.
func touches(set *fieldpath.Set, path fieldpath.Path) bool {
	has, leaf := find(set, path)
	if has || leaf {
		return true
	}
	return hasPart(set, path)
}

// IsAbove reports whether set has something below path.
func IsAbove(path fieldpath.Path, set *fieldpath.Set) bool { return hasPart(set, path) }

// Around reports whether set has path or something above it.
func Around(set *fieldpath.Set, path fieldpath.Path) bool {
	for n := 1; n <= len(path); n++ {
		if set.Has(path[:n]) {
			return true
		}
	}
	return false
}

// find reports whether set has path itself, and whether a leaf of it is above path.
func find(set *fieldpath.Set, path fieldpath.Path) (has, leafAbove bool) {
	for i, element := range path {
		below, _ := set.Children.Get(element)
		member := set.Members.Has(element)
		switch {
		case i == len(path)-1:
			return member, false
		case below == nil || below.Empty():
			return false, member
		}
		set = below
	}
	return false, false
}

// at returns the part of set below path, or nil.
func at(set *fieldpath.Set, path fieldpath.Path) *fieldpath.Set {
	for _, element := range path {
		var ok bool
		if set, ok = set.Children.Get(element); !ok {
			return nil
		}
	}
	return set
}

// IsKeyField reports whether path ends in a field that selects the list item it is in:
// containers[name=web].name.
func IsKeyField(path fieldpath.Path) bool {
	if len(path) < 2 {
		return false
	}
	name, item := path[len(path)-1].FieldName, path[len(path)-2].Key
	if name == nil || item == nil {
		return false
	}
	for _, field := range *item {
		if field.Name == *name {
			return true
		}
	}
	return false
}

// Leaves returns the leaves of set without the key fields of list items, which only identify the items. They stay if
// the set has nothing else of the item.
func Leaves(set *fieldpath.Set) *fieldpath.Set {
	all := set.Leaves()
	content := withoutKeyFields(all)
	result := content.Copy()
	all.Iterate(func(path fieldpath.Path) {
		if IsKeyField(path) {
			if others := at(content, path[:len(path)-1]); others == nil || others.Empty() {
				result.Insert(path.Copy())
			}
		}
	})
	return result
}

func withoutKeyFields(set *fieldpath.Set) *fieldpath.Set {
	result := fieldpath.NewSet()
	set.Iterate(func(path fieldpath.Path) {
		if !IsKeyField(path) {
			result.Insert(path.Copy())
		}
	})
	return result
}

// Overlap returns the leaves of a that b also has, as a leaf, below a leaf or above one. Sets that share only the
// existence of list items, with their key fields, do not overlap. An item as a leaf is the whole item.
func Overlap(a, b *fieldpath.Set) *fieldpath.Set {
	theirs := withoutKeyFields(b.Leaves())
	result := fieldpath.NewSet()
	withoutKeyFields(a.Leaves()).Iterate(func(path fieldpath.Path) {
		if touches(theirs, path) {
			result.Insert(path.Copy())
		}
	})
	return result
}
