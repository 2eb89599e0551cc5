package rpc_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apiquantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The laws of a life.
const (
	noDeadEnd = "no dead end: once nothing fails any more, an up of a valid program, a refresh and a destroy succeed"
	sameUID   = "no object is replaced unless the preview and the up say so"
	keptApart = "what others set, what nobody owns and what is ignored does not change"
	hidden    = "nobody can read a secret"
	asWanted  = "after an up the object has what the program says, and there is nothing left to do"
	foreseen  = "an up does what the preview says, and a preview writes nothing"
	notBlind  = "a preview and an up fail where the cluster cannot be read"
)

// life is one object of a program, from its first up to its destroy.
type life struct {
	t     *testing.T
	book  *lifeBook
	world world
	kind  string
	// gateway leads the provider to the cluster.
	gateway *gateway
	s       *session
	manager string

	// imported is whether the object was imported, which cannot know what the program calls secret.
	imported bool

	wants wanted
	// accepted are the programs of the ups that succeeded.
	accepted []wanted
}

func newLife(t *testing.T, book *lifeBook, kind string) *life {
	t.Helper()
	g := newGatewayOf(t, book.user)
	return &life{
		t: t, book: book, world: newWorld(t), kind: kind, gateway: g,
		s: start(t, g.connection()).resource(t, "it"),
	}
}

// story makes the steps, and ends the life well.
func (l *life) story(steps []step) *failure {
	l.book.count("stories of a " + l.kind)
	began := step{"the first up", (*life).up}
	ends := []step{{"heal", (*life).heal}, {"the last up", (*life).up}, {"the last destroy", (*life).destroy}, {"look for secrets", (*life).hides}}
	for _, s := range slices.Concat([]step{began}, steps, ends) {
		err := s.do(l)
		var broken *failure
		if errors.As(err, &broken) {
			return &failure{broken.step, fmt.Errorf("%s: %w", s.what, broken.err)}
		}
		require.NoError(l.t, err)
	}
	return nil
}

// heal ends everything that fails, and what is wrong with the program.
func (l *life) heal() error {
	l.gateway.heal()
	l.wants.invalid = false
	return nil
}

func (l *life) hides() error {
	if readable := l.s.where(hush); len(readable) > 0 && !l.imported {
		return law(hidden, "%q is readable in %q", hush, readable)
	}
	return nil
}

func law(law, format string, args ...any) error { return &failure{law, fmt.Errorf(format, args...)} }

func breaksLaw(err error) bool {
	var broken *failure
	return errors.As(err, &broken)
}

func (l *life) inputs() resource.PropertyMap { return l.wants.inputs(l.kind, l.world.namespace) }

// live is the object, or nil.
func (l *life) live() *unstructured.Unstructured {
	l.t.Helper()
	live, err := l.world.objects(l.kind).Get(l.t.Context(), "it", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(l.t, err)
	return live
}

func (l *life) fault(do func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder)) {
	l.gateway.next(isWrite, do)
}

// isFaulty reports whether a fault waits for its request.
func (l *life) isFaulty() bool {
	l.gateway.mu.Lock()
	defer l.gateway.mu.Unlock()
	return len(l.gateway.faults) > 0
}

// up is a preview and an up.
func (l *life) up() error {
	in := l.inputs()
	before := l.live()
	said, _, sayErr := l.s.preview(in)
	if now := l.live(); versionOf(now) != versionOf(before) {
		return law(foreseen, "the preview has changed the object")
	}
	faulty := l.isFaulty()
	did, err := l.apply(in, before)
	l.book.count(fmt.Sprintf("up: %s, faulty: %t, failed: %t", did, faulty, err != nil))
	switch {
	case breaksLaw(err):
		return err
	case faulty && err != nil:
		return nil
	case sayErr == nil && err == nil && said != did:
		return law(foreseen, "the preview said %q, and the up did %q", said, did)
	case sayErr == nil && err != nil:
		return law(foreseen, "the preview said %q, and the up failed to %s: %w", said, did, err)
	case sayErr != nil && err == nil:
		return law(foreseen, "the up did %q, and the preview had failed: %w", did, sayErr)
	case err != nil && l.wants.invalid:
		return nil
	case err != nil:
		return l.wayOut(err)
	}
	return l.settled(in)
}

// apply is an up that may fail, and what holds then, too.
func (l *life) apply(in resource.PropertyMap, before *unstructured.Unstructured) (did string, err error) {
	did, err = l.s.up(in)
	replaced := did == "replace" || did == "delete" // which is the first half of it
	after := l.live()
	if before == nil || after == nil {
		if before != nil && !replaced {
			return did, law(sameUID, "the up did %q, and the object is gone", did)
		}
		return did, err
	}
	if before.GetUID() != after.GetUID() {
		if !replaced {
			return did, law(sameUID, "the up did %q, and it is another object", did)
		}
		return did, err
	}
	if broken := l.apart(before, after); broken != nil {
		return did, broken
	}
	return did, err
}

