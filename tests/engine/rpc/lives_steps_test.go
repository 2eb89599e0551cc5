package rpc_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// step is something that happens in a story, and how it is told.
type step struct {
	what string
	do   func(*life) error
}

// known are steps that lead to a defect that is known, by its number. What is in this list does not happen in any story;
// it is taken out with the defect.
var known = map[string]bool{}

// drawing is where the steps of a story come from.
type drawing = *rand.Rand

// chapter makes steps of one sort.
type chapter struct {
	weight int
	// only are the kinds that have such steps, if not all have, and defect the one that they lead to.
	only   cast
	defect string
	draw   func(random drawing) step
}

// changes are the changes of the program.
func changes() []chapter { return slices.Concat(changesOfObject, changesOfPatch, changesOfWait) }

// opening is what the program says before its first up.
func (c cast) opening(random drawing) []step {
	steps := []step{c.draw(random, changesOfPatch[:1]), c.draw(random, changesOfWait[:1])}
	possible, _ := c.possible(changes())
	for _, chapter := range possible {
		if random.IntN(10) < chapter.weight {
			steps = append(steps, chapter.draw(random))
		}
	}
	return steps
}

// themes are what a story may be about.
func themes() [][]chapter {
	return append(combinations(),
		commands, mishaps, troubles, changesOfObject, changesOfPatch, changesOfWait, aboutOthers, aboutTarget, aboutWait, aboutBakery,
		aboutTargets, aboutClusters)
}

// themes are those of one story, so that what belongs together happens together: a few, or one of the combinations, upon
// which nobody would come by chance, and hardly more.
func (c cast) themes(random drawing) (about []chapter) {
	others := 1 + random.IntN(3)
	if random.IntN(3) > 0 {
		combinations := slices.DeleteFunc(combinations(), func(theme []chapter) bool {
			possible, _ := c.possible(theme[:1])
			return len(possible) == 0 // the first step of a combination is what it is about
		})
		about, others = append(about, combinations[random.IntN(len(combinations))]...), random.IntN(2)
	}
	all := themes()
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, theme := range all[:others] {
		about = append(about, theme...)
	}
	return about
}

// draw draws a step that can happen to a cast.
func (c cast) draw(random drawing, chapters []chapter) step {
	possible, total := c.possible(chapters)
	at := random.IntN(total)
	for _, c := range possible {
		if at -= c.weight; at < 0 {
			return c.draw(random)
		}
	}
	panic("no step")
}

func (c cast) possible(chapters []chapter) (possible []chapter, total int) {
	for _, chapter := range chapters {
		if !known[chapter.defect] && slices.Contains([]string{"", c.object}, chapter.only.object) && slices.Contains([]string{"", c.target}, chapter.only.target) {
			possible, total = append(possible, chapter), total+chapter.weight
		}
	}
	return possible, total
}

// one is a chapter of one step.
func one(what string, do func(*life) error) func(drawing) step {
	return func(drawing) step { return step{what, do} }
}

// says is a change of the program, to one of some values.
func says(what string, values int, change func(*wanted, int)) func(drawing) step {
	return func(random drawing) step {
		n := random.IntN(values)
		return step{fmt.Sprintf("the program says %s %d", what, n), func(l *life) error {
			change(&l.wants, n)
			return nil
		}}
	}
}

// switches is a change of the program that is made or taken back.
func switches(what string, field func(*wanted) *bool) func(drawing) step {
	return func(drawing) step {
		return step{"the program changes whether it " + what, func(l *life) error {
			at := field(&l.wants)
			*at = !*at
			return nil
		}}
	}
}

var up = step{"up", (*life).up}

// commands are what the user does, and where it fails.
var commands = []chapter{
	{4, cast{}, "", one("refresh", (*life).refresh)},
	{3, cast{}, "", one("destroy", (*life).destroy)},
	{3, cast{}, "", one("up, and its state is lost", func(l *life) error { return l.upLost(l.parts...) })},
	{1, cast{}, "", one("up, and the state of the object is lost", func(l *life) error { return l.upLost(l.object) })},
	{1, cast{}, "", one("up, and the state of the Patch and the Wait is lost", func(l *life) error { return l.upLost(l.patch, l.wait) })},
	{2, cast{}, "", one("the credentials are renewed, those of the last run have expired", (*life).renew)},
	{2, cast{}, "", one("preview, up and refresh while the cluster cannot be reached", (*life).unreachable)},
}

