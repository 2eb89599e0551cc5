package patch

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// created are the fields, maps, lists and list items that were not on the object before the patch: those that
// `onDestroy: remove` removes. The keys are their paths; the value is the keyed hash of everything there after the
// patch, including defaults of the API server, or "" if that was not seen.
//
// A list item is a unit, so the fields inside it are not listed. An item that only its position identifies is
// recorded with the operation that added it, see [addedItem].
type created map[string]string

// createdBy records what a patch has created. Something from an earlier patch stays recorded if it is unchanged since:
// no one else owns any of it, no one has put anything into it, and the patch still names all of it. It may be without
// an owner, because an update of ours that failed half-way has released it.
//
// A list item is a unit, so it also stays recorded if others have changed it and this patch has restored it. For that,
// all of it must be ours, and it must be the same as before or have been ours all the time.
func (r run) createdBy(s state, before, after *unstructured.Unstructured) (created, error) {
	w, err := r.witnessOf(s, before, after)
	if err != nil {
		return nil, err
	}
	found := created{}
	for _, leaf := range s.touched.named() {
		for n := 1; n <= len(leaf); n++ {
			path, name := leaf[:n], ownership.Format(leaf[:n])
			_, noted := found[name]
			if !noted {
				var sum string
				if sum, noted, err = w.created(path, name); err != nil {
					return nil, err
				}
				if noted {
					found[name] = sum
				}
			}
			_, wasNoted := r.old.created[name]
			if path[n-1].FieldName == nil && (noted || wasNoted) {
				break // an item that is not removed as a whole is not taken apart
			}
		}
	}
	return found, nil
}

// witness knows an object before and after a patch, and who owned what.
type witness struct {
	run
	state         state
	before, after *unstructured.Unstructured
	owners, owned ownership.Ownership
	// kept are the fields that were ours before the patch.
	kept  *fieldpath.Set
	moved []fieldpath.Path
}

func (r run) witnessOf(s state, before, after *unstructured.Unstructured) (w witness, err error) {
	w = witness{run: r, state: s, before: before, after: after, moved: r.in.movedInto(s.touched)}
	if w.owners, err = ownership.NewOwnership(before); err != nil {
		return w, err
	}
	if w.owned, err = ownership.NewOwnership(after); err != nil {
		return w, err
	}
	w.kept, err = ownership.WrittenBy(r.target.Own()...).Owned(before)
	return w, err
}

// created reports whether a patch has created what is at this path, and the keyed hash of it.
func (w witness) created(path fieldpath.Path, name string) (sum string, is bool, err error) {
	value, _, has := ownership.Locate(w.after.Object, path)
	if !has || holdsMoved(path, w.moved) {
		return "", false, nil
	}
	if sum, err = tracked.Hash(w.state.HashKey, value); err != nil {
		return "", false, err
	}
	was, _, had := ownership.Locate(w.before.Object, path)
	if !had {
		return sum, true, nil
	}
	is, err = w.stays(path, name, was, sum)
	return sum, is, err
}

// stays reports whether what was at this path before the patch stays recorded. sum is the hash of what is there after it.
func (w witness) stays(path fieldpath.Path, name string, was any, sum string) (bool, error) {
	recorded, known := w.old.created[name]
	if !known || w.drops(path, w.state.touched) {
		return false, nil
	}
	same, err := tracked.Hash(w.state.HashKey, was)
	if err != nil {
		return false, err
	}
	holders := w.owners.Of(path)
	unchanged := recorded == same && w.others(holders) == "" || recorded == "" && w.isSolelyOurs(holders)
	repaired := path[len(path)-1].FieldName == nil && w.isSolelyOurs(w.owned.Of(path)) && (recorded == sum || w.kept.Has(path))
	return unchanged || repaired, nil
}

// createdWithoutReply records what a patch creates if it was carried out, when the reply that would tell is lost.
func (r run) createdWithoutReply(lost *lostError) created {
	noted := maps.Clone(r.old.created)
	if noted == nil {
		noted = created{}
	}
	if lost.fields.set == nil {
		return noted // only the reply tells which fields it touched
	}
	moved := r.in.movedInto(lost.fields)
	for _, leaf := range lost.fields.named() {
		for n := 1; n <= len(leaf); n++ {
			path, name := leaf[:n], ownership.Format(leaf[:n])
			if isItem := path[n-1].FieldName == nil; !isItem && n < len(leaf) {
				continue // others may add to a map or list before the next read
			}
			_, _, had := ownership.Locate(lost.live.Object, path)
			if _, ours := noted[name]; had && !ours {
				continue
			}
			if !holdsMoved(path, moved) {
				noted[name] = "" // if it was ours already, its value may have changed
			}
			break
		}
	}
	return noted
}

// isSolelyOurs reports whether this Patch is the only owner of a field.
func (r run) isSolelyOurs(owners []ownership.Owner) bool {
	return len(owners) > 0 && r.others(owners) == ""
}

// drops reports whether the previous patch had something at or below a path that this one does not name.
func (r run) drops(path fieldpath.Path, now patchedFields) bool {
	return slices.ContainsFunc(leaves(r.old.touched.present()), func(leaf fieldpath.Path) bool {
		return leadsTo(path, leaf) && !ownership.Touches(now.present(), leaf)
	})
}

// movedInto returns the places to which a JSON patch has moved something that was on the object before.
func (in inputs) movedInto(fields patchedFields) []fieldpath.Path {
	operations, _ := in.document.([]any)
	var places []fieldpath.Path
	for i, operation := range operations {
		members, _ := operation.(map[string]any)
		if place, known := fields.place(i); known && place != nil && members["op"] == "move" {
			places = append(places, place)
		}
	}
	return places
}

// holdsMoved reports whether something that was moved is at a path, around it or inside it.
func holdsMoved(path fieldpath.Path, moved []fieldpath.Path) bool {
	return slices.ContainsFunc(moved, func(place fieldpath.Path) bool { return leadsTo(path, place) || leadsTo(place, path) })
}

// named returns the fields whose paths contain no list position.
func (t patchedFields) named() []fieldpath.Path {
	var named []fieldpath.Path
	t.present().Leaves().Iterate(func(leaf fieldpath.Path) {
		if !slices.ContainsFunc(leaf, func(element fieldpath.PathElement) bool { return element.Index != nil }) {
			named = append(named, leaf.Copy())
		}
	})
	return named
}
