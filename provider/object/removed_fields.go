package object

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// leaving is what happens to the fields that the manifest no longer sets. Fields that only we own are removed, and
// fields that other managers also own stay. If others own the key of a list item, the whole item stays.
type leaving struct {
	// stays are the previously applied fields that are still on the object.
	stays *fieldpath.Set
	// owners are the owners of these fields, by the names of the fields in messages.
	owners map[string][]string
	// late are fields that left the manifest earlier and are now gone.
	late *fieldpath.Set
	// unowned are fields that left the manifest earlier and are still there, although they no longer have an owner.
	unowned *fieldpath.Set
}

// leavingOf compares what was applied before with the object after an apply.
func (w *write) leavingOf(old, now state, answer *unstructured.Unstructured) (leaving, error) {
	l := leaving{stays: fieldpath.NewSet(), owners: map[string][]string{}, late: fieldpath.NewSet(), unowned: fieldpath.NewSet()}
	owners, err := ownership.NewOwnership(answer)
	if err != nil {
		return l, err
	}
	others := func(path fieldpath.Path) []string { return w.othersAmong(owners.Of(path)) }
	left, _ := w.in.ignore.Split(unionOf(old.fields, old.left, old.ignored).Difference(unionOf(now.fields, now.ignored)))
	ownership.Leaves(left).Iterate(func(path fieldpath.Path) {
		if ownership.IsAbove(path, now.fields) {
			// A map or list that was ours as a whole, and whose content we now own.
			insertUnowned(l.unowned, w.partsLeft(path, now.fields, answer), owners)
			return
		}
		before := old.left != nil && old.left.Has(path)
		shown, by := path, others(path)
		if item := itemAround(path, now.fields); item != nil && len(others(item)) > 0 && (before || isHalf(w.kept, item)) {
			shown, by = item, others(item)
		}
		_, _, found := ownership.Locate(answer.Object, path)
		switch {
		case found && len(by) > 0:
			l.stays.Insert(path.Copy())
			insertItems(l.stays, path, now.fields)
			name := ownership.Format(shown)
			l.owners[name] = tracked.Unique(append(l.owners[name], by...))
		case !before:
		case found && !(w.preview && w.takes): // a takeover claims it and so removes it, which no dry-run shows
			l.unowned.Insert(path.Copy())
		default:
			l.late.Insert(path.Copy())
		}
	})
	return l, nil
}

// insertUnowned adds those of paths that nobody owns.
func insertUnowned(into *fieldpath.Set, paths []fieldpath.Path, owners ownership.Ownership) {
	for _, path := range paths {
		if len(owners.Of(path)) == 0 {
			into.Insert(path)
		}
	}
}

// othersAmong are the field managers among owners that are neither ours nor nobody's.
func (w *write) othersAmong(owners []ownership.Owner) (names []string) {
	for _, owner := range owners {
		if !slices.Contains(w.Own(), owner.Manager) && !ownership.IsNobody(owner.Manager) {
			names = append(names, owner.Manager)
		}
	}
	return names
}

// partsLeft lists what the program has dropped from a list or map that was ours as a whole, if its definition has given
// it keys since. These parts have no owner, so the API server leaves them.
func (w *write) partsLeft(path fieldpath.Path, now *fieldpath.Set, answer *unstructured.Unstructured) (left []fieldpath.Path) {
	last, err := decodeInputs(w.in.saved)
	if err != nil {
		return nil
	}
	var keys []string
	now.Iterate(func(of fieldpath.Path) {
		if len(of) > len(path) && of[:len(path)].Equals(path) && of[len(path)].Key != nil {
			keys = keys[:0]
			for _, key := range *of[len(path)].Key {
				keys = append(keys, key.Name)
			}
		}
	})
	was, _, _ := ownership.Locate(last.applied, path)
	for _, element := range elementsOf(was, keys) {
		part := append(path.Copy(), element)
		_, _, wanted := ownership.Locate(w.in.applied, part)
		if _, _, stays := ownership.Locate(answer.Object, part); stays && !wanted {
			left = append(left, part)
		}
	}
	return left
}

// elementsOf names the members of a map, and the items of a list by their keys.
func elementsOf(tree any, keys []string) (elements []fieldpath.PathElement) {
	switch tree := tree.(type) {
	case map[string]any:
		for name := range tree {
			elements = append(elements, fieldpath.PathElement{FieldName: &name})
		}
	case []any:
		for _, item := range tree {
			fields, _ := item.(map[string]any)
			var key []any
			for _, name := range keys {
				key = append(key, name, fields[name])
			}
			if len(keys) > 0 {
				elements = append(elements, fieldpath.PathElement{Key: fieldpath.KeyByFields(key...)})
			}
		}
	}
	return elements
}

// insertItems adds the items that contain a field, with their keys, unless set has them.
func insertItems(fields *fieldpath.Set, path fieldpath.Path, set *fieldpath.Set) {
	for n := range path {
		item := path[:n+1]
		if path[n].Key == nil || ownership.Touches(set, item) {
			continue
		}
		fields.Insert(item.Copy())
		for _, key := range *path[n].Key {
			fields.Insert(append(item.Copy(), fieldpath.FieldNameElement(key.Name)))
		}
	}
}

