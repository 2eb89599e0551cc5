package rpc_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"

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
var known = map[string]bool{
	"D32": true, // what another manager owns too stays when it leaves the manifest, although the preview shows it as going
	// A default in the way of an update is taken away (D1), but not where the object is adopted or was made by an up whose
	// state is lost: spec.strategy.rollingUpdate is refused, and the message does not say what to do.
	"Recreate": true,
	// What an up added whose state was lost stays ours, and is not taken away when the program is what it was before.
	"lost": true,
	// While a write is not confirmed, the preview says "update" without a look, also where the up is going to fail: the cluster
	// cannot be read, or another user has made the object again.
	"pending": true,
}

// chapter makes steps of one sort.
type chapter struct {
	weight int
	// only is the kind that has such steps, if not all have, and defect the one that they lead to.
	only, defect string
	draw         func(random *rand.Rand) step
}

func drawStep(random *rand.Rand, kind string) step {
	total, possible := 0, make([]chapter, 0, len(chapters))
	for _, c := range chapters {
		if !known[c.defect] && (c.only == "" || c.only == kind) {
			total, possible = total+c.weight, append(possible, c)
		}
	}
	at := random.IntN(total)
	for _, c := range possible {
		if at -= c.weight; at < 0 {
			return c.draw(random)
		}
	}
	panic("no step")
}

// one is a chapter of one step.
func one(what string, do func(*life) error) func(*rand.Rand) step {
	return func(*rand.Rand) step { return step{what, do} }
}

// says is a change of the program, to one of some values.
func says(what string, values int, change func(*wanted, int)) func(*rand.Rand) step {
	return func(random *rand.Rand) step {
		n := random.IntN(values)
		return step{fmt.Sprintf("the program says %s %d", what, n), func(l *life) error {
			change(&l.wants, n)
			return nil
		}}
	}
}

// switches is a change of the program that is made or taken back.
func switches(what string, field func(*wanted) *bool) func(*rand.Rand) step {
	return func(*rand.Rand) step {
		return step{"the program changes whether it " + what, func(l *life) error {
			at := field(&l.wants)
			*at = !*at
			return nil
		}}
	}
}

