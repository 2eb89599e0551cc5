package rpc_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// unit is what has one owner in an object: a value, a list or map that is owned as a whole, or the existence of an
// item in a list. It is found without the provider's help, from what the API server says in managedFields.
type unit struct {
	// steps lead to it in the live object, in the form of managedFields: f:spec, k:{"name":"web"}, v:"a".
	steps []string
	// at is where the user wrote it.
	at []any
	// item says that it is the existence of an item in a list; shell, that of a map or list that is ours even if it is
	// empty;
	// key, that it is a value by which an item is found.
	item, shell, key bool
}

// unitsOf are the units of an object that the manager has applied.
func unitsOf(live *unstructured.Unstructured, manifest map[string]any, manager string) ([]unit, error) {
	for _, entry := range live.GetManagedFields() {
		if entry.Manager != manager || entry.Operation != metav1.ManagedFieldsOperationApply || entry.Subresource != "" {
			continue
		}
		var fields map[string]any
		if err := json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields); err != nil {
			return nil, err
		}
		units := units(fields, folded(manifest), unit{})
		texts, _ := manifest["stringData"].(map[string]any)
		for _, u := range units {
			if len(u.at) > 1 && u.at[0] == "data" {
				if _, ok := texts[fmt.Sprint(u.at[1])]; ok {
					u.at[0] = "stringData"
				}
			}
		}
		return units, nil
	}
	return nil, fmt.Errorf("%q is not among the managers", manager)
}

// folded is a manifest with a Secret's texts in data, as the API server stores them.
func folded(manifest map[string]any) map[string]any {
	texts, ok := manifest["stringData"].(map[string]any)
	if !ok || manifest["kind"] != "Secret" {
		return manifest
	}
	manifest = maps.Clone(manifest)
	data, _ := manifest["data"].(map[string]any)
	all := map[string]any{}
	maps.Copy(all, data)
	for key, text := range texts {
		all[key] = base64.StdEncoding.EncodeToString([]byte(fmt.Sprint(text)))
	}
	manifest["data"] = all
	return manifest
}

func units(fields map[string]any, tree any, above unit) []unit {
	var found []unit
	for _, step := range slices.Sorted(maps.Keys(fields)) {
		segment, child, ok := find(tree, step)
		if !ok {
			continue // the existence of what is above, or what the user left to the API server
		}
		here := unit{steps: append(slices.Clone(above.steps), step), at: append(slices.Clone(above.at), segment)}
		_, isName := segment.(string)
		below, _ := fields[step].(map[string]any)
		if existence := here; !isName || len(below) > 1 && below["."] != nil {
			existence.item, existence.shell = !isName, isName
			found = append(found, existence)
		}
		if isName && len(above.steps) > 0 {
			_, here.key = keysOf(above.steps[len(above.steps)-1])[segment.(string)]
		}
		if slices.ContainsFunc(slices.Collect(maps.Keys(below)), func(step string) bool { return step != "." }) {
			found = append(found, units(below, child, here)...)
		} else if !strings.HasPrefix(step, "v:") {
			here.shell = isHollow(child) // what others put into it is theirs
			found = append(found, here)
		}
	}
	return found
}

// keysOf are the values by which a step finds an item.
func keysOf(step string) map[string]any {
	var keys map[string]any
	if text, ok := strings.CutPrefix(step, "k:"); ok {
		_ = json.Unmarshal([]byte(text), &keys)
	}
	return keys
}

// find does one step in a tree, live or as written: the user may leave out the default of a key.
func find(tree any, step string) (segment, child any, ok bool) {
	if name, isField := strings.CutPrefix(step, "f:"); isField {
		object, _ := tree.(map[string]any)
		child = object[name]
		return name, child, child != nil
	}
	list, _ := tree.([]any)
	at, most := -1, 0
	for i, item := range list {
		if agreed := agreement(item, step); agreed > most {
			at, most = i, agreed
		}
	}
	if at < 0 {
		return nil, nil, false
	}
	return at, list[at], true
}

// agreement is in how many keys an item agrees with a step; 0 if it is another item.
func agreement(item any, step string) (agreed int) {
	if text, ok := strings.CutPrefix(step, "v:"); ok {
		if asJSON(item) == text {
			return 1
		}
		return 0
	}
	object, _ := item.(map[string]any)
	for key, value := range keysOf(step) {
		if have, ok := object[key]; !ok {
			continue
		} else if asJSON(have) != asJSON(value) {
			return 0
		}
		agreed++
	}
	return agreed
}

// asJSON is a value as text, whichever type Go has for its numbers.
func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// locate finds a place in a tree. depth is how many of the steps could be done.
func locate(tree any, steps []string) (value any, depth int) {
	for i, step := range steps {
		_, child, ok := find(tree, step)
		if !ok {
			return nil, i
		}
		tree = child
	}
	return tree, len(steps)
}

// change is what someone does to a unit.
type change struct {
	steps  []string
	remove bool
	value  any
}

func (c change) String() string {
	if c.remove {
		return strings.Join(c.steps, " ") + " is removed"
	}
	return strings.Join(c.steps, " ") + " becomes " + asJSON(c.value)
}

func describeChanges(changes []change) string {
	var text strings.Builder
	for _, c := range changes {
		text.WriteString(c.String() + "\n")
	}
	return text.String()
}

// make makes the change in a live object, in place.
func (c change) make(tree map[string]any) { c.edit(tree, c.steps) }

