package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheLineForIgnoreManagersWorksWhereItIsPasted takes the line out of the message that offers it.
func TestTheLineForIgnoreManagersWorksWhereItIsPasted(t *testing.T) {
	t.Parallel()
	const controller = "vpa-recommender"
	t.Run("of a warning before drift is corrected, where a manager is ignored already [O97]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		manifest := w.deployment(t, "web")
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(manifest, leavingTo("other")))
		w.scaleAs(controller, 5)
		_, _, err := s.preview(program(manifest, leavingTo("other")))
		require.NoError(t, err)
		lines := pasted(t, s.told("an update takes these fields from other managers"), "ignoreManagers")
		assert.Equal(t, leavingTo("other", controller), lines)
		in := program(manifest, lines)
		s.in(s.process.again(t)).mustUp("same", in)
		assert.Empty(t, s.warned())
		assert.EqualValues(t, 5, w.replicas())
	})
	t.Run("of a conflict [O97]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(w.deployment(t, "web"), failing)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		w.scaleAs(controller, 5)
		_, err := s.up(in)
		in = program(w.deployment(t, "web"), failing, pasted(t, err.Error(), "ignoreManagers"))
		s.in(s.process.again(t)).mustUp("same", in).mustUp("update", with(t, in, firstImage, "nginx:2"))
		assert.EqualValues(t, 5, w.replicas())
	})
	t.Run("of an adoption that conflicts [O97]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("deployer", w.deployment(t, "web"))
		w.scaleAs(controller, 5)
		s := start(t, inline(newUser(t))).resource(t, "web")
		_, err := s.up(program(w.deployment(t, "web"), adopting, failing))
		in := program(w.deployment(t, "web"), adopting, failing, pasted(t, err.Error(), "ignoreManagers"))
		s.in(s.process.again(t)).mustUp("create", in).mustUp("same", in)
		assert.EqualValues(t, 5, w.replicas())
	})
	t.Run("of drift that stays [O97]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		job := func(rev string) resource.PropertyMap {
			return program(object(t, `{apiVersion: batch/v1, kind: Job, metadata: {name: work, namespace: %s, labels: {rev: "%s"}}, spec: {suspend: true,
				template: {spec: {restartPolicy: Never, nodeSelector: {pool: batch}, containers: [{name: main, image: "app:1"}]}}}}`, w.namespace, rev))
		}
		s := start(t, inline(newUser(t))).resource(t, "work").mustUp("create", job("1"))
		admit := func(spec m) {
			w.apply("kueue", m{"apiVersion": "batch/v1", "kind": "Job", "metadata": m{"name": "work", "namespace": w.namespace}, "spec": spec})
		}
		selector := m{"spec": m{"nodeSelector": m{"pool": "batch", "zone": "a"}}}
		admit(m{"template": selector})
		admit(m{"template": selector, "suspend": false})
		in := job("2")
		s.mustUp("update", in)
		ignoring := program(in["manifest"], pasted(t, s.told("the API server does not accept them changed back"), "ignoreManagers"))
		s.in(s.process.again(t)).mustUp("same", ignoring)
		s.in(s.process.again(t)).mustUp("same", ignoring)
		assert.NotContains(t, s.warned(), "does not accept them changed back")
	})
	t.Run("where what is ignored is secret already, it is what to add [O97]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(w.deployment(t, "web"), failing, leavingTo(secret(hush)))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		w.scaleAs(controller, 5)
		_, err := s.up(in)
		require.ErrorContains(t, err, "add to ignoreManagers: \""+controller+"\"\n")
		assert.NotContains(t, err.Error(), hush)
		s.in(s.process.again(t)).mustUp("same", program(w.deployment(t, "web"), failing, leavingTo(secret(hush), controller)))
	})
	t.Run("there is none for people, nor for what the program changes itself [O97]", func(t *testing.T) {
		t.Parallel()
		for manager, change := range map[string]int{"kubectl": 2, controller: 3} {
			w := newWorld(t)
			in := program(w.deployment(t, "web"), failing)
			s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
			w.scaleAs(manager, 5)
			_, err := s.up(with(t, in, replicasPath, change))
			require.ErrorContains(t, err, "(owned by "+manager+")")
			assert.NotContains(t, err.Error(), "ignoreManagers")
		}
	})
}
