package mutation

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// anything represents the unknown value, if any, that a place held before an operation wrote to it.
type anything struct{}

// Held reports whether the live object looks as if the patch had already been carried out, and if so what it has
// touched. It undoes the operations from the last to the first, so that it judges each by its own result and not by
// what came after it.
//
// A test counts only if the patch has left its subject alone. A value may have more members than the operation has set,
// because the API server adds defaults. Held cannot see whether a list item was removed.
func (p JSONPatch) Held(live *unstructured.Unstructured) (Effect, bool) {
	past := history{tree: normalized(live.Object)}
	for _, operation := range slices.Backward(p.operations) {
		if operation.unknown || values.HasUnknown(operation.value) || !past.undo(operation) {
			return Effect{}, false
		}
	}
	object, isMap := guessed(past.tree).(map[string]any)
	if !isMap {
		return Effect{}, false
	}
	before := &unstructured.Unstructured{Object: object}
	before.SetManagedFields(live.GetManagedFields())
	effect, err := p.testable(past).Evaluate(before)
	return effect, err == nil
}

// guessed returns a tree with an empty map for every unknown former value.
func guessed(tree any) any {
	switch tree := tree.(type) {
	case anything:
		return map[string]any{}
	case map[string]any:
		result := make(map[string]any, len(tree))
		for key, member := range tree {
			result[key] = guessed(member)
		}
		return result
	case []any:
		result := make([]any, len(tree))
		for i, item := range tree {
			result[i] = guessed(item)
		}
		return result
	default:
		return tree
	}
}

// testable returns the patch without the tests of what it has overwritten, because the former values are unknown.
func (p JSONPatch) testable(past history) JSONPatch {
	operations := slices.Clone(p.operations)
	for i, o := range operations {
		if o.name == opTest {
			value, _, _ := o.path.find(past.tree)
			operations[i].passed = past.overwritten(o.path) || holdsAnything(value)
		}
	}
	return JSONPatch{operations: operations}
}

// holdsAnything reports whether part of a tree is unknown.
func holdsAnything(tree any) bool {
	switch tree := tree.(type) {
	case anything:
		return true
	case map[string]any:
		for _, member := range tree {
			if holdsAnything(member) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(tree, holdsAnything)
	}
	return false
}

// history is the object while the operations are being undone.
type history struct {
	tree any
}

// undo undoes an operation, and reports whether the operation seems to have been carried out.
func (h *history) undo(o operation) bool {
	switch o.name {
	case opAdd, opReplace:
		return h.undoWrite(o, o.value)
	case opRemove:
		return h.undoRemove(o.path, anything{})
	case opCopy:
		if h.overwritten(o.from) {
			return h.undoWrite(o, anything{})
		}
		source, _, reason := o.from.find(h.tree)
		return reason == "" && h.undoWrite(o, source)
	case opMove:
		at, ok := h.written(o)
		if !ok {
			return false
		}
		value, _, _ := pointerTo(at).find(h.tree)
		return h.undoWrite(o, anything{}) && h.undoRemove(o.from, value)
	default: // a test changes nothing
		return true
	}
}

// undoWrite checks that the operation has written value at its place, and removes it there.
func (h *history) undoWrite(o operation, value any) bool {
	if h.overwritten(o.path) {
		return true
	}
	at, ok := h.written(o)
	if !ok {
		return false
	}
	have, _, _ := pointerTo(at).find(h.tree)
	if !matches(have, value) {
		return false
	}
	_, isItem := at[len(at)-1].(int)
	h.tree = edit(h.tree, at, func(container any, last any) any {
		if isItem && o.name != opReplace {
			return dropped(container, last)
		}
		return with(container, last, anything{})
	})
	return true
}

// undoRemove checks that a place, which must have been the member of an object, is empty, and puts value there.
func (h *history) undoRemove(p pointer, value any) bool {
	if h.overwritten(p) {
		return true
	}
	at, inList, reason := p.findPlace(h.tree)
	if reason != "" || inList {
		return false
	}
	if _, _, missing := p.find(h.tree); missing == "" {
		return false
	}
	h.tree = edit(h.tree, at, func(container, last any) any { return with(container, last, value) })
	return true
}

// written returns where an operation has written: "-" now means the last item.
func (h *history) written(o operation) (at ownership.Location, ok bool) {
	at, inList, reason := o.path.findPlace(h.tree)
	if reason != "" {
		return nil, false
	}
	last := len(at) - 1
	if inList && o.path[last] == endOfList {
		at[last] = at[last].(int) - 1
	}
	if index, isItem := at[last].(int); isItem && index < 0 {
		return nil, false
	}
	if _, _, missing := pointerTo(at).find(h.tree); missing != "" {
		return nil, false
	}
	return at, true
}

// overwritten reports whether a later operation has written at a place or above it.
func (h *history) overwritten(p pointer) bool {
	for n := 1; n <= len(p); n++ {
		value, _, reason := p[:n].find(h.tree)
		if _, any := value.(anything); any && reason == "" {
			return true
		}
	}
	return false
}

// matches reports whether have equals what was written, apart from what the API server has added to it.
func matches(have, want any) bool {
	if isAnything(have) || isAnything(want) {
		return true
	}
	switch want := want.(type) {
	case map[string]any:
		members, isMap := have.(map[string]any)
		if !isMap {
			return false
		}
		for key, value := range want {
			member, has := members[key]
			// The API server drops a member that is null.
			if !has && value != nil || has && !matches(member, value) {
				return false
			}
		}
		return true
	case []any:
		items, isList := have.([]any)
		return isList && slices.EqualFunc(items, want, matches)
	default:
		return reflect.DeepEqual(have, want)
	}
}

func isAnything(v any) bool {
	_, is := v.(anything)
	return is
}
