package ownership

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// FormerOwner is what a manager owned of a field before others took it: its entry in managedFields, reduced to the
// field, what is inside it and the maps and items around it.
type FormerOwner struct {
	metav1.ManagedFieldsEntry `json:",inline"`
	// Emptied means that the manager owned nothing else, so that its entry went when the field was taken.
	Emptied bool `json:"emptied,omitempty"`
}

// FormerOwners returns the owners of the field at path on before, without those that own says are ours and without
// placeholders.
func FormerOwners(before *unstructured.Unstructured, path fieldpath.Path, own func(manager string) bool) ([]FormerOwner, error) {
	var owners []FormerOwner
	for _, entry := range before.GetManagedFields() {
		if own(entry.Manager) || entry.Manager == releasedManager {
			continue
		}
		owned, err := entryFields(entry)
		if err != nil {
			return nil, err
		}
		part := within(owned, fieldpath.NewSet(path))
		if part.Empty() {
			continue
		}
		for n := 1; n < len(path); n++ {
			if owned.Has(path[:n]) {
				part.Insert(path[:n].Copy())
			}
		}
		text, err := part.ToJSON()
		if err != nil {
			return nil, fmt.Errorf("field set: %w", err)
		}
		entry.FieldsV1 = metav1.NewFieldsV1(string(text))
		owners = append(owners, FormerOwner{ManagedFieldsEntry: entry})
	}
	return owners, nil
}

// Emptied returns owners with a note of those whose entries went between before and after, which is a later write of those who
// have taken the field.
func Emptied(owners []FormerOwner, before, after *unstructured.Unstructured) ([]FormerOwner, error) {
	was, err := byIdentity(before)
	if err != nil {
		return nil, err
	}
	is, err := byIdentity(after)
	if err != nil {
		return nil, err
	}
	noted := slices.Clone(owners)
	for i, owner := range noted {
		id := identityOf(owner.ManagedFieldsEntry)
		noted[i].Emptied = owner.Emptied || was[id].raw != nil && is[id].raw == nil
	}
	return noted, nil
}

// GiveBack adds to the entries of former owners what they owned. An owner that has gone from the object in the meantime
// gets nothing, because an entry of its own would be in the way of whoever has replaced it, unless its entry went only
// because it was emptied.
func GiveBack(owners []FormerOwner) Edit {
	return func(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		raw, entries, err := writtenEntries(object)
		if err != nil {
			return nil, err
		}
		table := entryTable{byIdentity: map[entryIdentity]int{}}
		is, inVersion := map[entryIdentity]bool{}, map[entryIdentity]bool{}
		for i, entry := range entries {
			if entry.Manager == releasedManager {
				continue // not needed beside another entry
			}
			fields, err := entryFields(entry)
			if err != nil {
				return nil, err
			}
			text, _ := raw[i].(map[string]any) // a copy of the object's entry
			table.add(text, fields)
			is[identityOf(entry)], inVersion[versioned(entry)] = true, true
		}
		changed := false
		for _, owner := range owners {
			was := owner.ManagedFieldsEntry
			if !inVersion[versioned(was)] && (is[identityOf(was)] || !owner.Emptied) {
				continue
			}
			fields, err := entryFields(was)
			if err != nil {
				return nil, err
			}
			text, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&was)
			if err != nil {
				return nil, fmt.Errorf("managed fields: %w", err)
			}
			table.add(text, fields)
			changed = true
		}
		if !changed {
			return object, nil
		}
		left, err := table.encode()
		if err != nil {
			return nil, err
		}
		return withEntries(object, left), nil
	}
}

// versioned identifies an entry with its version, also one that was applied: names of fields may differ by version.
func versioned(entry metav1.ManagedFieldsEntry) entryIdentity {
	return entryIdentity{entry.Manager, entry.Operation, entry.APIVersion, entry.Subresource}
}
