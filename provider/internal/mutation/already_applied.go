package mutation

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// anything stands for what a place held before an operation wrote to it, if there was something.
type anything struct{}

// Held reports whether the live object looks as if the patch had been carried out already, and if so what it has
// touched. It goes back from the last operation to the first and undoes each, so that each is judged by what it
// left and not by what came after it.
//
// A test counts where it is about something that the patch has left alone. A value may have more members than the
// operation has set: the API server adds defaults. Whether a list item has been removed cannot be seen.
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

// guessed is a tree with empty maps for what it is not known what it was.
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

// testable is the patch without the tests of what it has overwritten: nobody knows what was there before.
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

// holdsAnything reports whether a part of a tree is not known.
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

// history is the object on its way back.
type history struct {
	tree any
}

// undo takes an operation back, and reports whether it seems to have been carried out.
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
	default: // a test has changed nothing
		return true
	}
}

// undoWrite checks that value is where the operation has written it, and takes it away.
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

// undoRemove checks that nothing is at a place that must have been the member of an object, and puts value there.
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

// written is where an operation has written: "-" is the last item now.
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

// matches reports whether have is what was written, apart from what the server has added to it.
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
			// A member that is null is dropped by the server.
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
