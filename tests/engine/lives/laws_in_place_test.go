package lives_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// The law: if the API server accepts, as a strict dry-run of a JSON patch by keys on the live object, exactly what the program
// has changed since the last up that succeeded, then the up replaces nothing and refuses nothing. A program that has changed
// nothing is the same law with an empty patch.
//
// It is silent where the API server refuses a patch that changes nothing as well, where the patch is refused, where the user
// asked for the replacement, and of a refusal where the program wants one (conflictPolicy: fail), where another KubeObject has
// the object, where what would go is not ours, and where the object is being deleted.
const inPlace = "what the API server accepts in place is made in place"

// The same of an object that is not there.
const canBeMade = "what the API server accepts as a new object is made"

// promise is that an object is changed in place.
type promise struct {
	*thing
	patch []jsonOperation
	// absent says that there is no object, and that the API server accepts the manifest as a new one.
	absent bool
	// wholeRefused is why the API server refuses the manifest as it is, and refusedBesides the same without what is ignored.
	wholeRefused, refusedBesides error
}

type jsonOperation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// promises are for the objects of an operation of which it is known what the program has changed.
func (l *life) promises(o operation, before map[*thing]*unstructured.Unstructured) []promise {
	if o.kind != engine.Up || len(o.options.Replaces) > 0 {
		return nil
	}
	var result []promise
	for _, th := range l.things {
		live := before[th]
		if live == nil && l.triesApply(th, folded(th.manifest)) == nil {
			result = append(result, promise{thing: th, absent: true})
			continue
		}
		if th.applied == nil || live == nil || live.GetDeletionTimestamp() != nil {
			continue
		}
		patch, ok := patchByKeys(folded(th.applied.manifest), folded(th.manifest), live.Object, th.ignores)
		if !ok || l.tries(th, types.MergePatchType, []byte("{}")) != nil {
			continue
		}
		body, err := json.Marshal(patch)
		if err != nil {
			panic(err)
		}
		if len(patch) > 0 && l.tries(th, types.JSONPatchType, body) != nil {
			continue
		}
		result = append(result, promise{
			thing: th, patch: patch,
			wholeRefused: l.triesApply(th, folded(th.manifest)), refusedBesides: l.triesApply(th, th.besides(live)),
		})
	}
	return result
}

// tries is what the API server says of a patch, in a dry-run.
func (l *life) tries(th *thing, kind types.PatchType, body []byte) error {
	_, err := client(th.kind(), l.namespace).Patch(l.Context(), th.object, kind, body,
		metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict})
	return err
}

// triesApply is what it says of an apply by somebody who takes every field.
func (l *life) triesApply(th *thing, manifest m) error {
	manifest = l.placed(m{"manifest": manifest})["manifest"].(m)
	_, err := client(th.kind(), l.namespace).Apply(l.Context(), th.object, &unstructured.Unstructured{Object: manifest},
		metav1.ApplyOptions{FieldManager: "lives-tries", Force: true, DryRun: []string{metav1.DryRunAll}})
	return err
}

// besides is the manifest with the live values where the program ignores.
func (th *thing) besides(live *unstructured.Unstructured) m {
	manifest := folded(th.manifest)
	for _, ignored := range th.ignores {
		if !hasItems(manifest, ignored.place) {
			continue
		}
		value, _ := get(live.Object, ignored.place)
		if _, there := get(manifest, ignored.place); there || value != nil {
			manifest = set(manifest, ignored.place, value).(m)
		}
	}
	return manifest
}

// hasItems reports whether a tree has the items of lists that a path goes through.
func hasItems(tree m, p path) bool {
	for i, s := range p {
		if s.keys == nil {
			continue
		}
		if _, there := get(tree, p[:i+1]); !there {
			return false
		}
	}
	return true
}

// hold holds the promises against what the operation came to.
func (l *life) hold(promised []promise, result engine.Result, before map[*thing]*unstructured.Unstructured, o operation) {
	if errors.Is(result.Err, engine.ErrKilled) || o.ends > 0 {
		return
	}
	errored := errorsOf(result.Output)
	for _, p := range promised {
		l.book.count("held: " + inPlace)
		now := l.place.live(p.kind(), p.object)
		v := violation{law: inPlace, thing: p.thing, before: before[p.thing]}
		reasons := fmt.Sprintf("The API server accepts %s.\nOf the whole manifest it says: %v\nbesides what is ignored: %v\n%s",
			asJSON(p.patch), p.wholeRefused, p.refusedBesides, result.Output)
		if p.absent {
			if said := errored[p.resource]; said != "" && !mayRefuse(p.thing, before[p.thing], said) {
				v.law, v.text = canBeMade, result.Output
				l.breaks(v)
				return
			}
			continue
		}
		if now == nil || now.GetUID() != before[p.thing].GetUID() {
			v.text = fmt.Sprintf("%s %s was replaced. %s", p.kind(), p.object, reasons)
			l.breaks(v)
			return
		}
		if said := errored[p.resource]; said != "" && !mayRefuse(p.thing, before[p.thing], said) {
			v.text = fmt.Sprintf("%s %s was refused. %s", p.kind(), p.object, reasons)
			l.breaks(v)
			return
		}
	}
}

