package ownership

import (
	"reflect"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// The items of keyed and set lists are found in locate.go.

// Kind says how a field differs between two projections.
type Kind int

// The kinds of change.
const (
	Changed Kind = iota // in both, with different values
	Added               // only in the new tree
	Removed             // only in the old tree
)

// Change is one difference between two projections.
type Change struct {
	Kind Kind
	Path fieldpath.Path
	// Old and New are the values on both sides; nil if there is none.
	Old, New any
}

// Compare lists the differences between two projections, or between any two trees of one object, at the leaves of
// fields. It compares list items by their keys. A map or an item that exists on only one side is one change, at the
// top of what the other side lacks.
func Compare(from, to map[string]any, fields *fieldpath.Set) []Change {
	c := comparison{fields: fields, reported: fieldpath.NewSet()}
	fields.Leaves().Iterate(func(path fieldpath.Path) {
		before, _, had := locateAmong(from, path, fields)
		after, _, has := locateAmong(to, path, fields)
		switch {
		case had && has:
			if !Equal(before, after) {
				c.changes = append(c.changes, Change{Changed, path.Copy(), before, after})
			}
		case has:
			c.reportOnce(Added, from, to, path)
		case had:
			c.reportOnce(Removed, to, from, path)
		}
	})
	return c.changes
}

// comparison collects the differences in these fields. reported are the places of those that are on one side only.
type comparison struct {
	fields   *fieldpath.Set
	changes  []Change
	reported *fieldpath.Set
}

// reportOnce reports a path of present that is missing from absent, at the highest missing place, unless it has already
// reported that place.
func (c *comparison) reportOnce(kind Kind, absent, present map[string]any, path fieldpath.Path) {
	top := path
	for n := 1; n < len(path); n++ {
		if _, _, ok := locateAmong(absent, path[:n], c.fields); !ok {
			top = path[:n]
			break
		}
	}
	if c.reported.Has(top) {
		return
	}
	c.reported.Insert(top.Copy())
	v, _, _ := locateAmong(present, top, c.fields)
	if IsNothing(v, top) {
		return
	}
	change := Change{Kind: kind, Path: top.Copy()}
	if kind == Added {
		change.New = v
	} else {
		change.Old = v
	}
	c.changes = append(c.changes, change)
}

// IsNothing reports whether v, at path, is as good as no value: no labels or annotations, of an object or of a template. The API
// server does not store them if they are empty.
func IsNothing(v any, path fieldpath.Path) bool {
	n := len(path)
	return (v == nil || isEmptyContainer(v)) && n > 1 && isNamed(path[n-2], "metadata") && (isNamed(path[n-1], "labels") || isNamed(path[n-1], "annotations"))
}

func isNamed(element fieldpath.PathElement, name string) bool {
	return element.FieldName != nil && *element.FieldName == name
}

// Equal compares two JSON values. It compares numbers by value: a state that went through Pulumi holds every number
// as a float64.
func Equal(a, b any) bool {
	return reflect.DeepEqual(asFloats(a), asFloats(b))
}

func asFloats(v any) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case map[string]any:
		result := make(map[string]any, len(v))
		for key, item := range v {
			result[key] = asFloats(item)
		}
		return result
	case []any:
		result := make([]any, len(v))
		for i, item := range v {
			result[i] = asFloats(item)
		}
		return result
	default:
		return v
	}
}
