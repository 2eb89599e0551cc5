package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnotherOwnersObjectIsNotTouched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))

	t.Run("an existing object is an error with the import line [O8]", func(t *testing.T) {
		theirs := w.create(w.configMap("theirs", map[string]any{"a": "theirs"}))
		in := program(w.configMap("theirs", nil))
		s := p.resource(t, "theirs")
		_, _, err := s.preview(in)
		require.ErrorContains(t, err, "already exists", "at preview already")
		err = s.create(in)
		require.ErrorContains(t, err, "pulumi import k8sconnect:index:KubeObject NAME 'v1/ConfigMap/"+w.namespace+"/theirs'")
		assert.Equal(t, stored{}, s.stored)
		assert.Equal(t, theirs.GetResourceVersion(), w.get("ConfigMap", "theirs").GetResourceVersion())
	})
	t.Run("a second resource for the same object is told the owner [O9]", func(t *testing.T) {
		in := program(w.configMap("owned", nil))
		p.resource(t, "first").mustUp("create", in)
		before := w.get("ConfigMap", "owned").GetResourceVersion()
		s := p.resource(t, "second")
		err := s.create(in)
		require.ErrorContains(t, err, `managed by the KubeObject "first" of shop/dev`)
		assert.ErrorContains(t, err, "aliases")
		assert.Equal(t, stored{}, s.stored)
		assert.Equal(t, before, w.get("ConfigMap", "owned").GetResourceVersion())
	})
	t.Run("two creates race for one name: one wins, the other leaves nothing [O10]", func(t *testing.T) {
		for range 20 {
			in := program(w.configMap("raced", map[string]any{"same": "yes"}))
			racers := []*session{p.resource(t, "left"), p.resource(t, "right")}
			results := make([]error, 2)
			begin, done := make(chan struct{}), make(chan struct{})
			for i, racer := range racers {
				go func() {
					<-begin
					results[i] = racer.create(in)
					done <- struct{}{}
				}()
			}
			close(begin)
			<-done
			<-done
			winner, loser := 0, 1
			if results[0] != nil {
				winner, loser = 1, 0
			}
			require.NoError(t, results[winner])
			require.ErrorContains(t, results[loser], `managed by the KubeObject "`+racers[winner].urn.Name()+`"`)
			require.Equal(t, stored{}, racers[loser].stored)
			managers := w.get("ConfigMap", "raced").GetManagedFields()
			require.Len(t, managers, 1)
			require.Equal(t, at(t, racers[winner].outputs, "__fieldManager"), managers[0].Manager)
			require.NoError(t, racers[winner].destroy())
		}
	})
}

func TestAnObjectThatChangedHands(t *testing.T) {
	t.Parallel()
	made := func(t *testing.T) (world, *session, resource.PropertyMap, resource.PropertyMap) {
		w := newWorld(t)
		in := program(w.configMap("web", nil))
		return w, start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in), in,
			program(w.configMap("web", map[string]any{"a": "9"}))
	}
	t.Run("deleted behind our back, it is re-created with a warning", func(t *testing.T) {
		w, s, _, after := made(t)
		inputs, err := s.check(after, false)
		require.NoError(t, err)
		w.delete("ConfigMap", "web")
		require.NoError(t, s.update(inputs))
		assert.Equal(t, "9", w.value("ConfigMap", "web", "data", "a"))
		assert.Equal(t, w.value("ConfigMap", "web", "metadata", "uid"), at(t, s.outputs, "resourceRef.uid"))
		require.Len(t, s.process.log.warnings(), 1)
		assert.Contains(t, s.process.log.warnings()[0], "deleted outside of Pulumi")
	})
	t.Run("a read finds that it is gone", func(t *testing.T) {
		w, s, in, _ := made(t)
		w.delete("ConfigMap", "web")
		s.mustUp("create", in)
		assert.True(t, w.exists("ConfigMap", "web"))
	})
	t.Run("recreated by someone else, it is refused and untouched", func(t *testing.T) {
		w, s, _, after := made(t)
		w.delete("ConfigMap", "web")
		theirs := w.create(w.configMap("web", map[string]any{"a": "theirs"}))
		inputs, err := s.check(after, false)
		require.NoError(t, err)
		before := s.stored
		require.ErrorContains(t, s.update(inputs), "already exists")
		assert.Equal(t, before, s.stored)
		_, err = s.up(after)
		require.ErrorContains(t, err, "already exists")
		assert.Equal(t, theirs.GetResourceVersion(), w.get("ConfigMap", "web").GetResourceVersion())
	})
	t.Run("recreated by someone else, it is left alone by delete [O61]", func(t *testing.T) {
		w, s, _, _ := made(t)
		w.delete("ConfigMap", "web")
		theirs := w.create(w.configMap("web", nil))
		require.NoError(t, s.destroy())
		assert.Equal(t, theirs.GetResourceVersion(), w.get("ConfigMap", "web").GetResourceVersion())
	})
	t.Run("recreated with the same content, the next up notices", func(t *testing.T) {
		w, s, in, _ := made(t)
		w.delete("ConfigMap", "web")
		w.create(w.configMap("web", nil))
		did, err := s.up(in)
		require.ErrorContains(t, err, "already exists", did)
	})
}
