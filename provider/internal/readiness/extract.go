package readiness

import (
	"maps"
	"slices"

	"github.com/theory/jsonpath/spec"
	"k8s.io/apimachinery/pkg/runtime"
)

// extract is the tree of the values selected from an object.
type extract struct {
	whole    bool
	value    any
	fields   map[string]*extract
	items    map[int]*extract
	keepGaps bool // the items keep the indexes that the user selected them by
}

// add copies what path selects into the tree.
func (e *extract) add(object map[string]any, path Path) {
	indexed := path.indexed()
	for _, node := range path.selected(object) {
		at := e
		for step, selector := range node.Path {
			switch selector := selector.(type) {
			case spec.Name:
				at = at.field(string(selector))
			case spec.Index:
				at.keepGaps = at.keepGaps || step < len(indexed) && indexed[step]
				at = at.item(int(selector))
			}
		}
		at.whole, at.value = true, node.Node
	}
}

func (e *extract) field(name string) *extract {
	if e.fields == nil {
		e.fields = map[string]*extract{}
	}
	if e.fields[name] == nil {
		e.fields[name] = &extract{}
	}
	return e.fields[name]
}

func (e *extract) item(index int) *extract {
	if e.items == nil {
		e.items = map[int]*extract{}
	}
	if e.items[index] == nil {
		e.items[index] = &extract{}
	}
	return e.items[index]
}

// tree returns a copy of the selected values with the structure around them.
func (e *extract) tree() any {
	switch {
	case e.whole:
		return runtime.DeepCopyJSONValue(e.value)
	case e.items != nil:
		var list []any
		for _, index := range slices.Sorted(maps.Keys(e.items)) {
			for e.keepGaps && len(list) < index {
				list = append(list, nil)
			}
			list = append(list, e.items[index].tree())
		}
		return list
	default:
		fields := make(map[string]any, len(e.fields))
		for name, field := range e.fields {
			fields[name] = field.tree()
		}
		return fields
	}
}
