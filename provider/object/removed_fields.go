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

// leaving is what happens to the fields that the manifest no longer sets: those that only we own are removed, and
// those that other managers also own stay. So does an item if others own its key, as a whole.
type leaving struct {
	// stays are the previously applied fields that are still on the object.
	stays *fieldpath.Set
	// owners are their owners, by the names of the fields in messages.
	owners map[string][]string
	// late are fields that left the manifest earlier and are now gone.
	late *fieldpath.Set
}

// leavingOf compares what was applied before with the object after an apply. kept is what the apply preserved
// although it is no longer ours.
func (t target) leavingOf(
	in inputs, old, now state, answer *unstructured.Unstructured, kept []ownership.Bystander,
) (leaving, error) {
	l := leaving{stays: fieldpath.NewSet(), owners: map[string][]string{}, late: fieldpath.NewSet()}
	owners, err := ownership.NewOwnership(answer)
	if err != nil {
		return l, err
	}
	others := func(path fieldpath.Path) (names []string) {
		for _, owner := range owners.Of(path) {
			if !slices.Contains(t.Own(), owner.Manager) && !ownership.IsNobody(owner.Manager) {
				names = append(names, owner.Manager)
			}
		}
		return names
	}
	left, _ := in.ignore.Split(unionOf(old.fields, old.left, old.ignored).Difference(unionOf(now.fields, now.ignored)))
	ownership.Leaves(left).Iterate(func(path fieldpath.Path) {
		shown, by := path, others(path)
		if item := halfAround(kept, path); item != nil && len(others(item)) > 0 {
			shown, by = item, others(item)
		}
		_, _, found := ownership.Locate(answer.Object, path)
		if found && len(by) > 0 {
			l.stays.Insert(path.Copy())
			insertItems(l.stays, path, now.fields)
			name := ownership.Format(shown)
			l.owners[name] = tracked.Unique(append(l.owners[name], by...))
		} else if old.left != nil && old.left.Has(path) {
			l.late.Insert(path.Copy())
		}
	})
	return l, nil
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

// halfAround returns the kept item that contains a field.
func halfAround(kept []ownership.Bystander, path fieldpath.Path) fieldpath.Path {
	for _, bystander := range kept {
		item := bystander.Path
		if bystander.Half && item[len(item)-1].Key != nil && len(item) <= len(path) && item.Equals(path[:len(item)]) {
			return item
		}
	}
	return nil
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
			t.Ref, strings.Join(shortened(slices.Compact(lines)), "\n  "), waysOut(tracked.Unique(managers)))
	}
	if names := fieldNames(l.late, hide); len(names) > 0 {
		p.GetLogger(ctx).Infof("%s: the update removes fields that left the manifest earlier and that no other manager owns any more: %s",
			t.Ref, strings.Join(names, ", "))
	}
}

// waysOut explains how to remove fields of these managers from the object.
func waysOut(managers []string) string {
	var named, patches []string
	for _, manager := range managers {
		if ownership.IsPatchManager(manager) {
			patches = append(patches, ownership.DescribeManager(manager))
		} else {
			named = append(named, strconv.Quote(manager))
		}
	}
	text := ""
	if len(named) > 0 {
		text = "\nTo remove them: takeOverFrom: [" + strings.Join(named, ", ") + "]"
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

// sayLeftBehind names the other appliers of the object, and which of their fields we do not set. manifest is nil if
// we set everything.
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
			if names := fieldNames(owned.Difference(set), in.namesSecret(owned)); len(names) > 0 {
				also = " The manifest does not set, and it keeps: " + strings.Join(names, ", ") + "."
			}
		}
		p.GetLogger(ctx).Infof("%s: %s applied this object and keeps owning its fields: fields that the manifest sets now "+
			"and drops later stay on the object.%s If it no longer manages the object, take its fields over: takeOverFrom: [%q].",
			t.Ref, entry.Manager, also, entry.Manager)
	}
	return nil
}
