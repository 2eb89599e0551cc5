package e2e

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// fault is something that goes wrong after the API server has done what it was asked to do and
// before the state knows of it.
type fault struct {
	name string
	// befall runs an up in which it happens to the reply that match is true for.
	befall func(t *testing.T, s *stack, proxy *faulty, match func(*http.Request) bool) result
	// code is the exit code of that up: -1 is a process that was killed, 0 any failure.
	code int
	// says is what it prints.
	says string
	// pending says that the state knows of the write; else it is as it was before.
	pending bool
	// interrupted says that the engine notes the operation as one that it was interrupted in.
	interrupted bool
	// perhaps says that it is either of the two: the engine may have waited for the answer or not.
	perhaps bool
	// variants are those of betweens that are tried beside the two that all are.
	variants []string
	// repair is what the user has to do before the next command; nil is nothing.
	repair func(t *testing.T, s *stack)
}

const inPlace = "the next `pulumi up` continues in place"

// What is done between the up that failed and the next one.
const (
	nothing   = "by the next up"
	refreshed = "after a refresh [O73]"
	blind     = "after a refresh that cannot read [O74]"
	unread    = "without the read before the next up"
)

var faults = []fault{
	{
		name: "the reply is lost [O70]", code: 1, says: inPlace, pending: true, variants: []string{blind, unread},
		befall: func(t *testing.T, s *stack, proxy *faulty, match func(*http.Request) bool) result {
			proxy.strike(match, lose)
			return failed(t, s.startUp(t).wait(t))
		},
	},
	{
		name: "the provider is killed [O71]", code: 1, says: "exited prematurely", variants: []string{unread},
		befall: func(t *testing.T, s *stack, proxy *faulty, match func(*http.Request) bool) result {
			up := upHeld(t, s, proxy, match)
			signalAll(t, up.providers(t), syscall.SIGKILL)
			return up.wait(t)
		},
	},
	{
		name: "the projection cannot be read [O72]", code: 1, says: inPlace, pending: true, variants: []string{blind, unread},
		befall: func(t *testing.T, s *stack, proxy *faulty, match func(*http.Request) bool) result {
			proxy.strike(match, garble)
			return failed(t, s.startUp(t).wait(t))
		},
	},
	{
		name: "^C [O76]", code: 1, says: inPlace, pending: true,
		befall: func(t *testing.T, s *stack, proxy *faulty, match func(*http.Request) bool) result {
			up := upHeld(t, s, proxy, match)
			up.signal(t, syscall.SIGINT)
			return failed(t, up.wait(t))
		},
	},
	{
		name: "^C twice [O76]", says: "terminating", perhaps: true,
		befall: func(t *testing.T, s *stack, proxy *faulty, match func(*http.Request) bool) result {
			up := upHeld(t, s, proxy, match)
			providers := up.providers(t)
			// A provider that stands still cannot answer the first before the second comes.
			signalAll(t, providers, syscall.SIGSTOP)
			up.signal(t, syscall.SIGINT)
			up.prints(t, "press ^C again")
			up.signal(t, syscall.SIGINT)
			up.prints(t, "terminating")
			signalAll(t, providers, syscall.SIGCONT)
			return failed(t, up.wait(t))
		},
	},
	{
		name: "the CLI is killed", code: -1, interrupted: true,
		befall: func(t *testing.T, s *stack, proxy *faulty, match func(*http.Request) bool) result {
			up := upHeld(t, s, proxy, match)
			s.kill(t, up)
			return up.wait(t)
		},
		repair: func(t *testing.T, s *stack) {
			assert.Contains(t, s.upFails(t), "`pulumi cancel`")
			s.run(t, "cancel", "--yes")
		},
	},
}

// startUp starts an update.
func (s *stack) startUp(t testing.TB) *command {
	t.Helper()
	return s.start(t, "up", "--yes", "--skip-preview")
}

// upHeld starts an update and returns when the API server has done what match is true for. The
// reply is held back.
func upHeld(t *testing.T, s *stack, proxy *faulty, match func(*http.Request) bool) *command {
	t.Helper()
	return commandHeld(t, s, proxy, match, "up")
}

// commandHeld is [upHeld] for another command that changes a stack.
func commandHeld(t *testing.T, s *stack, proxy *faulty, match func(*http.Request) bool, name string) *command {
	t.Helper()
	held, spoil := hold()
	proxy.strike(match, spoil)
	running := s.start(t, name, "--yes", "--skip-preview")
	select {
	case <-held:
	case <-time.After(patience):
		t.Fatalf("the request did not come: %v", running.wait(t))
	}
	return running
}

