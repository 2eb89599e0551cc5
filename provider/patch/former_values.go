package patch

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// formerValues are the values that fields had before the patch: what `onDestroy: restore` puts back. The keys are the
// paths of the fields. They are nil if the program does not ask for it.
//
// What was not there before is among the [created] fields.
type formerValues map[string]formerValue

// formerValue is the last value that a field had from others. Our own earlier value does not count, and a value that
// others have set since does, even if this Patch has overwritten it.
type formerValue struct {
	Value  any                     `json:"value,omitempty"`
	Owners []ownership.FormerOwner `json:"owners,omitempty"`
	// Left is the keyed hash of what this Patch has left there; empty if the reply was lost.
	Left string `json:"left,omitempty"`
	// Beside are the other managers who own it, or a part of it, after the patch.
	Beside []string `json:"beside,omitempty"`
	// Moved means that the value was moved away, or that another one was moved here.
	Moved bool `json:"moved,omitempty"`
	// Absent means that there was nothing, before a value was moved here.
	Absent bool `json:"absent,omitempty"`
	// Large means that the value was too large to be recorded.
	Large bool `json:"large,omitempty"`
}

// maxFormer limits the size of what is recorded about one Patch, in bytes: every checkpoint of the engine writes it.
const maxFormer = 64 << 10

// recording is what a run has recorded.
type recording struct {
	values formerValues
	// unknown are fields whose former values nothing tells, and large those that were too large to be recorded.
	unknown, large []fieldpath.Path
}

// recordFormer records the values that the fields of a patch had. before is the object that the patch was sent to, and after
// the resulting one; it is nil if the reply was lost.
func (r run) recordFormer(fields patchedFields, made created, before, after *unstructured.Unstructured) (recording, error) {
	rec := recording{values: formerValues{}}
	p, err := r.formerOn(before)
	if err != nil {
		return rec, err
	}
	var owned ownership.Ownership
	if after != nil {
		if owned, err = ownership.NewOwnership(after); err != nil {
			return rec, err
		}
	}
	for _, unit := range p.units(fields) {
		was, known, err := p.of(unit, made)
		if err != nil {
			return rec, err
		}
		if !known {
			if r.old.former == nil && p.isChanged(unit.path) && !made.around(unit.path) {
				rec.unknown = append(rec.unknown, unit.path)
			}
			continue
		}
		if was.Left, was.Beside = "", nil; after != nil {
			was.Beside = r.otherManagers(owned.Of(unit.path))
			if was.Left, err = r.traceOf(after.Object, unit.path); err != nil {
				return rec, err
			}
			if was.Owners, err = ownership.Emptied(was.Owners, before, after); err != nil {
				return rec, err
			}
		}
		rec.values[ownership.Format(unit.path)] = was
	}
	rec.bound(r.old.former)
	return rec, nil
}

// formerWithoutReply records the values that the fields of a patch had whose reply is lost. What else is recorded stays: the
// patch may not have been carried out.
func (r run) formerWithoutReply(lost *lostError) (formerValues, error) {
	if r.in.onDestroy != destroyRestores {
		return nil, nil
	}
	rec, err := r.recordFormer(lost.fields, r.createdWithoutReply(lost), lost.live, nil)
	if err != nil {
		return nil, err
	}
	for name, was := range r.old.former {
		if _, has := rec.values[name]; !has {
			rec.values[name] = was
		}
	}
	return rec.values, nil
}

// formerUnchanged returns the records of a Patch that does not write, and names what it cannot restore: nothing is recorded
// afterwards about a patch that was carried out before the program asked for it.
func (r run) formerUnchanged() (former formerValues, notRecorded []string) {
	if r.in.onDestroy != destroyRestores {
		return nil, nil
	}
	if r.old.former != nil {
		return r.old.former, nil
	}
	var unknown []fieldpath.Path
	for _, leaf := range leaves(r.old.touched.all()) {
		if !r.old.created.around(leaf) {
			unknown = append(unknown, leaf)
		}
	}
	return formerValues{}, r.namesOf(unknown, r.old.touched)
}

