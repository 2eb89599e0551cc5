package patch

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// putBack decides about the fields that the patch has changed: they get their former values back, if what the patch has
// left there is still there and nobody else owns it. It decides nothing if the program does not ask for it.
//
// What was moved comes back as a whole or not at all: otherwise a value could be lost, or be there twice.
func (r remover) putBack() removal {
	if r.in.onDestroy != destroyRestores {
		return removal{}
	}
	tree := runtime.DeepCopyJSON(r.live.Object)
	all, moved := r.judgeAll(tree, false), r.judgeAll(tree, true)
	if len(moved.kept) > 0 {
		for _, path := range append(moved.restored, moved.paths...) {
			moved.kept = append(moved.kept, keptField{path: path, why: "something else that this Patch has moved has changed since"})
		}
		moved = removal{kept: moved.kept, settled: moved.settled}
	}
	all.add(moved)
	return all
}

// judgeAll decides about the fields that were moved, or about the others.
func (r remover) judgeAll(tree map[string]any, moved bool) removal {
	var all removal
	for _, name := range slices.Sorted(maps.Keys(r.old.former)) {
		path, err := ownership.ParsePath(name)
		if was := r.old.former[name]; err == nil && len(path) > 0 && was.Moved == moved && r.given(path) {
			all.add(r.judgeFormer(path, was, tree))
		}
	}
	return all
}

// judgeFormer decides about one field. tree is the object with what is already put back.
func (r remover) judgeFormer(path fieldpath.Path, was formerValue, tree map[string]any) removal {
	_, place, _ := ownership.Locate(r.live.Object, path)
	kept := func(why string) removal { return removal{kept: []keptField{{path: path, why: why}}} }
	owners := r.owners.Of(path)
	if r.isAsBefore(path, was) {
		back := removal{settled: []fieldpath.Path{path}}
		if !r.hasOthers(was, owners) && !r.neverChanged(was) {
			back.owners = was.Owners // an earlier destroy was interrupted
		}
		return back
	}
	if r.neverChanged(was) {
		return removal{settled: []fieldpath.Path{path}} // nothing of it was ours
	}
	if why := r.whyKept(path, was); why != "" {
		return kept(why)
	}
	if was.Absent {
		return removal{places: []ownership.Location{place}, paths: []fieldpath.Path{path}}
	}
	put, ok := write(tree, path, was.Value)
	if !ok {
		return kept("what it was in is gone")
	}
	return removal{puts: []ownership.Put{put}, restored: []fieldpath.Path{path}, owners: was.Owners}
}

// whyKept says why a field stays as it is; empty if it gets its former value back.
func (r remover) whyKept(path fieldpath.Path, was formerValue) string {
	owners := r.owners.Of(path)
	_, _, has := ownership.Locate(r.live.Object, path)
	switch now, err := r.traceOf(r.live.Object, path); {
	case r.hasOthers(was, owners):
		return "it, or a part of it, is owned by " + r.others(owners)
	case was.Left == "" && !r.isSolelyOurs(owners):
		return "it is not known what this Patch left there"
	case was.Left != "" && (err != nil || now != was.Left):
		if !has {
			return "it was removed since this Patch set it"
		}
		return "it has changed since this Patch set it"
	case was.Large:
		return "its earlier value was too large to be recorded"
	default:
		return ""
	}
}

// isAsBefore reports whether a field has its former value.
func (r remover) isAsBefore(path fieldpath.Path, was formerValue) bool {
	value, _, has := ownership.Locate(r.live.Object, path)
	return !was.Large && has == !was.Absent && (!has || ownership.Equal(value, was.Value))
}

// neverChanged reports whether the patch has set a field to the value that it had.
func (r remover) neverChanged(was formerValue) bool {
	content := []any{}
	if !was.Absent {
		content = append(content, was.Value)
	}
	sum, err := tracked.Hash(r.old.HashKey, content)
	return err == nil && !was.Large && sum == was.Left
}

// write puts a value at a path of a tree, and returns how a patch does that. Maps around it that are gone are made again.
func write(tree map[string]any, path fieldpath.Path, value any) (ownership.Put, bool) {
	for n := range slices.Backward(path) {
		container, at, has := ownership.Locate(tree, path[:n])
		if !has {
			continue
		}
		for i := len(path) - 1; i > n; i-- {
			if path[i].FieldName == nil {
				return ownership.Put{}, false
			}
			value = map[string]any{*path[i].FieldName: value}
		}
		switch container := container.(type) {
		case map[string]any:
			if path[n].FieldName == nil {
				return ownership.Put{}, false
			}
			name := *path[n].FieldName
			container[name] = runtime.DeepCopyJSONValue(value)
			return ownership.Put{At: append(slices.Clip(at), name), Value: value}, true
		case []any:
			if _, place, has := ownership.Locate(tree, path); has && len(place) == len(path) {
				i, _ := place[n].(int)
				container[i] = runtime.DeepCopyJSONValue(value)
				return ownership.Put{At: place, Value: value}, true
			}
		}
		return ownership.Put{}, false
	}
	return ownership.Put{}, false
}

// formerTexts are the values before the patch, which the API server may quote. They may be secrets of others.
func (s state) formerTexts() []string {
	var texts []string
	for _, was := range s.former {
		texts = append(texts, tracked.Texts(was.Value)...)
	}
	return texts
}