// betweens are what happens between the up that failed and the next one.
var betweens = map[string]func(t *testing.T, v victim, saved state){
	nothing: func(t *testing.T, v victim, saved state) {
		v.preview(t)
		assert.Equal(t, saved.pinned(), v.export(t).pinned(), "a preview saves nothing")
	},
	refreshed: func(t *testing.T, v victim, _ state) { v.refresh(t) },
	blind: func(t *testing.T, v victim, _ state) {
		for _, spoil := range []mishap{deny, garble} {
			v.proxy.strike(reads("first"), spoil)
			before := v.proxy.struck()
			v.refresh(t)
			require.Greater(t, v.proxy.struck(), before)
		}
		v.proxy.heal()
		first := v.export(t).get(t, "first")
		assert.True(t, first.pending(), "the repair is still to be made")
		assert.NotEmpty(t, first.InitErrors)
	},
	unread: func(*testing.T, victim, state) {},
}

// TestFaults has every fault happen to the create of an object, and then to an update of it.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, f := range faults {
		for _, between := range append(f.variants, nothing, refreshed) {
			t.Run(f.name+": continued in place "+between, func(t *testing.T) {
				t.Parallel()
				newVictim(t, between).story(t, f, betweens[between])
			})
		}
	}
}

// victim is a stack of two objects, of which the second depends on the first, behind a proxy.
type victim struct {
	*stack
	cluster *cluster.Cluster
	kube    *kube
	proxy   *faulty
	mark    cluster.AuditMark
	unread  bool // the engine does not read before a preview and an up
	space   string
	first   string // ID
	second  string
}

// newVictim makes one that is ready for what is going to be done between the failure and the next up.
func newVictim(t *testing.T, between string) victim {
	t.Helper()
	c := shared.Get(t)
	mark, err := c.AuditMark()
	require.NoError(t, err)
	v := victim{stack: newStack(t), cluster: c, kube: kubeOf(t, c), proxy: newFaulty(t, c), mark: mark, space: c.Namespace(t)}
	v.first, v.second = "v1/ConfigMap/"+v.space+"/first", "v1/ConfigMap/"+v.space+"/second"
	v.connectAs(t, v.proxy.User)
	if v.unread = between == unread; v.unread {
		v.config(t, "k8sconnect:driftDetection", "refresh")
	}
	return v
}

// declare declares the two objects; data is that of the first.
func (v victim) declare(t *testing.T, data string) {
	t.Helper()
	v.program(t, "resources:"+configMapResource("first", "first", v.space, data)+
		configMapResource("second", "second", v.space, `{of: "${first.resourceRef.revision}"}`))
}

func (v victim) story(t *testing.T, f fault, between func(*testing.T, victim, state)) {
	var uid types.UID
	var whole state
	step(t, "create", func(t *testing.T) {
		v.declare(t, `{a: "1", z: "1"}`)
		f, saved := v.befall(t, f)
		uid = v.kube.get(t, v.first).GetUID()
		v.kube.gone(t, v.second)
		assert.NotContains(t, saved.resources, "second")
		if !f.pending {
			assert.NotContains(t, saved.resources, "first")
		}
		between(t, v, saved)
		assert.Equal(t, f.interrupted, strings.Contains(v.up(t), "interrupted while creating"))
		whole = v.requireWhole(t, uid, map[string]any{"a": "1", "z": "1"})
		if f.interrupted {
			v.forgetNote(t, whole)
		}
	})
	step(t, "update", func(t *testing.T) {
		dependent := v.kube.get(t, v.second)
		v.declare(t, `{a: "2", b: "3"}`)
		f, saved := v.befall(t, f)
		assert.Equal(t, map[string]any{"a": "2", "b": "3"}, v.kube.value(t, v.first, "data"), "the API server did it")
		assert.Equal(t, dependent, v.kube.get(t, v.second))
		if !f.pending {
			assert.Equal(t, whole.pinned()["first"], saved.pinned()["first"])
		}
		between(t, v, saved)
		v.up(t)
		whole = v.requireWhole(t, uid, map[string]any{"a": "2", "b": "3"})
		assert.Empty(t, whole.operations, "a note of an update does not stay")

		// What the interrupted update has added is ours: it goes when the program drops it.
		v.declare(t, `{a: "2"}`)
		v.up(t)
		assert.Equal(t, map[string]any{"a": "2"}, v.kube.value(t, v.first, "data"))
		assert.Equal(t, uid, v.kube.get(t, v.first).GetUID())
	})
	requests := v.requests(t)
	assert.Len(t, requests.Where(func(r cluster.Request) bool {
		return isWriteOf(r, "first") && r.Code == http.StatusCreated
	}), 1)
	assert.Empty(t, requests.Where(func(r cluster.Request) bool { return strings.HasPrefix(r.Verb, "delete") }))
}