// settled holds after an up that succeeded.
func (l *life) settled(in resource.PropertyMap) error {
	l.accepted = append(l.accepted, l.wants)
	live := l.live()
	if live == nil {
		return law(asWanted, "there is no object")
	}
	manifest, _ := plain(in["manifest"]).(m)
	if l.wants.ignored {
		unstructured.RemoveNestedField(manifest, ignorable[l.kind]...)
	}
	if l.wants.ignoresAnnotation {
		unstructured.RemoveNestedField(manifest, "metadata", "annotations", "note")
	}
	if err := lacks(manifest, live.Object, ""); err != nil {
		return law(asWanted, "the live object differs from the program: %w", err)
	}
	if left := l.leftBehind(live); left != "" {
		return law(asWanted, "%s is not in the program any more, belongs to nobody else, and is still there", left)
	}
	if did, _, err := l.s.preview(in); did != "same" || err != nil {
		diff, _ := l.s.diff(in)
		return law(asWanted, "the next preview says %q: %v, %v", did, diff.DetailedDiff, err)
	}
	return nil
}

// wayOut does what the message of an up that failed says, until an up succeeds.
func (l *life) wayOut(failed error) error {
	for {
		if err := l.follow(failed); err != nil {
			return err
		}
		in := l.inputs()
		if _, failed = l.apply(in, l.live()); failed == nil {
			return l.settled(in)
		} else if breaksLaw(failed) {
			return failed
		}
	}
}

// follow does what a message says. What was done already does not help a second time.
func (l *life) follow(failed error) error {
	text := failed.Error()
	switch _, line, offered := strings.Cut(text, "pulumi import"); {
	case offered && l.s.id == "" && !l.imported:
		l.book.count("way out: import")
		l.imported = true
		if err := l.s.importID(strings.Split(line, "'")[1]); err != nil {
			return law(noDeadEnd, "%s\nThe import that it tells of fails: %w", text, err)
		}
	case strings.Contains(text, "adopt: true") && !l.wants.adopt:
		l.book.count("way out: adopt")
		l.wants.adopt = true
	case l.live() != nil && (strings.Contains(text, "delete the object by hand") || strings.Contains(text, "delete it by hand")):
		l.book.count("way out: delete by hand")
		return l.remove()
	default:
		return &failure{noDeadEnd, failed}
	}
	return nil
}

func (l *life) refresh() error {
	if l.s.id == "" {
		return nil
	}
	before := versionOf(l.live())
	err := l.s.readBy(l.s.beforeProgram(), false)
	if versionOf(l.live()) != before {
		return law(foreseen, "the refresh has changed the object")
	}
	if err != nil {
		return law(noDeadEnd, "the refresh fails: %w", err)
	}
	return nil
}

func (l *life) destroy() error {
	if l.s.lastRun != nil {
		return nil // the credentials that a destroy would use have expired
	}
	faulty, uid := l.isFaulty(), at(l.t, l.s.outputs, "resourceRef.uid")
	err := l.s.destroy()
	switch live := l.live(); {
	case err != nil && !faulty:
		return law(noDeadEnd, "the destroy fails: %w", err)
	case err == nil && live != nil && string(live.GetUID()) == uid:
		return law(asWanted, "the destroy succeeds, and the object is still there")
	}
	return nil
}

func (l *life) restart() error {
	if l.s.lastRun == nil {
		l.s.in(start(l.t, l.gateway.connection()))
	}
	return nil
}

// upLost is an up after which the state is as it was before: the engine was killed, or could not save it.
func (l *life) upLost() error {
	if l.s.lastRun != nil {
		return nil
	}
	saved, ignored := l.s.stored, l.s.ignored
	did, err := l.apply(l.inputs(), l.live())
	l.book.count("lost up: " + did)
	if breaksLaw(err) {
		return err
	}
	l.s.in(start(l.t, l.gateway.connection()))
	l.s.stored, l.s.ignored = saved, ignored
	return nil
}

// renew gives the program other credentials, after those of the last run have expired.
func (l *life) renew() error {
	if l.s.lastRun != nil {
		return nil
	}
	expired := l.gateway
	expired.heal()
	l.gateway = newGatewayOf(l.t, l.book.user)
	l.s.reconfigured(start(l.t, l.gateway.connection()))
	expired.always(anything, refuse(http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "expired"))
	return nil
}

func (l *life) unreachable() error {
	if l.s.lastRun != nil {
		return nil
	}
	l.gateway.heal()
	l.gateway.always(anything, refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "down"))
	defer l.gateway.heal()
	if did, _, err := l.s.preview(l.inputs()); err == nil {
		return law(notBlind, "the preview says %q", did)
	}
	if did, err := l.s.up(l.inputs()); err == nil {
		return law(notBlind, "the up does %q", did)
	}
	return l.refresh()
}

