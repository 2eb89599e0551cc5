package patch

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Choices for what a destroy does with the fields that a Patch has added or changed.
const (
	destroyLeaves   = "leave"
	destroyRemoves  = "remove"
	destroyRestores = "restore"
)

// removal is what a destroy removes from an object or puts back there, and what it leaves although the Patch has set it.
type removal struct {
	// places are the fields in the object as read, and paths are their names.
	places []ownership.Location
	paths  []fieldpath.Path
	// puts are the values to put back, restored are the names of their fields, and owners who owned them.
	puts     []ownership.Put
	restored []fieldpath.Path
	owners   []ownership.FormerOwner
	// settled are the fields that are as before anyway.
	settled []fieldpath.Path
	kept    []keptField
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
// owns it. If the program asks for it, what the patch has changed is put back under the same conditions. Everything
// else stays.
func (r run) removable(live *unstructured.Unstructured) (removal, error) {
	m, err := r.removerOf(live, func(fieldpath.Path) bool { return true })
	if err != nil {
		return removal{}, err
	}
	all := m.putBack()
	all.add(m.additions(all))
	all.add(m.items(all))
	items := fieldpath.NewSet() // decided above, at any position
	for _, a := range r.old.remembered(r.in) {
		items.Insert(a.Place)
	}
	for _, leaf := range leaves(r.old.present()) {
		if _, _, has := ownership.Locate(live.Object, leaf); has && !items.Has(leaf) && !all.covers(leaf) {
			all.kept = append(all.kept, m.keep(leaf))
		}
	}
	return all, nil
}

// removerOf examines a live object. given are the fields that the Patch gives up.
func (r run) removerOf(live *unstructured.Unstructured, given func(fieldpath.Path) bool) (remover, error) {
	owners, err := ownership.NewOwnership(live)
	if err != nil {
		return remover{}, err
	}
	m := remover{run: r, live: live, owners: owners, noted: map[string]fieldpath.Path{}, given: given}
	for name := range r.old.created {
		path, err := ownership.ParsePath(name)
		if err != nil || len(path) == 0 || !given(path) {
			continue // from another version: it stays
		}
		m.noted[name] = path
	}
	return m, nil
}

// additions decides about the named fields that the patch has created, apart from parts of what is put back.
func (r remover) additions(back removal) removal {
	var all removal
	for _, name := range slices.Sorted(maps.Keys(r.noted)) {
		if path := r.noted[name]; r.around(path) == nil && !back.restores(path) {
			all.add(r.judge(path))
		}
	}
	return all
}

// keep says why a field stays about which nothing is recorded.
func (r remover) keep(leaf fieldpath.Path) keptField {
	kept := keptField{path: leaf, why: "it is not known to be an addition of this Patch"}
	restores := r.in.onDestroy == destroyRestores
	if restores {
		kept.why = "it is not recorded what was there before"
	}
	if r.old.isUnrecorded(leaf) {
		kept.why = "a run of this Patch has set it whose state was not saved"
	}
	if previous := r.old.previous[ownership.Format(leaf)]; previous != "" && !restores {
		kept.why, kept.former = "it was owned by "+previous+" before", true
	}
	if others := r.others(r.owners.Of(leaf)); others != "" && restores {
		kept.why, kept.former = "it is owned by "+others, true
	}
	return kept
}

func (r *removal) add(more removal) {
	r.places = append(r.places, more.places...)
	r.paths = append(r.paths, more.paths...)
	r.puts = append(r.puts, more.puts...)
	r.restored = append(r.restored, more.restored...)
	r.owners = append(r.owners, more.owners...)
	r.settled = append(r.settled, more.settled...)
	r.kept = append(r.kept, more.kept...)
}

// covers reports whether the removal has decided about a field.
func (r removal) covers(leaf fieldpath.Path) bool {
	return r.removes(leaf) || r.restores(leaf) ||
		slices.ContainsFunc(r.kept, func(kept keptField) bool { return leadsTo(kept.path, leaf) })
}

// restores reports whether a field is as it was before the patch.
func (r removal) restores(path fieldpath.Path) bool {
	return anyLeadsTo(r.restored, path) || anyLeadsTo(r.settled, path)
}

// anyLeadsTo reports whether one of the fields equals path or contains it.
func anyLeadsTo(fields []fieldpath.Path, path fieldpath.Path) bool {
	return slices.ContainsFunc(fields, func(field fieldpath.Path) bool { return leadsTo(field, path) })
}

// removes reports whether the removal removes a field.
func (r removal) removes(leaf fieldpath.Path) bool {
	return anyLeadsTo(r.paths, leaf)
}

// remover examines a live object.
type remover struct {
	run
	live   *unstructured.Unstructured
	owners ownership.Ownership
	noted  map[string]fieldpath.Path
	// given are the fields that the Patch gives up.
	given func(fieldpath.Path) bool
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

// items decides about the items that the patch has added to lists without keys, apart from lists that are put back. It finds
// each by its value.
func (r remover) items(back removal) removal {
	type alike struct{ list, sum string }
	added := map[alike][]fieldpath.Path{} // the lists, once for each added item
	for _, a := range r.old.remembered(r.in) {
		list := a.Place[:len(a.Place)-1]
		if !a.IsNamed() && !back.restores(list) { // a named item is among the created fields
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
