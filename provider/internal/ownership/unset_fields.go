package ownership

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Unsent is the top of something in a merged object that the manifest does not set.
type Unsent struct {
	Path fieldpath.Path
	// Owners are the managers that own it or part of it. A field without owners is a default, an allocated value, or
	// one that a manager has released.
	Owners []string
}

// Generic returns a path as a list of names, with "*" for every list item, to compare it with the paths in the API
// server's messages, which name items by position.
func Generic(path fieldpath.Path) []string {
	names := make([]string, 0, len(path))
	for _, element := range path {
		if element.FieldName != nil {
			names = append(names, *element.FieldName)
		} else {
			names = append(names, "*")
		}
	}
	return names
}

// Unsent lists what the manifest does not set, except identity and server-owned fields.
func (m *Merged) Unsent() ([]Unsent, error) {
	var entries []ownedFields
	var elsewhere []string
	for _, entry := range m.live.GetManagedFields() {
		fields, err := entryFields(entry)
		switch {
		case err != nil:
			return nil, err
		case entry.Manager == releasedManager || isApplied(entry, m.manager):
			// Fields that we own and do not send are gone from the merged object.
		case entry.APIVersion != m.live.GetAPIVersion():
			elsewhere = append(elsewhere, entry.Manager)
		default:
			entries = append(entries, ownedFields{Owner{Manager: entry.Manager}, fields})
		}
	}
	ownership := Ownership{entries}
	var unsent []Unsent
	m.visit(m.Object, m.sent, m.shape, nil, func(path fieldpath.Path) {
		// An entry in another version may name this field without our knowing.
		field := Unsent{Path: path.Copy(), Owners: slices.Clip(elsewhere)}
		for _, owner := range ownership.Of(path) {
			field.Owners = append(field.Owners, owner.Manager)
		}
		unsent = append(unsent, field)
	})
	return unsent, nil
}

// serverOwned reports whether path is not content of the object.
func serverOwned(path fieldpath.Path) bool {
	switch Format(path) {
	case "apiVersion", "kind", "status", "metadata.name", "metadata.namespace", "metadata.uid", "metadata.resourceVersion",
		"metadata.generation", "metadata.creationTimestamp", "metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds",
		"metadata.managedFields", "metadata.selfLink", "metadata.generateName":
		return true
	}
	return false
}

// visit calls found for the top of everything in tree that sent lacks.
func (m *Merged) visit(tree, sent any, s *shape, path fieldpath.Path, found func(fieldpath.Path)) {
	switch tree := tree.(type) {
	case map[string]any:
		for name, v := range tree {
			at := append(slices.Clip(path), fieldpath.FieldNameElement(name))
			wanted, isSent := child(sent, name)
			switch {
			case serverOwned(at):
			case isSent || name == "metadata" && len(path) == 0:
				m.visit(v, wanted, s.below(name), at, found)
			default:
				found(at)
			}
		}
	case []any:
		for _, item := range tree {
			element, ok := s.elementOf(item)
			if !ok {
				return // merged as a whole
			}
			at := append(slices.Clip(path), element)
			if wanted, isSent := s.itemOf(sent, element); isSent {
				m.visit(item, wanted, s.ofItems(), at, found)
			} else {
				found(at)
			}
		}
	}
}

// Changes reports whether the merge has changed what is at path.
func (m *Merged) Changes(path fieldpath.Path) bool {
	before, _, had := Locate(m.live.Object, path)
	after, _, has := Locate(m.Object, path)
	return had != has || !Equal(before, after)
}

// Live returns the object that was merged into.
func (m *Merged) Live() *unstructured.Unstructured { return m.live }

// FieldNames splits a field of a message, such as spec.ports[0].nodePort or data[a.b], into the form of [Generic].
func FieldNames(field string) []string {
	var names []string
	for field != "" {
		end := strings.IndexAny(field, ".[")
		switch {
		case end < 0:
			return append(names, field)
		case end > 0:
			names = append(names, field[:end])
		}
		bracket := field[end] == '['
		field = field[end+1:]
		if !bracket {
			continue
		}
		inside, rest, _ := strings.Cut(field, "]")
		if _, err := strconv.Atoi(inside); err == nil {
			inside = "*"
		}
		names, field = append(names, inside), strings.TrimPrefix(rest, ".")
	}
	return names
}