// bound replaces what is too large by a note of that.
func (rec *recording) bound(before formerValues) {
	size := 0
	for _, name := range slices.Sorted(maps.Keys(rec.values)) {
		was := rec.values[name]
		text, err := json.Marshal(was)
		if err == nil && size+len(text) <= maxFormer {
			size += len(text)
			continue
		}
		rec.values[name] = formerValue{Left: was.Left, Moved: was.Moved, Large: true}
		if path, err := ownership.ParsePath(name); err == nil && !before[name].Large {
			rec.large = append(rec.large, path)
		}
	}
}

// beforePatch is an object before a patch, and who owns what there.
type beforePatch struct {
	run
	object *unstructured.Unstructured
	owners ownership.Ownership
	// ours are the fields of our field managers.
	ours *fieldpath.Set
}

func (r run) formerOn(object *unstructured.Unstructured) (beforePatch, error) {
	owners, err := ownership.NewOwnership(object)
	if err != nil {
		return beforePatch{}, err
	}
	ours, err := ownership.WrittenBy(r.target.Own()...).Owned(object)
	return beforePatch{r, object, owners, ours}, err
}

// unit is a field that is put back as a whole.
type unit struct {
	path  fieldpath.Path
	moved bool
}

// units are the fields that a patch concerns, as they are put back: a list as a whole if the patch changes which items it
// has, or items that only their positions name.
func (p beforePatch) units(fields patchedFields) []unit {
	found := map[string]unit{}
	add := func(path fieldpath.Path, moved bool) {
		for n := 1; n < len(path); n++ { // what an earlier patch has changed as a whole is put back as a whole
			if was, known := p.old.former[ownership.Format(path[:n])]; known && p.isKept(was, path[:n]) {
				path = path[:n]
			}
		}
		name := ownership.Format(path)
		found[name] = unit{path.Copy(), moved || found[name].moved}
	}
	if p.in.kind != keyJSONPatch {
		for _, leaf := range leaves(fields.set.Union(fields.removed)) {
			add(leaf, false)
		}
	} else {
		p.ofOperations(fields, add)
	}
	var units []unit
	for _, name := range slices.Sorted(maps.Keys(found)) {
		path := found[name].path
		inside := slices.ContainsFunc(slices.Collect(maps.Values(found)), func(other unit) bool {
			return len(other.path) < len(path) && leadsTo(other.path, path)
		})
		if !inside {
			units = append(units, found[name])
		}
	}
	return units
}

// ofOperations are the units of a JSON patch.
func (p beforePatch) ofOperations(fields patchedFields, add func(path fieldpath.Path, moved bool)) {
	operations, _ := p.in.document.([]any)
	moves := len(p.in.movedInto(fields)) > 0
	for i, operation := range operations {
		place, known := fields.place(i)
		members, _ := operation.(map[string]any)
		if !known || place == nil || members["op"] == "test" {
			continue
		}
		place = wholePlace(place)
		_, _, had := ownership.Locate(p.object.Object, place)
		switch isItem := place[len(place)-1].FieldName == nil; {
		case isItem && (had || members["op"] == "replace"):
			add(place[:len(place)-1], moves) // the operation has put another item into the place of one
		case members["op"] == "remove":
			add(place, moves)
		default:
			p.addMembers(place, members["op"] == "move", add)
		}
	}
	for _, place := range leaves(fields.nonIdempotent) {
		place = wholePlace(place)
		_, _, had := ownership.Locate(p.object.Object, place)
		if had && place[len(place)-1].FieldName == nil {
			place = place[:len(place)-1]
		}
		if had {
			add(place, moves)
		}
	}
}

// addMembers adds a field that an operation has overwritten: each member of a map, so that what others add to the map
// says nothing about the rest.
func (p beforePatch) addMembers(path fieldpath.Path, moved bool, add func(path fieldpath.Path, moved bool)) {
	value, _, had := ownership.Locate(p.object.Object, path)
	members, _ := value.(map[string]any)
	if len(members) == 0 {
		if had || moved {
			add(path, moved)
		}
		return
	}
	for name := range members {
		p.addMembers(append(slices.Clip(path), fieldpath.FieldNameElement(name)), moved, add)
	}
}

