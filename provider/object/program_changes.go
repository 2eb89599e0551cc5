package object

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// base is what shows which fields the program has changed since the last apply.
type base struct {
	// last are the inputs to compare with; nil if no inputs can be compared.
	last *inputs
	// applied means that they are certainly what was applied last.
	applied bool
	// unsaved are the fields that a run of ours has applied whose state was lost. Anything that the program has there
	// counts as a change.
	unsaved []fieldpath.Path
}

// base finds the inputs to compare with. The inputs that the engine has saved may not be the applied ones: if an update
// applies and then fails, the engine keeps the previous inputs. Then the program's current inputs may be the applied
// ones.
func (w *write) base(live *unstructured.Unstructured) base {
	unsaved := w.unsaved(live)
	if w.old.Upholds(w.in.asked()) {
		return base{&w.in, true, unsaved}
	}
	last, err := decodeInputs(w.in.saved)
	if err != nil || last.unknown > 0 || last.applied == nil {
		return base{}
	}
	last.trees = []map[string]any{w.old.Live, w.old.Applied}
	last.heed(w.in.setting)
	return base{&last, w.old.Upholds(last.asked()), unsaved}
}

// unsaved lists the fields on the live object that come from a run of ours whose state was lost: see
// [tracked.State.Unsaved].
func (w *write) unsaved(live *unstructured.Unstructured) []fieldpath.Path {
	if w.old.Pending || w.old.fields == nil {
		return nil
	}
	seen, err := w.old.observe(w.target, live, w.in)
	if err != nil {
		return nil
	}
	return seen.Unsaved(seen.fields)
}

// hasChanged reports whether the program has changed a field.
func (b base) hasChanged(in inputs, path fieldpath.Path) bool {
	if slices.ContainsFunc(b.unsaved, func(unsaved fieldpath.Path) bool {
		n := min(len(path), len(unsaved))
		return path[:n].Equals(unsaved[:n])
	}) {
		return true
	}
	was, _, had := ownership.Locate(b.last.applied, path)
	is, _, has := ownership.Locate(in.applied, path)
	return had != has || !ownership.Equal(was, is)
}

// hasChangedNear reports whether the program may have changed something in or around the places that the API server
// names in a refusal.
func (b base) hasChangedNear(in inputs, places [][]string) bool {
	if b.last == nil || len(places) == 0 {
		return true
	}
	if slices.ContainsFunc(b.unsaved, func(unsaved fieldpath.Path) bool { return near(unsaved, places) }) {
		return true
	}
	for _, path := range changedPlaces(b.last.applied, in.applied, nil) {
		if slices.ContainsFunc(places, func(place []string) bool { return isAround(path, place) }) {
			return true
		}
	}
	return false
}

// changedPlaces lists where two manifests differ. It treats a list as one place, because without keys it cannot match
// the items.
func changedPlaces(was, is any, at []string) [][]string {
	before, ok := was.(map[string]any)
	after, both := is.(map[string]any)
	if !ok || !both {
		if ownership.Equal(was, is) {
			return nil
		}
		return [][]string{slices.Clone(at)}
	}
	var changed [][]string
	for name, v := range after {
		changed = append(changed, changedPlaces(before[name], v, append(slices.Clip(at), name))...)
	}
	for name, v := range before {
		if _, stays := after[name]; !stays {
			changed = append(changed, changedPlaces(v, nil, append(slices.Clip(at), name))...)
		}
	}
	return changed
}
