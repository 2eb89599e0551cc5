package lives_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// life is the life of a stack. Its laws are in laws_*_test.go.
type life struct {
	*place
	companions
	rapid   *rapid.T
	world   string
	left    string // the world before, whose policies are gone
	twin    string // the namespace of the twins
	things  []*thing
	journal []string
	book    *book
	// whole says that the last up did all of the program, and that nothing of the state is unknown since.
	whole bool
	over  bool            // nothing more can be said of it
	bound map[string]bool // the claims that have a volume
}

// thing is an object of the program, and with it what a KubeObject says.
type thing struct {
	species
	resource, object string
	manifest         m
	ignores          []disregard
	policy           string // conflictPolicy
	adopt, retained  bool
	foreground       bool // deleted with what it has made
	takeOverFrom     []string
	former           string // the name of the resource before, for an alias

	// applied is what the last up that succeeded applied, nil if that is not known.
	applied *thing
	// plain says that it has never had an option of ours, and has a twin.
	plain bool
	// meddled says that somebody else has changed the object since.
	meddled bool
	// odd says that the twin is not comparable any more.
	odd bool
}

// disregard is an entry of ignoreFields with the place that it is about.
type disregard struct {
	place    path
	spelling string
}

// violation is a law that is broken.
type violation struct {
	law, text string
	thing     *thing // that it is about, if it is about one
	before    *unstructured.Unstructured
}

func (l *life) note(format string, args ...any) {
	l.journal = append(l.journal, fmt.Sprintf("%2d. %s", len(l.journal)+1, fmt.Sprintf(format, args...)))
}

// breaks reports a broken law, which ends the life: what follows would follow from it.
func (l *life) breaks(v violation) {
	l.over = true
	l.Helper()
	l.rapid.Fatalf("world %s\n%s\n\nbreaks the law: %s\n%s\n", l.world, strings.Join(l.journal, "\n"), v.law, v.text)
}

// live begins and lives a life.
func live(t *rapid.T, b *book) {
	world := pick(t, "world", slices.Concat([]string{"plain", "plain", "plain"}, slices.Sorted(maps.Keys(worlds))))
	l := &life{place: newPlace(t, world), rapid: t, world: world, book: b, bound: map[string]bool{}}
	l.twin = newNamespace(t, l.cluster, world)
	for i := range rapid.IntRange(1, 2).Draw(t, "things") {
		l.things = append(l.things, l.born(i))
	}
	l.accompany()
	defer l.sweep()
	defer b.timed(time.Now(), l)
	l.operate(operation{kind: engine.Up, about: "up"})
	for i := 0; i < rapid.IntRange(1, 6).Draw(t, "steps") && !l.over; i++ {
		l.step()
	}
	if !l.over {
		l.end()
	}
}

// born makes a thing.
func (l *life) born(i int) *thing {
	s := pick(l.rapid, "kind", l.fitting())
	th := &thing{species: s, resource: fmt.Sprintf("r%d", i), object: fmt.Sprintf("o%d", i), plain: true}
	if unscoped[s.kind()] {
		th.object = l.namespace + "-" + th.object
	}
	th.manifest = s.born(th.object)
	for range rapid.IntRange(0, 3).Draw(l.rapid, "details") {
		l.change(th)
	}
	if len(s.ignorable) > 0 && rapid.Bool().Draw(l.rapid, "ignores") {
		th.ignore(l.rapid)
	}
	if rapid.IntRange(0, 4).Draw(l.rapid, "retained") == 0 {
		th.retained = true
	}
	if rapid.IntRange(0, 9).Draw(l.rapid, "conflictPolicy") == 0 {
		th.policy, th.plain = "fail", false
	}
	if rapid.IntRange(0, 7).Draw(l.rapid, "exists") == 0 && !unscoped[s.kind()] && !th.bound {
		l.exists(th)
	}
	// The garbage collector notices a new custom kind only after half a minute.
	th.foreground = rapid.IntRange(0, 9).Draw(l.rapid, "foreground") == 0 && resources[s.kind()].Group != "lives.example.com"
	l.note("%s %s: %s %s", th.name, th.object, asJSON(th.manifest), th.options())
	return th
}

