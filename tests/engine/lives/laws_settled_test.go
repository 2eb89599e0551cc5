package lives_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// The laws of an up of the whole program that succeeded.
const (
	// What the program says and does not ignore is what a forced apply of it, by our own manager, would not change; unless the
	// API server refuses such an apply. What admission has rewritten when the object was made is not drift.
	settled = "after an up the object has what the program says"
	// A value that the API server did not keep is named in the output of the up that applied it. What it leaves out of every
	// answer does not count: false, 0, "", and what is empty.
	told = "what the API server does not keep is said"
	// A value that it did not keep is applied as soon as it would be kept.
	wanted = "what the API server did not keep stays wanted"
	// What the program has changed is in the object, also where the API server refuses the rest of the manifest.
	kept = "what the program has changed is in the object"
	// When nobody has changed anything, there is nothing to do.
	atRest = "after an up there is nothing left to do"
)

// applied holds these laws.
func (l *life) applied(o operation, result engine.Result, before map[*thing]*unstructured.Unstructured) {
	for _, th := range l.things {
		live := l.place.live(th.kind(), th.object)
		if live == nil {
			l.breaks(violation{law: settled, thing: th, text: fmt.Sprintf("%s %s is not there.\n%s", th.kind(), th.object, result.Output)})
			return
		}
		l.settles(th, live, before[th], result)
		if l.over {
			return
		}
		l.compareTwin(th, live, before[th])
		if l.over {
			return
		}
		if th.bound && !l.bound[th.object] {
			l.bound[th.object] = true
			l.bind(th.object)
		}
		if th.name == "ClusterRole" {
			l.eventually("the role is filled", func() bool {
				rules, _ := l.place.live(th.kind(), th.object).Object["rules"].([]any)
				return len(rules) > 0
			})
		}
	}
	if l.accompanied(result); l.over {
		return
	}
	if o.rests {
		l.rests()
	}
	for _, th := range l.things {
		snapshot := *th
		snapshot.applied = nil
		th.applied, th.former, th.adopt, th.meddled = &snapshot, "", false, false
	}
	l.whole = true
}

// settles holds the laws about the values of one object.
func (l *life) settles(th *thing, live, before *unstructured.Unstructured, result engine.Result) {
	manifest := l.placed(m{"manifest": th.besides(live)})["manifest"].(m)
	manager := managerOf(live)
	if manager == "" {
		l.breaks(violation{law: settled, thing: th, text: "the object has no manager of ours"})
		return
	}
	tried, err := client(th.kind(), l.namespace).Apply(l.Context(), th.object, &unstructured.Unstructured{Object: manifest},
		metav1.ApplyOptions{FieldManager: manager, Force: true, DryRun: []string{metav1.DryRunAll}})
	l.book.count("held: " + settled)
	wants := leaves(manifest)
	for _, name := range slices.Sorted(maps.Keys(wants)) {
		w := wants[name]
		if th.ignoresPlace(w.path) {
			continue
		}
		has, there := get(live.Object, w.path)
		if !there && !hollow(w.value) {
			said := strings.Contains(result.Output, w.path[len(w.path)-1].field)
			if !said && (th.applied == nil || before == nil || !hasLeaf(th.applied, name, w.value)) {
				l.breaks(violation{law: told, thing: th, text: fmt.Sprintf("%s of %s is not in the object, and nothing says so.\n%s", name, th.object, result.Output)})
				return
			}
		}
		// What admission made of this value of the program stays when the admission has gone: it is no drift.
		rewritten := strings.HasPrefix(fmt.Sprint(has), mirror) && worlds[l.world].at == "CREATE" ||
			worlds[l.left].rewrites && has == mirror+fmt.Sprint(w.value)
		if err != nil {
			// Others have changed what cannot be changed back; what the program has changed is there all the same.
			if th.applied == nil || before == nil || hasLeaf(th.applied, name, w.value) {
				continue
			}
			l.book.count("held: " + kept)
			if !equal(w.value, has) && !rewritten && (there || !isEmptyList(w.value)) {
				l.breaks(violation{law: kept, thing: th, before: before, text: fmt.Sprintf(
					"%s of %s is %s, and the program says %s since this up. %v\n%s", name, th.object, asJSON(has), asJSON(w.value), err, result.Output)})
				return
			}
			continue
		}
		would, _ := get(tried.Object, w.path)
		if equal(would, has) || rewritten || !there && isEmptyList(would) {
			continue
		}
		law := settled
		if !there {
			law = wanted
		}
		l.breaks(violation{law: law, thing: th, before: before, text: fmt.Sprintf(
			"%s of %s is %s, and an apply of the program makes it %s.\n%s", name, th.object, asJSON(has), asJSON(would), result.Output)})
		return
	}
}

// hasLeaf reports whether a thing has applied the value before.
func hasLeaf(th *thing, name string, value any) bool {
	had, ok := leaves(folded(th.manifest))[name]
	return ok && equal(had.value, value)
}

// isEmptyList says that a value is a list without items: where an apply takes the last ones away, the API server keeps no list.
func isEmptyList(value any) bool {
	list, isList := value.([]any)
	return isList && len(list) == 0
}

// hollow values are left out of answers although they are there.
func hollow(value any) bool {
	switch value := value.(type) {
	case m:
		return len(value) == 0
	case []any:
		return len(value) == 0
	default:
		return slices.Contains([]any{nil, "", false, int64(0), float64(0)}, value)
	}
}

func (th *thing) ignoresPlace(p path) bool {
	return th.isAggregated() && p[0].field == "rules" || slices.ContainsFunc(th.ignores, func(i disregard) bool { return i.place.covers(p) })
}

// rests holds the law about the preview of what nobody has changed.
func (l *life) rests() {
	l.book.count("held: " + atRest)
	preview := l.do(engine.Preview, engine.Options{ExpectNoChanges: true})
	if preview.Err != nil {
		var about *thing
		for _, th := range l.things {
			if strings.Contains(preview.Output, "KubeObject "+th.resource+" update") || strings.Contains(preview.Output, "KubeObject "+th.resource+" **") {
				about = th
			}
		}
		l.breaks(violation{law: atRest, thing: about, text: fmt.Sprintf("%v\n%s", preview.Err, preview.Output)})
	}
}

// isAggregated says that a controller fills the rules of the role, which are empty in the manifest: an apply of them takes them
// away, and that is not what anybody wants.
func (th *thing) isAggregated() bool {
	rules, there := th.manifest["rules"].([]any)
	return there && len(rules) == 0 && th.manifest["aggregationRule"] != nil
}
