package ownership

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Bystander is something in a live object that an apply would remove although the manager does not own it: when the
// last owned field leaves a map, a list, or an object inside one, the API server removes the container with everything
// in it.
type Bystander struct {
	Path fieldpath.Path
	// MaybeDefault means that the API server may have set it itself, as a default that goes with the fields that leave.
	MaybeDefault bool
	// Half means that it is a list item, or part of one, that stays because others own the item's key. It was the
	// manager's, and stays so that the item remains complete.
	Half bool
}

// Empties reports whether an apply of sent may remove more than single values: that is, whether sent lacks some map,
// list or item of fields, which the manager owns. applied is what the manager applied before; it identifies a map that
// was applied empty.
func Empties(fields *fieldpath.Set, applied, sent any) bool {
	found := false
	for element, below := range elements(fields) {
		_, was, _ := step(applied, element)
		_, wanted, isSent := step(sent, element)
		inside := below != nil && !below.Empty()
		switch {
		case found:
		case inside && (!isSent || isEmptyContainer(wanted)):
			found = true
		case inside:
			found = Empties(below, was, wanted)
		case !isSent:
			found = isEmptyContainer(was)
		}
	}
	return found
}

// OnlyAbsent returns fields that are owned and that object lacks, where their map or item has content and none of it is owned. The
// API server drops values, but not the ownership of them. An apply that no longer sends them removes the map or item with its content.
func OnlyAbsent(object map[string]any, owned *fieldpath.Set) *fieldpath.Set {
	found := fieldpath.NewSet()
	onlyAbsent(object, owned, nil, found)
	return found
}

func onlyAbsent(tree any, owned *fieldpath.Set, path fieldpath.Path, found *fieldpath.Set) {
	for element, below := range elements(owned) {
		_, child, ok := step(tree, element)
		if !ok || isEmptyContainer(child) || below == nil || below.Empty() {
			continue
		}
		at := append(slices.Clip(path), element)
		if hasAny(child, below) || isMetadata(at) {
			onlyAbsent(child, below, at, found)
			continue
		}
		below.Leaves().Iterate(func(leaf fieldpath.Path) { found.Insert(append(at.Copy(), leaf.Copy()...)) })
	}
}

// hasAny reports whether tree has any of the fields.
func hasAny(tree any, fields *fieldpath.Set) (has bool) {
	fields.Leaves().Iterate(func(leaf fieldpath.Path) {
		if !has {
			_, _, has = Locate(tree, leaf)
		}
	})
	return has
}

// isMetadata reports whether path is the metadata of an object, which no apply removes.
func isMetadata(path fieldpath.Path) bool {
	return len(path) == 1 && isNamed(path[0], "metadata")
}

// Bystanders lists what the manager's apply of sent would remove from live together with the manager's last field
// there. It excludes fields of other managers, which the API server keeps, and the content of the manager's own list
// items, which are removed as a whole. For an item that others keep, it lists everything that they do not own.
func Bystanders(live *unstructured.Unstructured, manager string, applied, sent map[string]any) ([]Bystander, error) {
	shape, err := shapeOf(live, manager)
	if err != nil {
		return nil, err
	}
	w := bystanders{}
	ours, others, err := appliedAndOthers(live, manager)
	if err != nil {
		return nil, err
	}
	w.visit(section{live: live.Object, applied: applied, sent: sent, ours: ours, others: others, shape: shape})
	return w.found, nil
}

type bystanders struct{ found []Bystander }

// section is the object, or a part of it, as an apply meets it.
type section struct {
	path fieldpath.Path
	// live is what is there, applied what the manager applied there before, and sent what it applies there now.
	live, applied, sent any
	// ours are the fields below path that the manager owns, and others those of other managers.
	ours, others *fieldpath.Set
	shape        *shape
}

// visit finds what leaves a section.
func (w *bystanders) visit(s section) {
	for element, below := range elements(s.ours) {
		part, isSent, exists := s.at(element, below)
		if !exists {
			continue
		}
		inside, shared := below != nil && !below.Empty(), touches(s.others, fieldpath.Path{element})
		switch {
		case inside && !isSent && staysByKey(element, s.others):
			w.halves(below, part.others, part.path)
		case inside && (isSent && !isEmptyList(part.sent) || shared):
			w.visit(part)
		case element.FieldName == nil, shared:
		case inside, !isSent && isEmptyContainer(part.applied):
			w.collect(part.live, below, part.shape, part.path)
		}
	}
}

// at returns the part of a section below an element, where the manager owns these fields.
func (s section) at(element fieldpath.PathElement, ours *fieldpath.Set) (part section, isSent, exists bool) {
	part = section{path: append(slices.Clip(s.path), element), ours: ours, others: partsAt(s.others, element), shape: s.shape.ofItems()}
	if element.FieldName != nil {
		part.shape = s.shape.below(*element.FieldName)
	}
	_, part.live, exists = step(s.live, element)
	_, part.applied, _ = step(s.applied, element)
	_, part.sent, isSent = step(s.sent, element)
	return part, isSent, exists
}

func isEmptyList(v any) bool {
	_, is := v.([]any)
	return is && isEmptyContainer(v)
}