// mayRefuse reports whether a refusal is one that the law allows.
func mayRefuse(th *thing, before *unstructured.Unstructured, said string) bool {
	return th.isUnknown(before) && strings.Contains(said, "[AlreadyExists]") || th.policy == "fail" && strings.Contains(said, "[FieldConflict]") ||
		strings.Contains(said, "[ManagedElsewhere]") || strings.Contains(said, "[ObjectTerminating]") ||
		// Two objects cannot have one name, and the program says that the old one stays.
		th.retained && strings.Contains(said, "was not replaced: the old object still exists") && strings.Contains(said, "[AlreadyExists]") ||
		strings.Contains(said, "guard what is not ours in")
}

// isUnknown says that a resource has another name, without an alias, and that others have changed all that its object had of ours: nothing
// tells the object from one of others then.
func (th *thing) isUnknown(live *unstructured.Unstructured) bool {
	return live != nil && th.applied != nil && th.applied.resource != th.resource && th.former == "" && managerOf(live) == ""
}

// managerOf is the field manager of ours that has applied an object; empty if it owns nothing.
func managerOf(live *unstructured.Unstructured) string {
	for _, entry := range live.GetManagedFields() {
		if strings.HasPrefix(entry.Manager, "k8sconnect-") && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == "" {
			return entry.Manager
		}
	}
	return ""
}

var section = regexp.MustCompile(`^  \S+ \((\S+)\):$`)

// errorsOf are the errors that an output shows, by resource.
func errorsOf(output string) map[string]string {
	_, diagnostics, _ := strings.Cut(output, "\nDiagnostics:\n")
	found, current, failed := map[string]string{}, "", false
	for line := range strings.Lines(diagnostics) {
		if match := section.FindStringSubmatch(strings.TrimRight(line, "\n")); match != nil {
			current, failed = match[1], false
		}
		if text := strings.TrimSpace(line); strings.HasPrefix(text, "error:") {
			failed = true
		} else if strings.HasPrefix(text, "warning:") || text == "" {
			failed = false
		}
		if failed {
			found[current] += line
		}
	}
	return found
}

// patchByKeys is what has changed between two manifests, as operations on the live object. What is ignored is left out. It
// reports false where a list without keys would have to be compared with others' changes in it.
func patchByKeys(old, wanted, live m, ignores []disregard) (operations []jsonOperation, ok bool) {
	was, is := leaves(old), leaves(wanted)
	ours := func(p path) bool {
		return !slices.ContainsFunc(ignores, func(i disregard) bool { return i.place.covers(p) || p.covers(i.place) })
	}
	tree := any(live)
	for _, name := range slices.Sorted(maps.Keys(was)) {
		l := was[name]
		if _, stays := is[name]; stays || !ours(l.path) {
			continue
		}
		p := outermostGone(l.path, wanted)
		if pointer, there := pointerTo(tree, p); there {
			operations = append(operations, jsonOperation{Op: "remove", Path: pointer})
			tree = set(tree, p, nil)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		l := is[name]
		if before, there := was[name]; there && equal(before.value, l.value) || !ours(l.path) {
			continue
		}
		p, value := outermostNew(l.path, tree, wanted)
		if _, there := get(tree, p); there && len(p) == len(l.path) {
			pointer, _ := pointerTo(tree, p)
			operations = append(operations, jsonOperation{Op: "replace", Path: pointer, Value: value})
		} else {
			pointer, _ := pointerTo(tree, p[:len(p)-1])
			if last := p[len(p)-1]; last.keys == nil {
				pointer += "/" + escaped(last.field)
			} else {
				pointer += "/-"
			}
			operations = append(operations, jsonOperation{Op: "add", Path: pointer, Value: value})
		}
		tree = set(tree, p, value)
	}
	return operations, true
}

// outermostGone is the outermost item of a list around a place that the program does not have any more, or the place.
func outermostGone(p path, wanted m) path {
	for i, s := range p {
		if _, there := get(wanted, p[:i+1]); s.keys != nil && !there {
			return p[:i+1]
		}
	}
	return p
}

// outermostNew is the outermost place on the way that the tree does not have, with what the program has there.
func outermostNew(p path, tree any, wanted m) (path, any) {
	for i := range p {
		if _, there := get(tree, p[:i+1]); !there {
			value, _ := get(wanted, p[:i+1])
			return p[:i+1], value
		}
	}
	value, _ := get(wanted, p)
	return p, value
}

// pointerTo is the JSON pointer of a place.
func pointerTo(tree any, p path) (pointer string, there bool) {
	for _, s := range p {
		if s.keys == nil {
			pointer += "/" + escaped(s.field)
		} else if list, ok := tree.([]any); ok {
			pointer += fmt.Sprintf("/%d", s.index(list))
		}
		if tree, there = get(tree, path{s}); !there {
			return pointer, false
		}
	}
	return pointer, true
}

func escaped(field string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(field) }