// pick draws one of several. What a failure prints of it is its number.
func pick[T any](t *rapid.T, what string, from []T) T {
	return from[rapid.IntRange(0, len(from)-1).Draw(t, what)]
}

// exists has somebody else make the object, and the program adopt it.
func (l *life) exists(th *thing) {
	manager := pick(l.rapid, "maker", []string{"kubectl", neighbour})
	body := merge(folded(th.born(th.object)), m{"metadata": m{"namespace": l.namespace}})
	if _, err := client(th.kind(), l.namespace).Apply(l.Context(), th.object, &unstructured.Unstructured{Object: body},
		metav1.ApplyOptions{FieldManager: manager}); err != nil {
		l.rapid.Fatal(err)
	}
	th.adopt, th.plain = true, false
	if rapid.Bool().Draw(l.rapid, "takes over") {
		th.takeOverFrom = []string{manager}
	}
	l.note("%s makes %s, and the program adopts it", manager, th.object)
}

// fitting are the species, those that the world is about more often.
func (l *life) fitting() []species {
	result := slices.Clone(allSpecies)
	about := worlds[l.world].resources
	for _, s := range allSpecies {
		resource := resources[s.kind()]
		if strings.Contains(about[resource.Group], resource.Resource) {
			result = append(result, s, s, s)
		}
		if slices.Contains([]string{"Secret", "Service", "Job", "Pod"}, s.name) { // what others do to them matters most
			result = append(result, s, s)
		}
	}
	return result
}

func (th *thing) ignore(t *rapid.T) {
	place := pick(t, "ignored", th.ignorable)
	spelling := pick(t, "spelling", place.spellings)
	th.plain = false
	for _, have := range th.ignores {
		if have.spelling == spelling {
			return
		}
	}
	for covered := range strings.FieldsSeq(place.path) {
		th.ignores = append(slices.Clone(th.ignores), disregard{at(covered), spelling})
		if strings.Contains(spelling, "[*]") {
			th.ignores = append(th.ignores, disregard{at(strings.Replace(covered, "[name=main]", "[name=side]", 1)), spelling})
		}
	}
}

func (th *thing) options() string {
	text := ""
	for _, i := range th.ignores {
		text += " ignoring " + i.spelling
	}
	if th.retained {
		text += " retained"
	}
	if th.policy != "" {
		text += " conflictPolicy: " + th.policy
	}
	if th.adopt {
		text += " adopt"
	}
	if th.takeOverFrom != nil {
		text += " takeOverFrom " + strings.Join(th.takeOverFrom, ",")
	}
	return text
}

// declared is the resource of the program.
func (th *thing) declared() declared {
	d := object(th.resource, th.manifest)
	if len(th.ignores) > 0 {
		var paths []string
		for _, i := range th.ignores {
			if !slices.Contains(paths, i.spelling) {
				paths = append(paths, i.spelling)
			}
		}
		ignoring(paths...)(&d)
	}
	if th.policy != "" {
		d.inputs["conflictPolicy"] = th.policy
	}
	if th.adopt {
		d.inputs["adopt"] = true
	}
	if slices.Contains([]string{"Deployment", "StatefulSet", "Job", "Sized", "Plain"}, th.name) && !th.foreground {
		d.inputs["deletionPropagation"] = "Background" // which takes less time
	}
	if th.takeOverFrom != nil {
		d.inputs["takeOverFrom"] = anys(th.takeOverFrom)
	}
	if th.retained {
		retained(&d)
	}
	if th.former != "" {
		d.options.AliasURNs = append(d.options.AliasURNs, urn(d.token, th.former))
	}
	return d
}

func anys(texts []string) []any {
	result := make([]any, len(texts))
	for i, text := range texts {
		result[i] = text
	}
	return result
}

