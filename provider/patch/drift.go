package patch

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// observe updates the state from the live object, which is the patched one.
func (r run) observe(live *unstructured.Unstructured) (state, error) {
	now, wanted := r.old, r.old.Wanted()
	now.returned = fieldpath.NewSet()
	r.old.touched.removed.Leaves().Iterate(func(path fieldpath.Path) {
		if _, _, ok := ownership.Locate(live.Object, path); ok {
			now.returned.Insert(path.Copy())
		}
	})
	var err error
	if now.unrecorded, err = r.unrecorded(live); err != nil {
		return state{}, err
	}
	shown := r.old.touched.present().Union(now.returned).Union(now.unrecorded)
	projection := ownership.Project(live.Object, shown, r.in.template(wanted))
	owners, err := r.owned(live, r.old.touched)
	if err != nil {
		return state{}, err
	}
	seen := tracked.Seen{Object: live, Manager: r.target.Manager, Live: projection, Owners: owners, Sent: r.sent()}
	now.State, now.Stale = r.old.Drifted(seen, r.old.touched.set), false
	now.Secrets, now.NamesSecret = r.secretPlaces(now.Live, patchedFields{
		set: r.old.touched.set.Union(now.returned), removed: r.old.touched.removed, nonIdempotent: r.old.touched.nonIdempotent,
		operations: r.old.touched.operations, places: r.old.touched.places,
	})
	now.AppliedSecrets, _ = r.secretPlaces(now.Applied, r.old.touched)
	now.added = r.old.lookForAdded(r.in, live.Object)
	for _, path := range append(now.Unsaved(r.old.touched.set), leaves(now.unrecorded)...) {
		markField(&now.Secrets, now.Live, ownership.UpToSet(path))
		now.unsaved = true
	}
	if now.Applied == nil && now.neighbours == nil {
		// An older state does not have this yet.
		if now.neighbours, err = now.hashNeighbours(r.in, live.Object); err != nil {
			return state{}, err
		}
	}
	return now, nil
}

// sent returns what the patch set at each field when it was carried out. The inputs may belong to a different patch:
// after a failed update, the engine keeps the previous inputs.
func (r run) sent() func(fieldpath.Path) (any, bool) {
	if r.in.unknown > 0 || !r.old.Upholds(r.in.content()) {
		return ownership.In(nil)
	}
	return r.old.written(r.in)
}

// template determines the order of a projection, and which containers are empty on purpose. What others put into such a
// container is theirs, because an apply merges it. But a list that a JSON patch or a merge patch has set is a single
// value, even if it is empty.
func (in inputs) template(wanted map[string]any) map[string]any {
	if in.kind == keyPatch {
		return wanted
	}
	template, _ := withoutEmptyLists(wanted).(map[string]any)
	return template
}

// withoutEmptyLists copies a tree without members that are empty lists.
func withoutEmptyLists(tree any) any {
	switch tree := tree.(type) {
	case map[string]any:
		result := make(map[string]any, len(tree))
		for key, v := range tree {
			if list, isList := v.([]any); isList && len(list) == 0 {
				continue
			}
			result[key] = withoutEmptyLists(v)
		}
		return result
	case []any:
		result := make([]any, len(tree))
		for i, v := range tree {
			result[i] = withoutEmptyLists(v)
		}
		return result
	default:
		return tree
	}
}

// hasDrifted reports whether the object differs from what the patch has left.
func (s state) hasDrifted(in inputs) bool { return len(s.drift(in)) > 0 }

// drift lists how the object differs from what the patch has left: values, fields that it removed, items that it added
// to lists, fields that only a run with a lost state has set and, for an apply, fields that others now own.
func (s state) drift(in inputs) []ownership.Change {
	var changes []ownership.Change
	if s.Applied != nil {
		changes = ownership.Compare(s.Live, s.Applied, s.touched.set)
	}
	if s.returned != nil {
		for _, path := range leaves(s.returned) {
			v, _, _ := ownership.Locate(s.Live, path)
			changes = append(changes, ownership.Change{Kind: ownership.Removed, Path: path, Old: v})
		}
	}
	changes = append(changes, s.unrecordedDrift()...)
	for _, operation := range s.gone() {
		changes = append(changes, ownership.Change{Kind: ownership.Added, Path: s.touched.places[operation]})
	}
	if in.kind == keyPatch && s.Ownership != nil {
		changes = append(changes, s.Lost(leaves(s.touched.set), changes)...)
	}
	return changes
}

// secretPlaces returns the secret places of a projection: values that come from secret values of the patch or were
// secret before, and a Secret's data. It also reports whether names of fields are secret.
func (r run) secretPlaces(projection map[string]any, fields patchedFields) (values.Marks, bool) {
	sources := []tracked.Marked{
		r.marked(r.old.Live, r.old.Secrets), r.marked(r.old.Applied, r.old.AppliedSecrets),
	}
	if tree := r.in.tree(); tree != nil {
		sources = append(sources, r.marked(tree, r.in.secrets))
	}
	marks, namesSecret := tracked.SecretPlaces(projection, fields.all(), sources...)
	secret, names := r.in.secretOperations(fields)
	secret.Iterate(func(path fieldpath.Path) { markField(&marks, projection, path) })
	id := r.target.Identity()
	tracked.MarkKind(&marks, id)
	return marks, namesSecret || names
}
