package ownership

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Undo returns the edit that reverts another edit, which turned before into after. It changes nothing if any of the
// entries that the other edit changed has changed since.
func Undo(before, after *unstructured.Unstructured) Edit {
	return func(live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		was, err := byIdentity(before)
		if err != nil {
			return nil, err
		}
		became, err := byIdentity(after)
		if err != nil {
			return nil, err
		}
		is, err := byIdentity(live)
		if err != nil {
			return nil, err
		}
		var entries []any
		changed := map[entryIdentity]bool{}
		for _, all := range []map[entryIdentity]writtenEntry{was, became} {
			for id := range all {
				if changed[id] || was[id].equals(became[id]) {
					continue
				}
				if !is[id].equals(became[id]) {
					return live, nil
				}
				if changed[id] = true; was[id].raw != nil {
					entries = append(entries, was[id].raw)
				}
			}
		}
		if len(changed) == 0 {
			return live, nil
		}
		for id, entry := range is {
			if !changed[id] {
				entries = append(entries, entry.raw)
			}
		}
		return withEntries(live, entries), nil
	}
}

// writtenEntry is an entry of managedFields as read, with its fields; the zero value means that there is none.
type writtenEntry struct {
	raw    any
	fields *fieldpath.Set
}

func (e writtenEntry) equals(other writtenEntry) bool {
	if e.raw == nil || other.raw == nil {
		return e.raw == nil && other.raw == nil
	}
	return e.fields.Equals(other.fields)
}

func byIdentity(object *unstructured.Unstructured) (map[entryIdentity]writtenEntry, error) {
	raw, entries, err := writtenEntries(object)
	if err != nil {
		return nil, err
	}
	all := map[entryIdentity]writtenEntry{}
	for i, entry := range entries {
		fields, err := entryFields(entry)
		if err != nil {
			return nil, err
		}
		all[identityOf(entry)] = writtenEntry{raw[i], fields}
	}
	return all, nil
}

func identityOf(entry metav1.ManagedFieldsEntry) entryIdentity {
	id := entryIdentity{entry.Manager, entry.Operation, entry.APIVersion, entry.Subresource}
	if entry.Operation == metav1.ManagedFieldsOperationApply {
		id.apiVersion = "" // an applier has one entry
	}
	return id
}
