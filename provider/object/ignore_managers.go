package object

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// The input ignoreManagers leaves fields to the managers that it names. A field is left if such a manager owns it and we
// do not any more. For as long as it is, it is one more ignored field, and everything about ignored fields holds for it.
//
// It differs from a field that ignoreFields names in three ways, because the program does not name it:
//
//   - What the program changes is applied. A field is left only if the program has there what it had in its last run.
//   - The state keeps the field as it was applied, with the manager as its owner. So the state does not change with what
//     the manager writes, and when the manager gives the field up, its value is drift again.
//   - The hash of the manifest includes it, because what is left may change although the program does not.

// managers are all field managers whose fields are left to them.
func (in inputs) managers() tracked.IgnoredManagers {
	return append(slices.Clip(in.ownManagers), in.setting.Managers...)
}

// leave makes these fields the ones that are left to managers, and no others.
func (in *inputs) leave(fields *fieldpath.Set) {
	in.theirs, in.ignore = fields, in.named
	if fields != nil && !fields.Empty() {
		in.ignore = append(slices.Clip(in.named), ownership.Exactly(fields)...)
	}
}

// leaveOn leaves to the managers what they own on the live object, of what the manifest sets and the program has not
// changed since last, its inputs in the last run; nil if there are none to compare with.
func (in *inputs) leaveOn(live *unstructured.Unstructured, last *inputs, own ...string) error {
	in.leave(nil)
	managers := in.managers()
	if len(managers) == 0 {
		return nil
	}
	owned, err := ownership.OwnedBy(live, managers.Names, own...)
	if err == nil {
		in.leave(in.leavable(owned, last))
	}
	return err
}

// leaveAsKnown does the same by what the state knows, without looking at the object.
func (in *inputs) leaveAsKnown(old state, last *inputs) {
	in.leave(nil)
	managers := in.managers()
	if len(managers) == 0 || old.fields == nil {
		return
	}
	owned := fieldpath.NewSet()
	for _, path := range leavesOf(old.fields) {
		if owner, ok := ownership.OwnerOf(old.Ownership, path); ok && owner != old.Manager && managers.NameAny(owner) {
			owned.Insert(path)
		}
	}
	in.leave(in.leavable(owned, last))
}

// leavable returns the fields that the manifest sets, that are not ignored in any case, and that the program has not
// changed.
func (in inputs) leavable(fields *fieldpath.Set, last *inputs) *fieldpath.Set {
	result := fieldpath.NewSet()
	fields.Iterate(func(path fieldpath.Path) {
		is, _, has := ownership.Locate(in.applied, path)
		if !has || in.named.Covers(path) {
			return
		}
		if last != nil {
			if was, _, had := ownership.Locate(last.applied, path); !had || !ownership.Equal(was, is) {
				return
			}
		}
		result.Insert(path.Copy())
	})
	return result
}

// lastOf returns the inputs with which the program last ran; nil if there are none. Those of an import are what the
// object was like, and no program's: they have nothing but the manifest.
func lastOf(old state, in inputs) *inputs {
	last, err := decodeInputs(in.saved)
	if err != nil || last.applied == nil || last.unknown > 0 || old.isImported() && len(last.ownManagers) == 0 {
		return nil
	}
	return &last
}

// withoutTheirs returns the state without the fields that are left to managers, as an update that does not send them sees it.
func (s state) withoutTheirs(in inputs) state {
	if in.theirs != nil && !in.theirs.Empty() && s.fields != nil {
		s.fields = s.fields.Difference(in.theirs)
	}
	return s
}

// asApplied returns a projection with the values of left fields that were applied, or would be.
func asApplied(projection map[string]any, left *fieldpath.Set, applied map[string]any) map[string]any {
	if left == nil {
		return projection
	}
	left.Iterate(func(path fieldpath.Path) {
		if v, _, has := ownership.Locate(applied, path); has {
			projection = ownership.SetAt(projection, path, v)
		}
	})
	return projection
}

// returningFromManagers lists the changes of fields that the last run left to managers and this one does not, beside those that are
// listed already: the state has them as they were applied.
func (in inputs) returningFromManagers(old state, last *inputs, listed []ownership.Change) []ownership.Change {
	if last == nil || len(last.ownManagers) == 0 || old.fields == nil {
		return nil
	}
	was := *last
	was.leaveAsKnown(old, nil)
	if was.theirs == nil || was.theirs.Empty() {
		return nil
	}
	var paths []fieldpath.Path
	was.theirs.Iterate(func(path fieldpath.Path) {
		if _, _, has := ownership.Locate(in.applied, path); has && !in.ignore.Covers(path) {
			paths = append(paths, path.Copy())
		}
	})
	return old.Lost(paths, listed)
}
