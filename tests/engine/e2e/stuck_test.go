package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestStuckFinalizer(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k := kubeOf(t, c)
	const manifest = "{apiVersion: v1, kind: ConfigMap, metadata: {name: held, namespace: %s}, data: {a: \"1\"}}"

	t.Run("a finalizer that stays is named, and the state kept [O58, O62]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		id := "v1/ConfigMap/" + space + "/held"
		s.declare(t, fmt.Sprintf(manifest, space), "", "customTimeouts: {delete: 3s}")
		s.up(t)
		k.merge(t, id, "{metadata: {finalizers: [example.com/hold]}}")
		before := k.get(t, id)

		for range 2 {
			r := s.exec(t, "destroy", "--yes", "--skip-preview")
			assert.Positive(t, r.code)
			assert.Contains(t, r.out, "example.com/hold")
			assert.Contains(t, r.out, "forceDestroy")
			assert.NotContains(t, r.out, ".go:")
			assert.Less(t, r.took.Seconds(), 20.0, "the timeout holds")
			assert.GreaterOrEqual(t, r.took.Seconds(), 3.0)
			live := k.get(t, id)
			assert.Equal(t, before.GetUID(), live.GetUID())
			assert.NotNil(t, live.GetDeletionTimestamp())
			assert.Equal(t, string(before.GetUID()), s.export(t).get(t, "object").uid())
		}

		k.merge(t, id, "{metadata: {finalizers: null}}")
		s.destroy(t)
		k.gone(t, id)
		assert.Empty(t, s.export(t).resources)
	})

	t.Run("one that is removed in time does not matter [O58]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		id := "v1/ConfigMap/" + space + "/held"
		s.declare(t, fmt.Sprintf(manifest, space), "", "")
		s.up(t)
		k.merge(t, id, "{metadata: {finalizers: [example.com/hold]}}")
		done := make(chan struct{})
		go func() {
			defer close(done)
			eventually(t, "the deletion has begun", func() bool { return k.get(t, id).GetDeletionTimestamp() != nil })
			k.merge(t, id, "{metadata: {finalizers: null}}")
		}()
		s.destroy(t)
		<-done
		k.gone(t, id)
		assert.Empty(t, s.export(t).resources)
	})

	t.Run("forceDestroy removes the finalizers, names them, and the object is gone [O59]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		id := "v1/ConfigMap/" + space + "/held"
		s.declare(t, fmt.Sprintf(manifest, space), "forceDestroy: true", "customTimeouts: {delete: 3s}")
		s.up(t)
		k.merge(t, id, "{metadata: {finalizers: [example.com/hold, example.com/second]}}")
		r := s.succeed(t, "destroy", "--yes", "--skip-preview")
		assert.Contains(t, r.out, "warning:")
		assert.Contains(t, r.out, "example.com/hold, example.com/second")
		assert.GreaterOrEqual(t, r.took.Seconds(), 3.0, "the controllers have their time")
		k.gone(t, id)
		assert.Empty(t, s.export(t).resources)
	})

	t.Run("forceDestroy does nothing where nothing is stuck [O59]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		id := "v1/ConfigMap/" + space + "/held"
		s.declare(t, fmt.Sprintf(manifest, space), "forceDestroy: true", "")
		s.up(t)
		assert.NotContains(t, s.destroy(t), "finalizers")
		k.gone(t, id)
	})

	t.Run("a replacement whose old object is stuck fails, and the next up continues [O44, O58]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		id := "v1/ConfigMap/" + space + "/frozen"
		s.declare(t, fmt.Sprintf(frozenConfigMap, space, "1"), "", "customTimeouts: {delete: 3s}")
		s.up(t)
		k.merge(t, id, "{metadata: {finalizers: [example.com/hold]}}")
		before := k.get(t, id).GetUID()
		s.declare(t, fmt.Sprintf(frozenConfigMap, space, "2"), "", "customTimeouts: {delete: 3s}")
		assert.Contains(t, s.upFails(t), "example.com/hold")
		assert.Equal(t, string(before), s.export(t).get(t, "object").uid())
		k.merge(t, id, "{metadata: {finalizers: null}}")
		s.up(t)
		live := k.get(t, id)
		assert.NotEqual(t, before, live.GetUID())
		assert.Equal(t, "2", at(live.Object, "data", "a"))
		assert.Equal(t, string(live.GetUID()), s.export(t).get(t, "object").uid())
		s.previewEmpty(t)
	})
}

func TestStuckNamespace(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k := kubeOf(t, c)

	for _, variant := range []struct{ name, properties string }{
		{"stuck-namespace", ""}, {"stuck-namespace-forced", "forceDestroy: true"},
	} {
		t.Run("a namespace that does not get empty says what remains, "+variant.name+" [O63]", func(t *testing.T) {
			t.Parallel()
			s := newStack(t)
			id, inside := "v1/Namespace/"+variant.name, "v1/ConfigMap/"+variant.name+"/inside"
			s.declare(t, "{apiVersion: v1, kind: Namespace, metadata: {name: "+variant.name+"}}", variant.properties, "customTimeouts: {delete: 8s}")
			s.up(t)
			k.apply(t, inside, "test", "{apiVersion: v1, kind: ConfigMap, metadata: {name: inside, finalizers: [example.com/hold]}}")
			uid := k.get(t, id).GetUID()

			out := s.runFails(t, "destroy", "--yes", "--skip-preview")
			// The controller of namespaces has a queue, and says what remains when it has come to this one.
			for deadline := time.Now().Add(time.Minute); !strings.Contains(out, "has 1 resource instances") && time.Now().Before(deadline); {
				out = s.runFails(t, "destroy", "--yes", "--skip-preview")
			}
			assert.Contains(t, out, "configmaps. has 1 resource instances")
			assert.Contains(t, out, "example.com/hold in 1 resource instances")
			assert.NotContains(t, out, "finalizers .", "a warning without finalizers")
			assert.Equal(t, uid, k.get(t, id).GetUID())
			assert.Equal(t, []string{"example.com/hold"}, k.get(t, inside).GetFinalizers(), "what is inside is not ours to break")
			assert.Equal(t, string(uid), s.export(t).get(t, "object").uid())

			k.merge(t, inside, "{metadata: {finalizers: null}}")
			eventually(t, "the namespace is gone", func() bool { return k.find(t, id) == nil })
			s.destroy(t)
			assert.Empty(t, s.export(t).resources)
		})
	}
}