// step changes something, and runs an operation.
func (l *life) step() {
	th := pick(l.rapid, "thing", l.things)
	if rapid.IntRange(0, 1).Draw(l.rapid, "meddle") == 1 {
		l.meddle(th)
	}
	switch rapid.IntRange(0, 11).Draw(l.rapid, "change") {
	case 0, 1, 2, 3, 4, 5:
		l.change(th)
	case 6:
		if len(th.ignorable) > 0 {
			th.ignore(l.rapid)
			l.note("the program: %s%s", th.object, th.options())
		}
	case 7:
		th.ignores = nil
		l.note("the program: %s ignores nothing", th.object)
	case 8:
		th.retained = !th.retained
		l.note("the program: %s is retained: %t", th.object, th.retained)
	case 9:
		th.former, th.resource = th.resource, th.resource+"x"
		l.note("the program: resource %s is called %s", th.former, th.resource)
		if rapid.IntRange(0, 3).Draw(l.rapid, "without alias") == 0 {
			th.former = ""
			l.note("and has no alias")
		}
	case 10, 11:
		if l.world != "plain" && rapid.Bool().Draw(l.rapid, "leave") {
			l.note("the policies of the world are gone")
			l.leave()
			l.left, l.world = l.world, "plain"
			l.twin = ""
		}
	}
	l.alter()
	l.operate(l.draw())
}

// change changes what the program says of a thing.
func (l *life) change(th *thing) {
	if len(th.changes) == 0 {
		return
	}
	e := pick(l.rapid, "edit", th.changes)
	value := pick(l.rapid, "value", e.values)
	th.manifest = e.make(th.manifest, value)
	l.note("the program: %s %s", th.object, e.says(value))
}

// meddle has somebody else change the object, and its twin.
func (l *life) meddle(th *thing) {
	if len(th.meddling) == 0 {
		return
	}
	if rapid.IntRange(0, 14).Draw(l.rapid, "deletes") == 0 && !th.bound && !unscoped[th.kind()] {
		l.note("a neighbour deletes %s", th.object)
		th.meddled = true
		for _, namespace := range []string{l.namespace, l.twin} {
			l.erase(namespace, th.kind(), th.object)
		}
		return
	}
	th.meddled = true
	edits := []edit{pick(l.rapid, "meddling", th.aboutIgnored(l.rapid))}
	if th.name == "Job" && rapid.Bool().Draw(l.rapid, "admits") {
		edits = []edit{admission, {"spec.suspend", values(false)}}
	}
	for _, e := range edits {
		value := pick(l.rapid, "theirs", e.values)
		done := l.meddleIn(l.namespace, th, e, value)
		l.note("a neighbour: %s %s (%s)", th.object, e.says(value), done)
		if l.twin != "" && th.plain && !th.odd {
			if other := l.meddleIn(l.twin, th, e, value); (other == "done") != (done == "done") {
				th.odd = true
			}
		}
	}
}

// aboutIgnored are what others do, often only that which is about what the program ignores.
func (th *thing) aboutIgnored(t *rapid.T) []edit {
	about := slices.DeleteFunc(slices.Clone(th.meddling), func(e edit) bool { return !th.ignoresPlace(at(e.path)) })
	if len(about) == 0 || rapid.Bool().Draw(t, "anything") {
		return th.meddling
	}
	return about
}

func (l *life) meddleIn(namespace string, th *thing, e edit, value any) string {
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error { // controllers write it, too
		found, err := client(th.kind(), namespace).Get(l.Context(), th.object, metav1.GetOptions{})
		if err != nil {
			return err
		}
		found.Object = e.make(found.Object, value)
		_, err = client(th.kind(), namespace).Update(l.Context(), found, metav1.UpdateOptions{FieldManager: neighbour})
		return err
	})
	if err != nil {
		return "refused: " + err.Error()
	}
	return "done"
}

// erase deletes an object, and waits until it is gone.
func (l *life) erase(namespace, kind, name string) {
	if namespace == "" {
		return
	}
	background := metav1.DeletePropagationBackground
	_ = client(kind, namespace).Delete(l.Context(), name, metav1.DeleteOptions{PropagationPolicy: &background})
	l.eventually("a deleted object is gone", func() bool { return liveIn(l, namespace, kind, name) == nil })
}

// sweep removes what is in no namespace.
func (l *life) sweep() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for _, th := range l.things {
		if unscoped[th.kind()] {
			_ = client(th.kind(), "").Delete(ctx, th.object, metav1.DeleteOptions{})
		}
		if th.bound {
			_ = client("PersistentVolume", "").Delete(ctx, l.namespace+"-"+th.object, metav1.DeleteOptions{})
		}
	}
}