// itemAround returns the outermost list item around a field, if set contains no part of that item; nil if there is
// none.
func itemAround(path fieldpath.Path, set *fieldpath.Set) fieldpath.Path {
	for n := range path {
		if path[n].Key != nil && !ownership.Touches(set, path[:n+1]) {
			return path[:n+1]
		}
	}
	return nil
}

// isHalf reports whether the apply has kept an item because others own its key.
func isHalf(kept []ownership.Bystander, item fieldpath.Path) bool {
	return slices.ContainsFunc(kept, func(bystander ownership.Bystander) bool { return bystander.Half && bystander.Path.Equals(item) })
}

// isNew reports whether fields stay that did not stay before.
func (l leaving) isNew(old state) bool {
	return l.stays != nil && !l.stays.Difference(unionOf(old.left)).Empty()
}

// say reports which fields leave the manifest and stay, who owns them, and how to remove them.
func (l leaving) say(ctx context.Context, t target, in inputs, old state) {
	hide := old.hidesNames() || in.namesSecret(l.stays)
	if l.isNew(old) {
		lines, managers := []string{}, []string{}
		for _, name := range slices.Sorted(maps.Keys(l.owners)) {
			owners := l.owners[name]
			if hide {
				name = "[secret]"
			}
			lines = append(lines, fmt.Sprintf("%s (%s)", name, strings.Join(owners, ", ")))
			managers = append(managers, owners...)
		}
		p.GetLogger(ctx).Warningf("%s: these fields leave the manifest but stay on the object, because other managers also own them:\n  %s%s",
			t.Ref, strings.Join(shortened(slices.Compact(lines)), "\n  "), waysOut(in, tracked.Unique(managers)))
	}
	if names := fieldNames(l.unowned, hide); len(names) > 0 {
		p.GetLogger(ctx).Infof("%s: these fields left the manifest and stay on the object without an owner: %s\n"+
			"To remove them: write them into the manifest for one `pulumi up`, and take them out in the next.", t.Ref, strings.Join(names, ", "))
	}
	if names := fieldNames(l.late, hide); len(names) > 0 {
		p.GetLogger(ctx).Infof("%s: the update removes fields that left the manifest earlier and that no other manager owns any more: %s",
			t.Ref, strings.Join(names, ", "))
	}
}

// waysOut explains how to remove fields of these managers from the object.
func waysOut(in inputs, managers []string) string {
	var named, again, patches []string
	for _, manager := range managers {
		if ownership.IsPatchManager(manager) {
			patches = append(patches, ownership.DescribeManager(manager))
		} else if in.takeOver.Names(manager) && !in.taking {
			again = append(again, strconv.Quote(manager)) // it came back
		} else {
			named = append(named, manager)
		}
	}
	text := ""
	if len(named) > 0 {
		text = "\nTo remove them: " + in.takeOver.Line(named...)
	}
	if len(again) > 0 {
		text += "\nTo remove what is theirs: run `pulumi up` once without " + strings.Join(again, ", ") + " in takeOverFrom, and once with it."
	}
	if len(patches) > 0 {
		text += "\nWhat is patched belongs to " + strings.Join(patches, " and ") + "."
	}
	return text
}

// withLeaving returns the state after the update, including what stays, so that a diff does not show it as removed.
func (o outcome) withLeaving(in inputs) state {
	s := o.state
	if o.leaving.stays != nil && !o.leaving.stays.Empty() {
		s.Live = o.target.project(o.answer, s.fields.Union(o.leaving.stays), o.target.object(in.applied).Object)
	}
	return s
}

// hidesNames reports whether the names of fields that are or were in the state are secret.
func (s state) hidesNames() bool { return s.NamesSecret || s.leftSecret || s.ignoredSecret }

// sayLeftBehind names the other appliers of the object, and which of their fields we do not set. set is what we set; nil if
// that is everything.
func (t target) sayLeftBehind(ctx context.Context, in inputs, live *unstructured.Unstructured, set *fieldpath.Set) error {
	for _, entry := range live.GetManagedFields() {
		if entry.Operation != "Apply" || entry.Subresource != "" || slices.Contains(t.Own(), entry.Manager) ||
			ownership.IsNobody(entry.Manager) || ownership.Foreign(entry.Manager, t.Manager) || in.takeOver.Names(entry.Manager) {
			continue
		}
		owned, err := ownership.EntryFields(entry)
		if err != nil {
			return err
		}
		also := ""
		if set != nil {
			extras, err := t.extrasOn(live, set) // a warning names them
			if err != nil {
				return err
			}
			rest := owned.Difference(set).RecursiveDifference(fieldsOf(extras))
			if names := fieldNames(rest, in.namesSecret(owned)); len(names) > 0 {
				also = " The manifest does not set, and it keeps: " + strings.Join(names, ", ") + "."
			}
		}
		p.GetLogger(ctx).Infof("%s: %s applied this object and keeps owning its fields: fields that the manifest sets now "+
			"and drops later stay on the object.%s If it no longer manages the object, take its fields over: %s.",
			t.Ref, entry.Manager, also, in.takeOver.Line(entry.Manager))
	}
	return nil
}
