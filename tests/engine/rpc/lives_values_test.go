package rpc_test

import (
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// leafValue is one value of an object, and where it is.
type leafValue struct {
	path  fieldpath.Path
	value any
}

// itemKeys are the fields by which the items of a list are told apart. Every other list belongs to its owner as a whole.
var itemKeys = map[string][]string{"containers": {"name"}, "env": {"name"}, "volumes": {"name"}}

// serverFields are those that the API server alone sets.
var serverFields = []string{
	"apiVersion", "kind", "status", "metadata.managedFields", "metadata.resourceVersion", "metadata.generation",
	"metadata.uid", "metadata.creationTimestamp", "metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds",
	"metadata.selfLink", "metadata.name", "metadata.namespace",
}

// leavesIn are the values of an object or a manifest, by the text of their paths.
func leavesIn(object map[string]any) map[string]leafValue {
	found := map[string]leafValue{}
	collectLeaves(object, nil, "", found)
	return found
}

func collectLeaves(tree any, path fieldpath.Path, dotted string, found map[string]leafValue) {
	if slices.Contains(serverFields, dotted) {
		return
	}
	below := func(element fieldpath.PathElement) fieldpath.Path { return append(slices.Clip(path), element) }
	switch tree := tree.(type) {
	case m:
		for name, member := range tree {
			collectLeaves(member, below(fieldpath.PathElement{FieldName: &name}), strings.TrimPrefix(dotted+"."+name, "."), found)
		}
		return // an empty map is no value: others may fill it
	case []any:
		keys := itemKeys[dotted[strings.LastIndex(dotted, ".")+1:]]
		for i, item := range tree {
			element := fieldpath.PathElement{Index: &i}
			if object, ok := item.(m); ok && keys != nil {
				element = fieldpath.PathElement{Key: itemKeyOf(object, keys)}
			}
			collectLeaves(item, below(element), dotted+"[]", found)
		}
		if len(tree) > 0 {
			return
		}
	}
	found[path.String()] = leafValue{path, tree}
}

func itemKeyOf(item map[string]any, names []string) *value.FieldList {
	var key value.FieldList
	for _, name := range names {
		key = append(key, value.Field{Name: name, Value: value.NewValueInterface(item[name])})
	}
	key.Sort()
	return &key
}

// owned is who owns the fields of an object.
type owned map[string]*fieldpath.Set

func (l *life) ownedIn(live *unstructured.Unstructured) owned {
	all := owned{}
	for _, entry := range live.GetManagedFields() {
		fields := &fieldpath.Set{}
		require.NoError(l.t, fields.FromJSON(strings.NewReader(string(entry.FieldsV1.GetRawBytes()))))
		if before := all[entry.Manager]; before != nil {
			fields = fields.Union(before)
		}
		all[entry.Manager] = fields
	}
	return all
}

// by reports whether a value belongs to one of the managers, and whether it belongs to another one.
func (o owned) by(path fieldpath.Path, ours ...string) (mine, theirs bool) {
	for manager, fields := range o {
		switch {
		case !ownsValue(fields, path):
		case slices.Contains(ours, manager):
			mine = true
		default:
			theirs = true
		}
	}
	return mine, theirs
}

// atomics are lists and maps that belong to their owner as a whole.
var atomics = []string{"selector", "tolerations", "args"}

// wholeOf is the part of an object that has owners of its own: the value at a path, or what is around it and owned as a whole.
func wholeOf(path fieldpath.Path) fieldpath.Path {
	for i, element := range path {
		if element.FieldName != nil && slices.Contains(atomics, *element.FieldName) {
			return path[:i+1]
		}
	}
	return path
}

func ownsValue(fields *fieldpath.Set, path fieldpath.Path) bool { return fields.Has(wholeOf(path)) }

// setBy are the parts of an object that a tree of values sets.
func setBy(tree map[string]any) map[string]bool {
	units := map[string]bool{}
	for _, leaf := range leavesIn(tree) {
		units[wholeOf(leaf.path).String()] = true
	}
	return units
}