func versionOf(live *unstructured.Unstructured) string {
	if live == nil {
		return ""
	}
	return live.GetResourceVersion()
}

// lacks compares what is wanted with what is live. Of lists, the wanted items have to be there in the wanted order.
func lacks(wanted, live any, path string) error {
	switch wanted := wanted.(type) {
	case m:
		object, _ := live.(m)
		for key, value := range wanted {
			if err := lacks(value, object[key], path+"."+key); err != nil {
				return err
			}
		}
		return nil
	case []any:
		items, _ := live.([]any)
		last := -1
		for _, item := range wanted {
			name := item.(m)["name"]
			at := slices.IndexFunc(items, func(i any) bool { return i.(m)["name"] == name })
			if at <= last {
				return fmt.Errorf("%s: %v is at %d, and what is before it in the program at %d", path, name, at, last)
			}
			last = at
			if err := lacks(item, items[at], fmt.Sprintf("%s[%s]", path, name)); err != nil {
				return err
			}
		}
		return nil
	}
	if strings.HasSuffix(path, ".cpu") {
		a, errA := apiquantity.ParseQuantity(fmt.Sprint(wanted))
		b, errB := apiquantity.ParseQuantity(fmt.Sprint(live))
		if errA == nil && errB == nil && a.Cmp(b) == 0 {
			return nil
		}
	}
	if asJSON(wanted) != asJSON(live) {
		return fmt.Errorf("%s is %s and not %s", path, asJSON(live), asJSON(wanted))
	}
	return nil
}

// entries are the parts of an object that a program may or may not say, and others may add to, by their path.
func (l *life) entries(live map[string]any) map[string]any {
	entries := map[string]any{}
	for _, at := range [][]string{{"metadata", "labels"}, {"metadata", "annotations"}, {"data"}} {
		values, _, _ := unstructured.NestedMap(live, at...)
		for key, value := range values {
			entries[strings.Join(append(slices.Clone(at), key), "/")] = value
		}
	}
	containers, _, _ := unstructured.NestedSlice(live, "spec", "template", "spec", "containers")
	if len(containers) > 0 {
		env, _ := containers[0].(m)["env"].([]any)
		for _, item := range env {
			entries["env/"+fmt.Sprint(item.(m)["name"])] = item.(m)["value"]
		}
	}
	return entries
}

// owners are the managers of an entry, whether it is ours is told apart.
func (l *life) owners(live *unstructured.Unstructured, entry string) (ours, others bool) {
	if l.manager == "" {
		l.manager, _ = at(l.t, l.s.outputs, "__fieldManager").(string)
	}
	parts := strings.Split(entry, "/")
	steps := []string{"f:spec", "f:template", "f:spec", "f:containers", `k:{"name":"web"}`, "f:env", fmt.Sprintf(`k:{"name":%q}`, parts[1])}
	if parts[0] != "env" {
		steps = make([]string, len(parts))
		for i, part := range parts {
			steps[i] = "f:" + part
		}
	}
	managers, _, err := unstructured.NestedSlice(live.Object, "metadata", "managedFields")
	require.NoError(l.t, err)
	for _, manager := range managers {
		fields, _ := manager.(m)["fieldsV1"].(m)
		if _, owns, _ := unstructured.NestedFieldNoCopy(fields, steps...); !owns {
			continue
		}
		if manager.(m)["manager"] == l.manager {
			ours = true
		} else {
			others = true
		}
	}
	return ours, others
}

// leftBehind is an entry that only we own, and that the program does not say.
func (l *life) leftBehind(live *unstructured.Unstructured) string {
	manifest, _ := plain(l.inputs()["manifest"]).(m)
	said := l.entries(manifest)
	for entry := range l.entries(live.Object) {
		if _, ok := said[entry]; ok {
			continue
		}
		if ours, others := l.owners(live, entry); ours && !others {
			return entry
		}
	}
	return ""
}

// apart compares what is not ours, or is ignored, before and after a command that has kept the object.
func (l *life) apart(before, after *unstructured.Unstructured) error {
	manifest, _ := plain(l.inputs()["manifest"]).(m)
	said, now := l.entries(manifest), l.entries(after.Object)
	for entry, value := range l.entries(before.Object) {
		_, sets := said[entry]
		ours, _ := l.owners(before, entry)
		if !sets && !ours && asJSON(now[entry]) != asJSON(value) {
			return law(keptApart, "%s was %s and is %s", entry, asJSON(value), asJSON(now[entry]))
		}
	}
	if l.wants.ignored {
		path := ignorable[l.kind]
		was, _, _ := unstructured.NestedFieldNoCopy(before.Object, path...)
		is, _, _ := unstructured.NestedFieldNoCopy(after.Object, path...)
		if asJSON(was) != asJSON(is) {
			return law(keptApart, "%s is ignored, was %s and is %s", strings.Join(path, "."), asJSON(was), asJSON(is))
		}
	}
	return nil
}