var chapters = []chapter{
	{12, "", "", one("up", (*life).up)},
	{4, "", "", one("refresh", (*life).refresh)},
	{3, "", "", one("destroy", (*life).destroy)},
	{3, "", "", one("the provider is started again", (*life).restart)},
	{3, "", "", one("up, and its state is lost", (*life).upLost)},
	{2, "", "", one("the credentials are renewed, those of the last run have expired", (*life).renew)},
	{2, "", "", one("preview, up and refresh while the cluster cannot be reached", (*life).unreachable)},

	{5, "", "", says("value", 3, func(p *wanted, n int) { p.value = n })},
	{3, "", "", says("secret", 3, func(p *wanted, n int) { p.secret = n })},
	{2, "", "", says("for the field that may be ignored", 3, func(p *wanted, n int) { p.ignorable = n })},
	{1, "Deployment", "", says("selector", 2, func(p *wanted, n int) { p.selector = n })},
	{2, "", "", switches("sets a label", func(p *wanted) *bool { return &p.label })},
	{2, "", "", switches("sets an annotation", func(p *wanted) *bool { return &p.annotation })},
	{2, "", "", switches("has an extra entry", func(p *wanted) *bool { return &p.extra })},
	{2, "", "", switches("ignores a field", func(p *wanted) *bool { return &p.ignored })},
	{1, "", "D48", switches("ignores the annotation", func(p *wanted) *bool { return &p.ignoresAnnotation })},
	{2, "Deployment", "", switches("says 1 instead of 1000m", func(p *wanted) *bool { return &p.whole })},
	{2, "Deployment", "D6", switches("turns the order of env around", func(p *wanted) *bool { return &p.swapped })},
	{2, "Deployment", "Recreate", switches("has the strategy Recreate", func(p *wanted) *bool { return &p.recreate })},
	{1, "ConfigMap", "", switches("makes the object immutable", func(p *wanted) *bool { return &p.frozen })},
	{1, "", "", switches("is invalid", func(p *wanted) *bool { return &p.invalid })},
	{3, "", "", func(random *rand.Rand) step {
		n := random.IntN(4)
		return step{fmt.Sprintf("the program is again what it was %d ups ago", n+1), func(l *life) error {
			if len(l.accepted) > n {
				l.wants = l.accepted[len(l.accepted)-1-n]
			}
			return nil
		}}
	}},

	{3, "", "", one("a user changes our value", func(l *life) error {
		if l.kind == "ConfigMap" {
			return l.edit(types.MergePatchType, `{"data": {"a": "theirs", "b": "theirs"}}`)
		}
		return l.edit(types.JSONPatchType, `[{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "nginx:theirs"},
			{"op": "replace", "path": "/spec/replicas", "value": 9}]`)
	})},
	{2, "", "", one("a user sets the label", func(l *life) error {
		return l.edit(types.MergePatchType, `{"metadata": {"labels": {"tier": "theirs"}}}`)
	})},
	{1, "", "", one("a user removes label and annotation", func(l *life) error {
		return l.edit(types.MergePatchType, `{"metadata": {"labels": {"tier": null}, "annotations": {"note": null}}}`)
	})},
	{2, "", "", one("a user adds their own", func(l *life) error {
		return l.edit(types.MergePatchType, `{"metadata": {"labels": {"theirs": "x"}, "annotations": {"theirs": "x"}}}`)
	})},
	{1, "Deployment", "", one("a user adds a variable", func(l *life) error {
		return l.edit(types.JSONPatchType, `[{"op": "add", "path": "/spec/template/spec/containers/0/env/0", "value": {"name": "THEIRS", "value": "x"}}]`)
	})},
	{2, "", "", one("another manager takes fields by force, with other values", func(l *life) error {
		if l.kind == "ConfigMap" {
			return l.edit(types.ApplyPatchType, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "it", "labels": {"tier": "taken"}},
				"data": {"a": "taken", "extra": "taken"}}`)
		}
		return l.edit(types.ApplyPatchType, `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "it", "labels": {"tier": "taken"}},
			"spec": {"replicas": 7}}`)
	})},
	{2, "", "D32", one("another manager applies the same values", func(l *life) error {
		return l.edit(types.ApplyPatchType, fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata":
			{"name": "it", "labels": {"tier": "web"}, "annotations": {"note": "ours"}}}`,
			map[string]string{"ConfigMap": "v1", "Deployment": "apps/v1"}[l.kind], l.kind))
	})},
	{2, "", "", one("a user deletes the object", (*life).remove)},
	{1, "", "", one("a user deletes the object and makes it again", (*life).remake)},

	{8, "", "", func(random *rand.Rand) step {
		f := writeFaults[random.IntN(len(writeFaults))]
		return step{"the next write: " + f.what, func(l *life) error {
			l.fault(f.do)
			return nil
		}}
	}},
}

// writeFaults is what happens to a write.
var writeFaults = []struct {
	what string
	do   func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder)
}{
	{"its reply is lost", loseReply},
	{"it is lost", loseRequest},
	{"half of its reply is lost", halveReply},
	{"a policy refuses it", refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "not on Fridays")},
	{"500", refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, "etcd")},
	{"429", refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "slowly")},
}

// isWrite matches what changes something.
func isWrite(r *http.Request) bool {
	return r.Method != http.MethodGet && !strings.Contains(r.URL.RawQuery, "dryRun=All")
}

// edit is what another user does to the object, if it is there and the API server allows it.
func (l *life) edit(kind types.PatchType, patch string) error {
	options := metav1.PatchOptions{FieldManager: "somebody"}
	if kind == types.ApplyPatchType {
		force := true
		options = metav1.PatchOptions{FieldManager: "taker", Force: &force}
		if l.live() == nil {
			return nil
		}
	}
	_, err := l.world.objects(l.kind).Patch(l.t.Context(), "it", kind, []byte(patch), options)
	l.book.count(fmt.Sprintf("drift, refused: %t", err != nil))
	return nil
}

func (l *life) remove() error {
	if l.live() != nil {
		l.world.delete(l.kind, "it")
	}
	return nil
}

// remake has another user delete the object and make one that is like it.
func (l *life) remake() error {
	live := l.live()
	if live == nil {
		return nil
	}
	l.world.delete(l.kind, "it")
	copied := &unstructured.Unstructured{Object: m{"apiVersion": live.GetAPIVersion(), "kind": live.GetKind()}}
	copied.SetName("it")
	copied.SetLabels(live.GetLabels())
	copied.SetAnnotations(live.GetAnnotations())
	for _, part := range []string{"data", "immutable", "spec"} {
		if v, ok := live.Object[part]; ok {
			copied.Object[part] = v
		}
	}
	l.world.create(copied.Object)
	return nil
}
