package ownership

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Applied returns the fields that manager owns on object through server-side apply, and whether it has applied the
// object at all.
//
// Entries of other operations and of subresources count as other owners, even under our own name: applying less
// removes only what was applied.
func Applied(object *unstructured.Unstructured, manager string) (*fieldpath.Set, bool, error) {
	for _, entry := range object.GetManagedFields() {
		if !isApplied(entry, manager) {
			continue
		}
		set, err := entryFields(entry)
		if err != nil {
			return nil, false, err
		}
		return set, true, nil
	}
	return nil, false, nil
}

// writtenEntries returns the entries of managedFields twice: as written, for callers that change them, and decoded. The
// written form is a copy.
func writtenEntries(object *unstructured.Unstructured) (raw []any, entries []metav1.ManagedFieldsEntry, err error) {
	if raw, _, err = unstructured.NestedSlice(object.Object, "metadata", "managedFields"); err != nil {
		return nil, nil, fmt.Errorf("managed fields: %w", err)
	}
	if entries = object.GetManagedFields(); len(entries) != len(raw) {
		return nil, nil, errors.New("managed fields: cannot be read")
	}
	return raw, entries, nil
}

// AllOwned returns the fields of object that have an owner.
func AllOwned(object *unstructured.Unstructured) (*fieldpath.Set, error) {
	owned := fieldpath.NewSet()
	for _, entry := range object.GetManagedFields() {
		fields, err := entryFields(entry)
		if err != nil {
			return nil, err
		}
		owned = owned.Union(fields)
	}
	return owned, nil
}

// Managers lists the field managers on object, each once, in the object's order.
func Managers(object *unstructured.Unstructured) []string {
	var names []string
	seen := map[string]bool{}
	for _, entry := range object.GetManagedFields() {
		if !seen[entry.Manager] {
			seen[entry.Manager] = true
			names = append(names, entry.Manager)
		}
	}
	return names
}

// Owners maps every leaf of set, by its string form (see [Format]), to its owner on object. If manager, or one of
// also, which stand for it, is one of several owners, Owners names manager alone: sharing a field with the same value
// is no conflict. It joins other owners by ", ". A leaf without an owner maps to "".
func Owners(object *unstructured.Unstructured, set *fieldpath.Set, manager string, also ...string) (map[string]string, error) {
	type owner struct {
		name   string
		ours   bool
		fields *fieldpath.Set
	}
	var owners []owner
	for _, entry := range object.GetManagedFields() {
		fields, err := entryFields(entry)
		if err != nil {
			return nil, err
		}
		ours := isApplied(entry, manager) || slices.ContainsFunc(also, func(other string) bool { return isApplied(entry, other) })
		owners = append(owners, owner{entry.Manager, ours, fields})
	}

	result := map[string]string{}
	set.Leaves().Iterate(func(path fieldpath.Path) {
		var names []string
		for _, o := range owners {
			if !o.fields.Has(path) {
				continue
			}
			if o.ours {
				names = []string{manager}
				break
			}
			names = append(names, o.name)
		}
		sort.Strings(names)
		result[Format(path)] = strings.Join(slices.Compact(names), ", ")
	})
	return result, nil
}

// Imported returns the fields that some manager set on purpose, and the fields that only a controller wrote through the
// status subresource. An imported object tracks the former until its first apply. The latter were never a user's
// intention (a Deployment's revision annotation, for example).
func Imported(object *unstructured.Unstructured) (intended, reported *fieldpath.Set, err error) {
	intended, reported = fieldpath.NewSet(), fieldpath.NewSet()
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == releasedManager {
			continue // a placeholder
		}
		fields, err := entryFields(entry)
		if err != nil {
			return nil, nil, err
		}
		if entry.Subresource == "status" {
			reported = reported.Union(fields)
		} else {
			intended = intended.Union(fields)
		}
	}
	return intended, reported.Difference(intended), nil
}

// Encode writes set in the form of managedFields' fieldsV1.
func Encode(set *fieldpath.Set) (string, error) {
	text, err := set.ToJSON()
	if err != nil {
		return "", fmt.Errorf("field set: %w", err)
	}
	return string(text), nil
}

// Decode reads the form that [Encode] writes.
func Decode(fieldsV1 string) (*fieldpath.Set, error) {
	set := fieldpath.NewSet()
	if err := set.FromJSON(strings.NewReader(fieldsV1)); err != nil {
		return nil, fmt.Errorf("field set: %w", err)
	}
	return set, nil
}

// appliedAndOthers returns the fields that manager has applied on object, and the fields of all other managers except
// the placeholder entry.
func appliedAndOthers(object *unstructured.Unstructured, manager string) (applied, others *fieldpath.Set, err error) {
	applied, others = fieldpath.NewSet(), fieldpath.NewSet()
	for _, entry := range object.GetManagedFields() {
		fields, err := entryFields(entry)
		switch {
		case err != nil:
			return nil, nil, err
		case entry.Manager == releasedManager:
		case isApplied(entry, manager):
			applied = fields
		default:
			others = others.Union(fields)
		}
	}
	return applied, others, nil
}

func isApplied(entry metav1.ManagedFieldsEntry, manager string) bool {
	return entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == ""
}

func entryFields(entry metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	set := fieldpath.NewSet()
	if entry.FieldsV1 == nil {
		return set, nil
	}
	if err := set.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
		return nil, fmt.Errorf("managed fields of %q: %w", entry.Manager, err)
	}
	return set, nil
}