// befall has the fault happen to the write of the first object. It returns the state that this leads
// to, and the fault as it turned out.
func (v victim) befall(t *testing.T, f fault) (fault, state) {
	t.Helper()
	struck := v.proxy.struck()
	r := f.befall(t, v.stack, v.proxy, writes("first"))
	require.Equal(t, struck+1, v.proxy.struck())
	v.proxy.heal()
	if f.code != 0 {
		require.Equal(t, f.code, r.code, r)
	}
	assert.Contains(t, r.out, f.says)
	if f.repair != nil {
		f.repair(t, v.stack)
	}
	saved := v.export(t)
	if f.perhaps {
		f.pending = saved.resources["first"].pending()
		f.interrupted = !f.pending
	}
	if f.pending {
		first := saved.get(t, "first")
		assert.Equal(t, v.first, first.ID)
		assert.True(t, first.pending())
		assert.NotEmpty(t, first.InitErrors)
		assert.Equal(t, !v.unread, first.RefreshBeforeUpdate)
	}
	if f.interrupted {
		v.requireExported(t, saved)
		require.Len(t, saved.operations, 1)
		assert.Equal(t, "first", saved.operations[0].Resource.name())
	} else {
		assert.Empty(t, saved.operations)
	}
	return f, saved
}

// requireWhole wants the two objects of the program, the first of them still the one that it was,
// that the state agrees, and that there is nothing left to do. It returns the state.
func (v victim) requireWhole(t *testing.T, uid types.UID, data map[string]any) state {
	t.Helper()
	listed, err := v.cluster.Client().CoreV1().ConfigMaps(v.space).List(t.Context(),
		metav1.ListOptions{FieldSelector: "metadata.name!=kube-root-ca.crt"})
	require.NoError(t, err)
	require.Len(t, listed.Items, 2)
	live := v.kube.get(t, v.first)
	assert.Equal(t, uid, live.GetUID())
	assert.Equal(t, data, live.Object["data"])
	assert.Empty(t, live.GetLabels())
	assert.Empty(t, live.GetAnnotations())
	assert.Len(t, live.GetManagedFields(), 1, "nobody else has a field of it")

	saved := v.export(t)
	require.Len(t, saved.resources, 2)
	first := saved.get(t, "first")
	assert.Equal(t, v.first, first.ID)
	assert.Equal(t, string(uid), first.uid())
	assert.Equal(t, data, at(first.Outputs, "manifest", "data"))
	assert.Equal(t, at(first.Outputs, "resourceRef", "revision"), v.kube.value(t, v.second, "data", "of"))
	for _, r := range saved.resources {
		assert.False(t, r.pending())
		assert.Empty(t, r.InitErrors)
		assert.NotContains(t, r.Outputs, "__staleRead")
	}
	v.previewEmpty(t)
	return saved
}

// forgetNote is about the engine's own note of a create that it was interrupted in. It does not hinder,
// and stays until the engine is told to forget it.
func (v victim) forgetNote(t *testing.T, saved state) {
	t.Helper()
	assert.Len(t, saved.operations, 1)
	v.refresh(t, "--clear-pending-creates")
	assert.Empty(t, v.export(t).operations)
}

// requests are all requests about the ConfigMaps of the namespace.
func (v victim) requests(t *testing.T) cluster.Requests {
	t.Helper()
	requests, err := v.cluster.RequestsSince(v.mark)
	require.NoError(t, err)
	return requests.Where(func(r cluster.Request) bool {
		return strings.HasPrefix(r.Path(), "/api/v1/namespaces/"+v.space+"/configmaps")
	})
}

// isWriteOf reports whether a request changes an object with this name.
func isWriteOf(r cluster.Request, name string) bool {
	return r.Verb == "patch" && !strings.Contains(r.URI, "dryRun=") && strings.HasSuffix(r.Path(), "/"+name)
}

// A manifest that is only an identity owns no field by which the object could be recognised.
func TestLostReplyToABareObject(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, space, proxy, s := kubeOf(t, c), c.Namespace(t), newFaulty(t, c), newStack(t)
	id := "v1/ServiceAccount/" + space + "/bare"
	s.connectAs(t, proxy.User)
	s.program(t, `
resources:
  bare:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ServiceAccount, metadata: {name: bare, namespace: %s}}
`, space)
	proxy.strike(writes("bare"), lose)
	s.upFails(t)
	uid := k.get(t, id).GetUID()
	assert.Equal(t, id, s.export(t).get(t, "bare").ID)
	proxy.heal()
	s.up(t)
	assert.Equal(t, uid, k.get(t, id).GetUID())
	s.previewEmpty(t)
}