// of returns what to record about a field. It is not known if the field is ours without a record: another run, whose state was
// lost or which was not asked to record, may have changed it.
func (p beforePatch) of(u unit, made created) (formerValue, bool, error) {
	if was, known := p.old.former[ownership.Format(u.path)]; known && p.isKept(was, u.path) {
		return was, true, nil
	}
	tree, inside := p.withoutOurs(u.path)
	value, _, had := ownership.Locate(tree, u.path)
	switch {
	case !had && !u.moved, made.around(u.path):
		return formerValue{}, false, nil
	case len(inside) == 0 && p.isChanged(u.path):
		return formerValue{}, false, nil
	}
	was := formerValue{Value: value, Moved: u.moved, Absent: !had}
	var err error
	was.Owners, err = ownership.FormerOwners(p.object, u.path, p.isOurs)
	was.Owners = append(was.Owners, inside...)
	return was, true, err
}

// withoutOurs returns the object with what others had inside of a field instead of what this Patch has there, and the
// owners of that.
func (p beforePatch) withoutOurs(path fieldpath.Path) (map[string]any, []ownership.FormerOwner) {
	tree := p.object.Object
	var inside []ownership.FormerOwner
	for _, name := range slices.Sorted(maps.Keys(p.old.former)) {
		below, err := ownership.ParsePath(name)
		was := p.old.former[name]
		if err != nil || len(below) <= len(path) || !leadsTo(path, below) || was.Large || was.Absent || !p.isKept(was, below) {
			continue
		}
		tree = ownership.SetAt(tree, below, was.Value)
		inside = append(inside, was.Owners...)
	}
	return tree, inside
}

// isChanged reports whether an earlier run has changed something at or in a field: it is ours and nobody else's, or was
// removed.
func (p beforePatch) isChanged(path fieldpath.Path) bool {
	if _, _, has := ownership.Locate(p.object.Object, path); !has {
		return p.old.touched.removed.Has(path)
	}
	changed := false
	p.ours.Leaves().Iterate(func(leaf fieldpath.Path) {
		part := leadsTo(path, leaf) || leadsTo(leaf, path)
		changed = changed || part && p.others(p.owners.Of(leaf)) == ""
	})
	return changed
}

// isKept reports whether a field still has the value that this Patch has set there, so that what is recorded about it
// stays. If it is ours alone, a run whose state was lost may have set another value.
func (p beforePatch) isKept(was formerValue, path fieldpath.Path) bool {
	owners := p.owners.Of(path)
	if p.hasOthers(was, owners) {
		return false
	}
	value, _, had := ownership.Locate(p.object.Object, path)
	switch {
	case p.isSolelyOurs(owners):
		return true
	case was.Left == "":
		return !had || ownership.Equal(value, was.Value) || p.holder(owners) == p.target.Manager
	}
	left, err := p.traceOf(p.object.Object, path)
	return err == nil && left == was.Left
}

// hasOthers reports whether a field has an owner that it did not have right after the patch.
func (r run) hasOthers(was formerValue, owners []ownership.Owner) bool {
	return slices.ContainsFunc(r.otherManagers(owners), func(manager string) bool { return !slices.Contains(was.Beside, manager) })
}

// traceOf is the keyed hash of what an object has at a path, also of nothing.
func (r run) traceOf(object map[string]any, path fieldpath.Path) (string, error) {
	content := []any{}
	if value, _, has := ownership.Locate(object, path); has {
		content = append(content, value)
	}
	return tracked.Hash(r.old.HashKey, content)
}

// around reports whether something that the patch has created is at a path or contains it.
func (c created) around(path fieldpath.Path) bool {
	for n := 1; n <= len(path); n++ {
		if _, has := c[ownership.Format(path[:n])]; has {
			return true
		}
	}
	return false
}

// namesOf names fields for a message.
func (r run) namesOf(paths []fieldpath.Path, fields patchedFields) []string {
	var names []string
	for _, path := range paths {
		names = append(names, r.name(path, fields))
	}
	return tracked.Unique(names)
}

// decodeFormer reads the records in a state, and returns nil if there is nothing or it cannot be read.
func decodeFormer(v property.Value) formerValues {
	text := strings.TrimSpace(values.Text(v))
	if text == "" {
		return nil
	}
	former := formerValues{}
	if err := kubejson.Unmarshal([]byte(text), &former); err != nil {
		return formerValues{}
	}
	return former
}