// edit returns what tree becomes.
func (c change) edit(tree any, steps []string) any {
	segment, child, ok := find(tree, steps[0])
	if !ok {
		return tree
	}
	last := len(steps) == 1
	switch {
	case last && !c.remove:
		child = c.value
	case !last:
		child = c.edit(child, steps[1:])
	}
	switch tree := tree.(type) {
	case map[string]any:
		name := segment.(string)
		if tree[name] = child; last && c.remove {
			delete(tree, name)
		}
	case []any:
		at := segment.(int)
		if last && c.remove {
			return append(slices.Clone(tree[:at]), tree[at+1:]...)
		}
		tree[at] = child
	}
	return tree
}

// within reports whether one place is inside of the other, or the same.
func within(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

// expectedDiff is what a preview has to show after the changes: each place that was changed, at the place where the
// user wrote it; and where something is missing, the top of what nothing of ours is left in.
func expectedDiff(units []unit, changes []change, live *unstructured.Unstructured) map[string]string {
	left := func(place []string) bool {
		return slices.ContainsFunc(units, func(u unit) bool {
			_, depth := locate(live.Object, u.steps)
			return depth == len(u.steps) && len(u.steps) >= len(place) && within(u.steps, place)
		})
	}
	expected := map[string]string{}
	for _, c := range changes {
		for _, u := range units {
			if !slices.Equal(u.steps, c.steps) {
				continue
			}
			depth := 1
			if u.steps[0] == "f:metadata" {
				depth = 2 // the name is always there
			}
			for depth < len(u.steps) && left(u.steps[:depth]) {
				depth++
			}
			if !left(u.steps[:depth]) {
				expected[asJSON(u.at[:depth])] = "add"
				continue
			}
			// The engine compares values at the same place. An item that moved up because one before it is missing
			// is at two places, so its list is shown.
			at := u.at
			for n := range slices.Backward(at) {
				if slices.ContainsFunc(units, func(before unit) bool {
					return before.item && len(before.at) == n+1 && slices.Equal(before.steps[:n], u.steps[:n]) &&
						isBefore(before.at[n], u.at[n]) && !left(before.steps)
				}) {
					at = at[:n]
				}
			}
			expected[asJSON(at)] = "update"
		}
	}
	for inner := range expected {
		for outer := range expected {
			// Lists are written in brackets, so one place is inside of another if it begins like it.
			if inner != outer && strings.HasPrefix(inner, strings.TrimSuffix(outer, "]")+",") {
				delete(expected, inner)
			}
		}
	}
	return expected
}

func isBefore(a, b any) bool {
	i, isIndex := a.(int)
	j, alsoIndex := b.(int)
	return isIndex && alsoIndex && i < j
}

// sameDiff compares a diff with what was expected. Of a value that is owned as a whole, it may also show exactly the
// places inside it that someone has changed: beside the manifest, the whole would show defaults as removed.
func sameDiff(
	expected map[string]string, shown map[string]plugin.PropertyDiff, units []unit, before, after *unstructured.Unstructured,
) error {
	got := map[string]string{}
	var places [][]any
	for text, change := range shown {
		path, err := resource.ParsePropertyPath(text)
		if err != nil {
			return err
		}
		got[asJSON([]any(path[1:]))] = change.Kind.String()
		places = append(places, path[1:])
	}
	collapsed := maps.Clone(got)
	for _, u := range units {
		if place := asJSON(u.at); expected[place] == "update" && got[place] == "" {
			was, _ := locate(before.Object, u.steps)
			is, _ := locate(after.Object, u.steps)
			if inside := inside(u.at, places); sameChanges(changedPlaces(was, is, slices.Clone(u.at)), inside) {
				for _, at := range inside {
					delete(collapsed, asJSON(at))
				}
				collapsed[place] = "update"
			}
		}
	}
	if maps.Equal(expected, collapsed) {
		return nil
	}
	return fmt.Errorf("it shows %v\nand not     %v", got, expected)
}

// inside are the places that are inside another one.
func inside(outer []any, places [][]any) (found [][]any) {
	for _, at := range places {
		if len(at) > len(outer) && leadsTo(outer, at) {
			found = append(found, at)
		}
	}
	return found
}

// leadsTo reports whether one place is at or around another.
func leadsTo(outer, at []any) bool {
	return len(outer) <= len(at) && asJSON(outer) == asJSON(at[:len(outer)])
}

// changedPlaces are the outermost places at which two values differ, by position in lists.
func changedPlaces(was, is any, at []any) (changed [][]any) {
	below := func(segment, was, is any) {
		changed = append(changed, changedPlaces(was, is, append(slices.Clip(at), segment))...)
	}
	before, isObject := was.(map[string]any)
	after, areObjects := is.(map[string]any)
	list, isList := was.([]any)
	other, areLists := is.([]any)
	switch {
	case asJSON(was) == asJSON(is):
	case isObject && areObjects:
		all := maps.Clone(before)
		maps.Copy(all, after)
		for name := range all {
			below(name, before[name], after[name])
		}
	case isList && areLists:
		for i := range max(len(list), len(other)) {
			var one, another any
			if i < len(list) {
				one = list[i]
			}
			if i < len(other) {
				another = other[i]
			}
			below(i, one, another)
		}
	default:
		changed = append(changed, at)
	}
	return changed
}

// sameChanges reports whether the places that are shown are those that have changed.
func sameChanges(changed, shown [][]any) bool {
	matched := func(places, others [][]any) bool {
		return !slices.ContainsFunc(places, func(at []any) bool {
			return !slices.ContainsFunc(others, func(other []any) bool { return asJSON(at) == asJSON(other) })
		})
	}
	return len(shown) > 0 && matched(changed, shown) && matched(shown, changed)
}