// aboutOthers is what others do to the object.
var aboutOthers = []chapter{
	{3, cast{}, "", func(drawing) step { return changed }},
	{2, cast{}, "", one("others set the label", func(l *life) error {
		return l.edit(types.MergePatchType, `{"metadata": {"labels": {"tier": "theirs"}}}`)
	})},
	{1, cast{}, "", one("others remove label and annotation", func(l *life) error {
		return l.edit(types.MergePatchType, `{"metadata": {"labels": {"tier": null}, "annotations": {"note": null}}}`)
	})},
	{2, cast{}, "", one("others add what is theirs", func(l *life) error {
		return l.edit(types.MergePatchType, `{"metadata": {"labels": {"theirs": "x"}, "annotations": {"theirs": "x"}}}`)
	})},
	{1, cast{object: "Deployment"}, "", one("others add a variable", func(l *life) error {
		return l.edit(types.JSONPatchType, `[{"op": "add", "path": "/spec/template/spec/containers/0/env/0", "value": {"name": "THEIRS", "value": "x"}}]`)
	})},
	{1, cast{object: "Deployment"}, "", func(drawing) step { return requested }},
	{2, cast{object: "Deployment"}, "", func(drawing) step { return timed }},
	{2, cast{}, "", func(drawing) step { return scaled }},
	{2, cast{}, "", one("there are values that nobody owns", (*life).orphan)},
	{2, cast{}, "", one("another manager takes fields by force, with other values", func(l *life) error {
		if l.cast.object == "ConfigMap" {
			return l.edit(types.ApplyPatchType, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "it", "labels": {"tier": "taken"}},
				"data": {"a": "taken", "extra": "taken"}}`)
		}
		return l.edit(types.ApplyPatchType, `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "it", "labels": {"tier": "taken"}},
			"spec": {"replicas": 7}}`)
	})},
	{2, cast{}, "D32", one("another manager applies the same values", func(l *life) error {
		return l.edit(types.ApplyPatchType, fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata":
			{"name": "it", "labels": {"tier": "web"}, "annotations": {"note": "ours"}}}`,
			map[string]string{"ConfigMap": "v1", "Deployment": "apps/v1"}[l.cast.object], l.cast.object))
	})},
	{2, cast{}, "", one("others delete the object", (*life).remove)},
	{1, cast{}, "", one("others delete the object and make it again", (*life).remake)},
}

// changed is drift of what the program says.
var changed = step{"others change our value", func(l *life) error {
	if l.cast.object == "ConfigMap" {
		return l.edit(types.MergePatchType, `{"data": {"a": "theirs", "b": "theirs"}}`)
	}
	return l.edit(types.JSONPatchType, `[{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "nginx:theirs"},
		{"op": "replace", "path": "/spec/replicas", "value": 9}]`)
}}

// requested is what contradicts a limit of the program.
var requested = step{"others set a request that is above our limit", func(l *life) error {
	return l.edit(types.JSONPatchType, `[{"op": "add", "path": "/spec/template/spec/containers/0/resources/requests", "value": {"cpu": "2"}}]`)
}}

// timed and scaled change what the program may ignore.
var (
	timed = step{"others set the seconds of our tolerations", func(l *life) error {
		return l.edit(types.JSONPatchType, `[{"op": "replace", "path": "/spec/template/spec/tolerations/0/tolerationSeconds", "value": 60}]`)
	}}
	scaled = step{"others set the fields that may be ignored", func(l *life) error {
		if l.cast.object == "ConfigMap" {
			return l.edit(types.MergePatchType, `{"data": {"b": "scaled"}, "metadata": {"annotations": {"note": "scaled"}}}`)
		}
		return l.edit(types.MergePatchType, `{"spec": {"replicas": 8}, "metadata": {"annotations": {"note": "scaled"}}}`)
	}}
)

// edit is what others do to the object, if it is there and the API server lets them.
func (l *life) edit(kind types.PatchType, patch string) error {
	manager := "intern"
	if kind == types.ApplyPatchType {
		manager = "taker"
		if l.live() == nil {
			return nil
		}
	}
	return l.write(l.cast.object, "it", manager, kind, patch)
}

// write is what others do to an object, if the API server lets them.
func (l *life) write(kind, name, manager string, patchType types.PatchType, patch string) error {
	options := metav1.PatchOptions{FieldManager: manager}
	if patchType == types.ApplyPatchType {
		force := true
		options.Force = &force
	}
	_, err := l.world.objects(kind).Patch(l.t.Context(), name, patchType, []byte(patch), options)
	l.book.count(fmt.Sprintf("drift, refused: %t", err != nil))
	return nil
}

func (l *life) remove() error {
	l.drop(l.cast.object, "it")
	return nil
}

// drop is what others do to an object that they do not need any more, if the API server lets them.
func (l *life) drop(kind, name string) {
	if l.find(kind, name) != nil {
		background := metav1.DeletePropagationBackground
		_ = l.world.objects(kind).Delete(l.t.Context(), name, metav1.DeleteOptions{PropagationPolicy: &background})
	}
}

// orphan adds values of a manager that is forgotten afterwards.
func (l *life) orphan() error {
	more := `{"metadata": {"labels": {"orphan": "x"}, "annotations": {"orphan": "x"}}`
	if l.cast.object == "ConfigMap" {
		more += `, "data": {"orphan": "x"}`
	}
	if err := l.write(l.cast.object, "it", "forgotten", types.MergePatchType, more+"}"); err != nil {
		return err
	}
	live := l.live()
	if live == nil {
		return nil
	}
	for i, entry := range live.GetManagedFields() {
		if entry.Manager == "forgotten" {
			return l.write(l.cast.object, "it", "forgotten", types.JSONPatchType, fmt.Sprintf(`[{"op": "remove", "path": "/metadata/managedFields/%d"}]`, i))
		}
	}
	return nil
}

// remake has someone delete the object and make one that is like it.
func (l *life) remake() error {
	live := l.live()
	if live == nil {
		return nil
	}
	l.drop(l.cast.object, "it")
	copied := &unstructured.Unstructured{Object: m{"apiVersion": live.GetAPIVersion(), "kind": live.GetKind()}}
	copied.SetName("it")
	copied.SetLabels(live.GetLabels())
	copied.SetAnnotations(live.GetAnnotations())
	for _, part := range []string{"data", "immutable", "spec"} {
		if v, ok := live.Object[part]; ok {
			copied.Object[part] = v
		}
	}
	// What refuses changes may refuse this one.
	_, _ = l.world.objects(l.cast.object).Create(l.t.Context(), copied, metav1.CreateOptions{FieldManager: "intern"})
	return nil
}