// staysByKey reports whether others own a list item, or one of its keys. The API server then keeps the item, but
// removes what only the manager owns in it.
func staysByKey(element fieldpath.PathElement, others *fieldpath.Set) bool {
	if element.Key == nil {
		return false
	}
	if others.Members.Has(element) {
		return true
	}
	parts := partsAt(others, element)
	for _, key := range *element.Key {
		if parts.Members.Has(fieldpath.FieldNameElement(key.Name)) {
			return true
		}
	}
	return false
}

// halves adds the parts of a staying item that only the manager owns: for example, a variable without its value means
// something else than the variable. The item itself comes first.
func (w *bystanders) halves(ours, others *fieldpath.Set, path fieldpath.Path) {
	whole := len(w.found)
	w.found = append(w.found, Bystander{Path: path.Copy(), Half: true})
	defer func() {
		if len(w.found) == whole+1 {
			w.found = w.found[:whole] // others own all of it
		}
	}()
	ours.Leaves().Iterate(func(leaf fieldpath.Path) {
		if !touches(others, leaf) {
			w.found = append(w.found, Bystander{Path: append(path.Copy(), leaf.Copy()...), Half: true})
		}
	})
}

// collect adds the tops of what is in tree but not in ours.
func (w *bystanders) collect(tree any, ours *fieldpath.Set, s *shape, path fieldpath.Path) {
	if ours == nil {
		ours = fieldpath.NewSet()
	}
	switch tree := tree.(type) {
	case map[string]any:
		for name, v := range tree {
			element := fieldpath.FieldNameElement(name)
			at := append(slices.Clip(path), element)
			switch below := partsAt(ours, element); {
			case !below.Empty():
				w.collect(v, below, s.below(name), at)
			case !ours.Members.Has(element):
				w.found = append(w.found, Bystander{Path: at, MaybeDefault: !mergedByMember(path) && !isContent(path)})
			}
		}
	case []any:
		for _, item := range tree {
			element, ok := s.elementOf(item)
			if !ok {
				continue // owned as a whole
			}
			if !ours.Members.Has(element) && partsAt(ours, element).Empty() {
				w.found = append(w.found, Bystander{Path: append(slices.Clip(path), element)})
			}
		}
	}
}

// isContent reports whether path is the content of a ConfigMap or a Secret, where the API server sets nothing.
func isContent(path fieldpath.Path) bool {
	return len(path) == 1 && path[0].FieldName != nil && (*path[0].FieldName == "data" || *path[0].FieldName == "binaryData")
}

// With returns a copy of sent that also sets the fields of live at paths.
func With(sent, live map[string]any, paths []fieldpath.Path) map[string]any {
	var result any = runtime.DeepCopyJSON(sent)
	for _, path := range paths {
		if v, _, ok := Locate(live, path); ok {
			result = set(result, path, runtime.DeepCopyJSONValue(v))
		}
	}
	object, _ := result.(map[string]any)
	return object
}

// set returns tree with v at path.
func set(tree any, path fieldpath.Path, v any) any {
	if len(path) == 0 {
		return v
	}
	_, child, _ := step(tree, path[0])
	child = set(child, path[1:], v)
	if name := path[0].FieldName; name != nil {
		object, ok := tree.(map[string]any)
		if !ok {
			object = map[string]any{}
		}
		object[*name] = child
		return object
	}
	list, _ := tree.([]any)
	if i := indexOf(list, path[0]); i >= 0 {
		list[i] = child
		return list
	}
	return append(list, child)
}

// Shield gives fields to the placeholder entry, so that no apply removes them. [Unshield] reverts it.
func Shield(fields *fieldpath.Set) Edit {
	return func(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		if fields.Empty() {
			return object, nil
		}
		raw, entries, err := writtenEntries(object)
		if err != nil {
			return nil, err
		}
		left, all := make([]any, 0, len(raw)+1), fields
		for i, entry := range entries {
			if entry.Manager != releasedManager {
				left = append(left, raw[i])
				continue
			}
			shielded, err := entryFields(entry)
			if err != nil {
				return nil, err
			}
			all = all.Union(shielded)
		}
		entry, err := nobodysEntry(object, all)
		if err != nil {
			return nil, err
		}
		return withEntries(object, append(left, entry)), nil
	}
}

// Unshield reverts [Shield].
func Unshield() Edit {
	return reduce(func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) *fieldpath.Set {
		if entry.Manager != releasedManager {
			return owned
		}
		return owned.Intersection(nobodysFields())
	})
}

// nobodysFields returns the fields of the placeholder entry: no apply can conflict with them.
func nobodysFields() *fieldpath.Set {
	return fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", "name"))
}

// nobodysEntry returns the placeholder entry in managedFields, which represents no manager.
func nobodysEntry(object *unstructured.Unstructured, fields *fieldpath.Set) (map[string]any, error) {
	entry := map[string]any{
		"manager": releasedManager, "operation": string(metav1.ManagedFieldsOperationUpdate), "apiVersion": object.GetAPIVersion(),
		"fieldsType": "FieldsV1",
	}
	return entry, setFields(entry, fields)
}
