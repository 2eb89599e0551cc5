package patch

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Choices for what a destroy does with the fields that a Patch has added.
const (
	destroyLeaves  = "leave"
	destroyRemoves = "remove"
)

// removal is what a destroy removes from an object, and what it leaves there although the Patch has added it.
type removal struct {
	// places are the fields in the object as read, and paths are their names.
	places []ownership.Location
	paths  []fieldpath.Path
	kept   []keptField
	// refusal is the API server's message about the object without these fields; empty if it has not refused.
	refusal string
}

// keptField is a field that stays, and why.
type keptField struct {
	path fieldpath.Path
	why  string
	// former means that the field existed before the patch and had an owner.
	former bool
}

// removable decides what to remove from a live object: what the patch has added, if it is unchanged and no one else
// owns it. Everything else stays.
func (r run) removable(live *unstructured.Unstructured) (removal, error) {
	owners, err := ownership.NewOwnership(live)
	if err != nil {
		return removal{}, err
	}
	m := remover{run: r, live: live, owners: owners, noted: map[string]fieldpath.Path{}}
	for name := range r.old.created {
		path, err := ownership.ParsePath(name)
		if err != nil || len(path) == 0 {
			continue // from another version: it stays
		}
		m.noted[name] = path
	}
	var all removal
	for _, name := range slices.Sorted(maps.Keys(m.noted)) {
		if path := m.noted[name]; m.around(path) == nil {
			all.add(m.judge(path))
		}
	}
	all.add(m.items())
	items := fieldpath.NewSet() // decided above, at any position
	for _, a := range r.old.remembered(r.in) {
		items.Insert(a.Place)
	}
	for _, leaf := range leaves(r.old.present()) {
		if _, _, has := ownership.Locate(live.Object, leaf); !has || items.Has(leaf) || all.covers(leaf) {
			continue
		}
		kept := keptField{path: leaf, why: "it is not known to be an addition of this Patch"}
		if r.old.isUnrecorded(leaf) {
			kept.why = "a run of this Patch has set it whose state was not saved"
		}
		if previous := r.old.previous[ownership.Format(leaf)]; previous != "" {
			kept.why, kept.former = "it was owned by "+previous+" before", true
		}
		all.kept = append(all.kept, kept)
	}
	return all, nil
}

func (r *removal) add(more removal) {
	r.places = append(r.places, more.places...)
	r.paths = append(r.paths, more.paths...)
	r.kept = append(r.kept, more.kept...)
}

// covers reports whether the removal has decided about a field.
func (r removal) covers(leaf fieldpath.Path) bool {
	return r.removes(leaf) || slices.ContainsFunc(r.kept, func(kept keptField) bool { return leadsTo(kept.path, leaf) })
}

// removes reports whether the removal removes a field.
func (r removal) removes(leaf fieldpath.Path) bool {
	return slices.ContainsFunc(r.paths, func(path fieldpath.Path) bool { return leadsTo(path, leaf) })
}

// remover examines a live object.
type remover struct {
	run
	live   *unstructured.Unstructured
	owners ownership.Ownership
	noted  map[string]fieldpath.Path
}

// around returns the innermost recorded field that contains a field; nil if there is none.
func (r remover) around(path fieldpath.Path) fieldpath.Path {
	for n := len(path) - 1; n > 0; n-- {
		if above, noted := r.noted[ownership.Format(path[:n])]; noted {
			return above
		}
	}
	return nil
}

// judge decides about a field that the patch has created. If others have something in a map or list, only our part is
// removed: each member of a map of names and each item by itself, members of any other map only together.
func (r remover) judge(path fieldpath.Path) removal {
	value, place, has := ownership.Locate(r.live.Object, path)
	if !has {
		return removal{}
	}
	why := r.takenBy(path)
	left := r.old.created[ownership.Format(path)]
	switch sum, err := tracked.Hash(r.old.HashKey, value); {
	case why != "":
	case left == "":
		why = "it is not known what this Patch left there"
	case err != nil || sum != left:
		why = "it has changed since this Patch set it"
	}
	if why == "" {
		return removal{places: []ownership.Location{place}, paths: []fieldpath.Path{path}}
	}
	var parts removal
	found := false
	for _, name := range slices.Sorted(maps.Keys(r.noted)) {
		if part := r.noted[name]; path.Equals(r.around(part)) {
			found = true
			parts.add(r.judge(part))
		}
	}
	if _, isMap := value.(map[string]any); !found || isMap && !ownership.IsMergedByMember(path) && len(parts.kept) > 0 {
		return removal{kept: []keptField{{path: path, why: why}}}
	}
	return parts
}

// takenBy returns who else owns a field; "" if there is no other owner. The field may have no owner at all, if an
// update of ours failed after it had released the field.
func (r remover) takenBy(path fieldpath.Path) string {
	if others := r.others(r.owners.Of(path)); others != "" {
		return "it, or a part of it, is owned by " + others
	}
	return ""
}

// items decides about the items that the patch has added to lists without keys. It finds each by its value.
func (r remover) items() removal {
	type alike struct{ list, sum string }
	added := map[alike][]fieldpath.Path{} // the lists, once for each added item
	for _, a := range r.old.remembered(r.in) {
		if !a.IsNamed() { // a named item is among the created fields
			list := a.Place[:len(a.Place)-1]
			key := alike{ownership.Format(list), r.old.added[a.Operation].sum}
			added[key] = append(added[key], list)
		}
	}
	var all removal
	for key, lists := range added {
		list := lists[0]
		value, place, _ := ownership.Locate(r.live.Object, list)
		items, _ := value.([]any)
		var found []int
		for i, item := range items {
			if sum, err := tracked.Hash(r.old.HashKey, item); err == nil && sum == key.sum {
				found = append(found, i)
			}
		}
		why := r.takenBy(list)
		if why == "" && len(found) > len(lists) {
			why = "several of its items are equal to the one that this Patch has added"
		}
		switch {
		case len(found) == 0: // it is gone, or was changed into another item
		case why != "":
			all.kept = append(all.kept, keptField{path: list, why: why})
		default:
			for _, i := range found {
				all.places = append(all.places, append(slices.Clone(place), any(i)))
				all.paths = append(all.paths, append(list.Copy(), fieldpath.IndexElement(i)))
			}
		}
	}
	return all
}
