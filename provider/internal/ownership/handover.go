package ownership

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// LeftManager owns fields of a KubeObject whose object another resource has taken over, if that resource does not set
// them. It is a placeholder that belongs to no resource: fields without any owner would be leftovers, which the next
// owner of the surrounding field removes unasked.
const LeftManager = "k8sconnect.released"

// Handover says what happens to another manager's entry: which fields move to ours, and which manager keeps the rest;
// "" means the same one.
type Handover struct {
	Moved *fieldpath.Set
	Rest  string
}

// HandOver moves other managers' fields into what manager has applied. It asks decide about every entry except
// manager's own, and except entries of subresources that report status. A manager can set a field of the object through
// the scale subresource.
func HandOver(manager string, decide func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) Handover) Edit {
	return func(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		left, err := handOver(object, manager, decide)
		if err != nil || left == nil {
			return object, err
		}
		return withEntries(object, left), nil
	}
}

// Rename moves everything that former owns to manager.
func Rename(former, manager string) Edit { return HandOver(manager, renaming(former, manager)) }

func renaming(former, manager string) func(metav1.ManagedFieldsEntry, *fieldpath.Set) Handover {
	return func(entry metav1.ManagedFieldsEntry, _ *fieldpath.Set) Handover {
		if entry.Manager != former {
			return Handover{}
		}
		return Handover{Rest: manager}
	}
}

// handOver returns the remaining entries, or nil if nothing changes.
func handOver(
	object *unstructured.Unstructured, manager string, decide func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) Handover,
) ([]any, error) {
	raw, entries, err := writtenEntries(object)
	if err != nil {
		return nil, err
	}
	table := entryTable{byIdentity: map[entryIdentity]int{}}
	changed := false
	for i, entry := range entries {
		owned, err := entryFields(entry)
		if err != nil {
			return nil, err
		}
		text, _ := raw[i].(map[string]any) // a copy of the object's entry
		decided := Handover{}
		if !isApplied(entry, manager) && SetsFields(entry) {
			decided = decide(entry, owned)
		}
		if decided.Moved != nil && !decided.Moved.Empty() {
			changed = true
			table.add(appliedEntry(manager, entry.APIVersion), decided.Moved)
			owned = owned.Difference(decided.Moved)
			if owned.Empty() {
				continue
			}
		}
		if decided.Rest != "" && decided.Rest != entry.Manager {
			changed = true
			text["manager"] = decided.Rest
		}
		table.add(text, owned)
	}
	if !changed {
		return nil, nil
	}
	return table.encode()
}

// SetsFields reports whether an entry covers fields that a manager sets, as opposed to status that it reports.
func SetsFields(entry metav1.ManagedFieldsEntry) bool {
	return entry.Subresource == "" || entry.Subresource == "scale"
}

// entryTable is managedFields with duplicate entries merged: if two entries have the same identity, the API server
// would forget one of them.
type entryTable struct {
	entries    []map[string]any
	fields     []*fieldpath.Set
	byIdentity map[entryIdentity]int
}

type entryIdentity struct{ manager, operation, apiVersion, subresource any }

// appliedEntry returns the start of the entry of a manager that applies.
func appliedEntry(manager, apiVersion string) map[string]any {
	return map[string]any{
		"manager": manager, "operation": string(metav1.ManagedFieldsOperationApply), "apiVersion": apiVersion, "fieldsType": "FieldsV1",
	}
}

func (t *entryTable) add(entry map[string]any, fields *fieldpath.Set) {
	identity := entryIdentity{entry["manager"], entry["operation"], entry["apiVersion"], entry["subresource"]}
	if identity.operation == string(metav1.ManagedFieldsOperationApply) {
		identity.apiVersion = nil // an applier has one entry, in the version that it applied last
	}
	if i, ok := t.byIdentity[identity]; ok {
		t.fields[i] = t.fields[i].Union(fields)
		return
	}
	t.byIdentity[identity] = len(t.entries)
	t.entries, t.fields = append(t.entries, entry), append(t.fields, fields)
}

func (t *entryTable) encode() ([]any, error) {
	left := make([]any, 0, len(t.entries))
	for i, entry := range t.entries {
		if err := setFields(entry, t.fields[i]); err != nil {
			return nil, err
		}
		left = append(left, entry)
	}
	return left, nil
}

// Shared selects the fields of a manager that wanted also has, or has something inside: these are the fields that the
// manager hands over. Key fields of list items go with their items. Shared excludes the content of a map that is wanted
// empty: it would become ours without being set, and the next apply would remove it.
func Shared(wanted *fieldpath.Set) func(owned *fieldpath.Set) *fieldpath.Set {
	return func(owned *fieldpath.Set) *fieldpath.Set {
		shared := fieldpath.NewSet()
		owned.Iterate(func(path fieldpath.Path) {
			if wanted.Has(path) || hasPart(wanted, path) && !hasPart(owned, path) {
				shared.Insert(path.Copy())
			}
		})
		return shared
	}
}

// Below selects the fields of a manager that equal one of the paths or are inside it.
func Below(paths []fieldpath.Path) func(owned *fieldpath.Set) *fieldpath.Set {
	whole := fieldpath.NewSet(paths...)
	return func(owned *fieldpath.Set) *fieldpath.Set { return within(owned, whole) }
}
