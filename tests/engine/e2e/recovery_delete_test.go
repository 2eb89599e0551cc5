package e2e

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// deletions counts the requests that deleted the first object.
func (v victim) deletions(t *testing.T) int {
	t.Helper()
	return len(v.requests(t).Where(func(r cluster.Request) bool {
		return r.Verb == "delete" && strings.HasSuffix(r.Path(), "/first")
	}))
}

// requireKept wants that the state still has the object whose deletion was not seen to end.
func (v victim) requireKept(t *testing.T, before state, r result) {
	t.Helper()
	require.Equal(t, 1, r.code, r)
	saved := v.export(t)
	assert.Equal(t, before.pinned(), saved.pinned())
	assert.Empty(t, saved.operations)
}

// requireNothing wants that the state is empty, and that there is nothing left to do.
func (v victim) requireNothing(t *testing.T) {
	t.Helper()
	saved := v.export(t)
	assert.Empty(t, saved.resources)
	assert.Empty(t, saved.operations)
	v.previewEmpty(t)
}

// TestFaultsInDelete has the faults happen to the deletion of an object that the program has dropped.
func TestFaultsInDelete(t *testing.T) {
	t.Parallel()
	for _, between := range []string{nothing, refreshed, unread} {
		refresh := func(t *testing.T, v victim) {
			t.Helper()
			if between == refreshed {
				v.refresh(t)
			}
		}
		t.Run("the reply is lost [O70]: ended "+between, func(t *testing.T) {
			t.Parallel()
			v, before := newDoomed(t, between)
			v.requireKept(t, before, v.loseDeletion(t))
			v.kube.gone(t, v.first)
			refresh(t, v)
			v.up(t)
			v.requireNothing(t)
			asked := 1
			if v.unread {
				asked = 2 // it has to be asked to know
			}
			assert.Equal(t, asked, v.deletions(t))
		})
		t.Run("the reply is lost, and someone makes another object: that is left alone [O61] [O70] "+between, func(t *testing.T) {
			t.Parallel()
			v, before := newDoomed(t, between)
			v.requireKept(t, before, v.loseDeletion(t))
			v.kube.apply(t, v.first, "someone", `{apiVersion: v1, kind: ConfigMap, metadata: {name: first}, data: {a: theirs}}`)
			theirs := v.kube.get(t, v.first)
			refresh(t, v)
			v.up(t)
			v.requireNothing(t)
			assert.Equal(t, theirs, v.kube.get(t, v.first))
		})
		for _, end := range []struct {
			name   string
			signal func(t *testing.T, up *command)
			says   string
		}{
			{
				"the provider is killed while a finalizer holds the object [O71]",
				func(t *testing.T, up *command) { signalAll(t, up.providers(t), syscall.SIGKILL) },
				"exited prematurely",
			},
			{
				"^C while a finalizer holds the object [O76]",
				func(t *testing.T, up *command) { up.signal(t, syscall.SIGINT) },
				"example.com/hold",
			},
		} {
			t.Run(end.name+": ended "+between, func(t *testing.T) {
				t.Parallel()
				v, before := newDoomed(t, between)
				v.kube.merge(t, v.first, "{metadata: {finalizers: [example.com/hold]}}")
				up := v.startUp(t)
				up.prints(t, "Deleting; ")
				end.signal(t, up)
				r := up.wait(t)
				assert.Contains(t, r.out, end.says)
				v.requireKept(t, before, r)
				live := v.kube.get(t, v.first)
				assert.NotNil(t, live.GetDeletionTimestamp())

				refresh(t, v)
				asked := v.deletions(t)
				up = v.startUp(t)
				eventually(t, "the deletion is asked for again", func() bool { return v.deletions(t) > asked })
				v.kube.merge(t, v.first, "{metadata: {finalizers: null}}")
				require.Zero(t, up.wait(t).code)
				v.kube.gone(t, v.first)
				v.requireNothing(t)
			})
		}
	}
}

// newDoomed makes an object that the program has dropped. It returns the state that has it.
func newDoomed(t *testing.T, between string) (victim, state) {
	t.Helper()
	v := newVictim(t, between)
	v.program(t, "resources:"+configMapResource("first", "first", v.space, `{a: "1"}`))
	v.up(t)
	v.program(t, "")
	return v, v.export(t)
}

// loseDeletion runs an up in which the reply to the deletion is lost.
func (v victim) loseDeletion(t *testing.T) result {
	t.Helper()
	v.proxy.strike(deletes("first"), lose)
	r := failed(t, v.startUp(t).wait(t))
	require.Equal(t, 1, v.proxy.struck())
	assert.Contains(t, r.out, "cannot delete ConfigMap "+v.space+"/first")
	v.proxy.heal()
	return r
}
