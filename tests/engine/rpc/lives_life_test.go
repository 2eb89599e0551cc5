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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// cast is what a life is about: the kind of the object, and that of the object of others that the Patch changes.
type cast struct{ object, target string }

func (c cast) String() string { return fmt.Sprintf("a %s, and a Patch of a %s", c.object, c.target) }

// life is one stack, from its first up to its destroy: an object, a Patch of an object of others, and a Wait on one of them.
type life struct {
	t     *testing.T
	book  *lifeBook
	world world
	cast
	// gateway leads the provider to the cluster.
	gateway *gateway

	object, patch, wait *part
	// parts are in the order in which the engine makes them.
	parts []*part
	// running is the operation that runs, or the last one.
	running *engineOperation
	// bakery is another stack, which wants the same object.
	bakery *bakery

	trouble

	// imported is whether the object was imported, which cannot know what the program calls secret.
	imported bool

	// withdrawn is what others have taken back because a message says so.
	withdrawn string

	wants wanted
	// accepted are the programs of the ups that succeeded.
	accepted []wanted
}

func newLife(t *testing.T, book *lifeBook, cast cast) *life {
	t.Helper()
	g := newGatewayOf(t, book.user)
	l := &life{t: t, book: book, world: newWorld(t), cast: cast, gateway: g}
	p := start(t, g.connection())
	l.object = &part{
		session: p.resource(t, "it"), what: "KubeObject", shows: "manifest", dependsOn: func() *part { return nil },
		wants: func(resource.PropertyMap) resource.PropertyMap {
			return l.wants.inputs(l.cast.object, l.world.namespace)
		},
		mayFail: l.isTroubled,
		settled: l.objectSettled,
	}
	l.patch = l.newPatch(p)
	l.wait = l.newWait(p)
	l.parts = []*part{l.object, l.patch, l.wait}
	l.bakery = newBakery(l)
	l.makeTarget()
	return l
}

// story makes the steps, and ends the life well.
func (l *life) story(steps []step) *failure {
	l.book.count("stories of " + l.cast.String())
	ends := []step{
		{"heal", (*life).heal}, {"the last up", (*life).up}, {"the last destroy", (*life).destroy},
		{"the bakery's last destroy", (*life).bakeryDestroys}, {"look for secrets", (*life).hides},
	}
	for _, s := range slices.Concat(steps, ends) {
		l.book.count("steps")
		err := s.do(l)
		if broken, ok := errors.AsType[*failure](err); ok {
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
	return l.endTroubles()
}

func (l *life) hides() error {
	for _, p := range l.parts {
		if readable := p.where(hush); len(readable) > 0 && !(l.imported && p == l.object) {
			return law(hidden, "%s: %q is readable in %q", p.what, hush, readable)
		}
	}
	return nil
}

// look is the object, or nil.
func (l *life) live() *unstructured.Unstructured { return l.find(l.cast.object, "it") }

func (l *life) find(kind, name string) *unstructured.Unstructured {
	l.t.Helper()
	if l.homeless {
		return nil
	}
	live, err := l.world.objects(kind).Get(l.t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(l.t, err)
	return live
}

// faultAfter lets a fault happen to a write, after some others have passed.
func (l *life) faultAfter(others int, do func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder)) {
	for range others {
		l.gateway.next(isWrite, pass)
	}
	l.gateway.next(isWrite, do)
}

// isFaulty reports whether a fault waits for its request.
func (l *life) isFaulty() bool {
	l.gateway.mu.Lock()
	defer l.gateway.mu.Unlock()
	return len(l.gateway.faults) > 0
}

// isPending reports whether a write was not confirmed.
func (l *life) isPending() bool { return at(l.t, l.object.outputs, "__pendingProjection") == true }

// us is this stack.
func (l *life) us() tenant {
	in := l.wants.inputs(l.cast.object, l.world.namespace)
	manifest, _ := plain(in["manifest"]).(m)
	managers := []string{managerFor("k8sconnect-", l.object.urn)}
	if known, ok := at(l.t, l.object.outputs, "__fieldManager").(string); ok && known != managers[0] {
		managers = append(managers, known)
	}
	applied, _ := plain(l.object.outputs["manifest"]).(m)
	return tenant{
		managers: managers, manifest: manifest, ignores: l.wants.ignores(l.cast.object), forgets: l.forgets(), takesOver: l.wants.takesOver(),
		applied: leavesIn(applied),
	}
}

// forgets tells what the program ignores from now on, after an update that was not confirmed and that nothing can read before
// the next one [D161]. What is inside a list that belongs to us as a whole is kept all the same.
func (l *life) forgets() func(path string) bool {
	before, _ := plain(l.object.inputs["ignoreFields"]).([]any)
	unread := l.isPending() && l.isReconfigured()
	return func(path string) bool {
		return unread && !strings.HasSuffix(path, ".tolerationSeconds") &&
			!slices.ContainsFunc(before, func(field any) bool { return strings.HasPrefix(path, "."+field.(string)) })
	}
}

// view is what is in the cluster.
type view struct{ object, target *unstructured.Unstructured }

func (l *life) view() view { return view{l.live(), l.theTarget()} }

func (v view) versions() string { return versionOf(v.object) + "/" + versionOf(v.target) }

// run runs a command of this stack, after which the laws hold that hold whether it succeeds or not.
func (l *life) run(command func() results) (results, view, error) { return l.runAs(l.us(), command) }

func (l *life) runAs(us tenant, command func() results) (results, view, error) {
	before := l.view()
	did := command()
	after := l.view()
	if err := l.apart(before.object, after.object, us); err != nil {
		return did, after, err
	}
	if err := l.targetApart(before.target, after.target); err != nil {
		return did, after, err
	}
	if err := did.read(); err != nil {
		return did, after, err
	}
	return did, after, l.keptUID(did[l.object].did, before.object, after.object)
}

// keptUID proves that the object is the same, or that it had to be replaced.
func (l *life) keptUID(did string, before, after *unstructured.Unstructured) error {
	replaced := did == "replace" || did == "delete" // which is the first half of it
	switch {
	case before == nil || uidOf(before) == uidOf(after):
		return nil
	case !replaced && after == nil:
		return law(sameUID, "the up did %q, and the object is gone", did)
	case !replaced:
		return law(sameUID, "the up did %q, and it is another object", did)
	case did == "replace" && !l.wants.mustReplace(before):
		return law(sameUID, "the up replaced an object that can be changed")
	}
	return nil
}

// managerFor is the field manager of a resource.
func managerFor(prefix string, urn resource.URN) string {
	readable := strings.Join([]string{string(urn.Project()), string(urn.Stack()), urn.Name()}, ".")
	return prefix + readable + "-" + hashOf(string(urn))[:8]
}
