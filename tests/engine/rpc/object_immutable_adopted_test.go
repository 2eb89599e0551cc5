package rpc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A default that is left over is in the way of the first apply as well: where the state does not know the object yet.
func TestADefaultThatIsLeftOverIsNotInTheWayOfAFirstApply(t *testing.T) {
	t.Parallel()
	change := leftovers["a Deployment's strategy, from none to Recreate"]
	t.Run("of an object that an interrupted run has made [D1] [O88]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		user := newUser(t)
		start(t, inline(user)).resource(t, "it").mustUp("create", program(w.inNamespace(t, change.from), atOnce))
		before := w.get("Deployment", "it")
		after := program(w.inNamespace(t, change.to), atOnce)
		s := start(t, inline(user)).resource(t, "it")
		did, _, err := s.preview(after)
		require.NoError(t, err)
		assert.Equal(t, "create", did)
		assert.Equal(t, before, w.get("Deployment", "it"), "a preview writes nothing")
		s.mustUp("create", after)
		assert.Equal(t, before.GetUID(), w.get("Deployment", "it").GetUID())
		assert.Equal(t, change.want, w.value("Deployment", "it", change.at...))
		s.mustUp("same", after)
	})
	t.Run("where the reply to its creation was lost, too [D1]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "it")
		g.next(isRealApply, loseReply)
		_, err := s.up(program(w.inNamespace(t, change.from), atOnce))
		require.Error(t, err)
		before, after := w.get("Deployment", "it"), program(w.inNamespace(t, change.to), atOnce)
		s.mustUp("update", after).mustUp("same", after)
		assert.Equal(t, before.GetUID(), w.get("Deployment", "it").GetUID())
		assert.Equal(t, change.want, w.value("Deployment", "it", change.at...))
	})
	t.Run("of an object that is adopted, whoever made it by an apply [D1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("helm", w.inNamespace(t, change.from))
		before, after := w.get("Deployment", "it"), program(w.inNamespace(t, change.to), atOnce, adopting)
		s := start(t, inline(newUser(t))).resource(t, "it")
		_, _, err := s.preview(after)
		require.NoError(t, err)
		s.mustUp("create", after).mustUp("same", after)
		assert.Equal(t, before.GetUID(), w.get("Deployment", "it").GetUID())
		assert.Equal(t, change.want, w.value("Deployment", "it", change.at...))
	})
	t.Run("of an object of kubectl, which owns the defaults: they become ours with the adoption [D1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.kubectlCreate(w.inNamespace(t, change.from))
		before, after := w.get("Deployment", "it"), program(w.inNamespace(t, change.to), atOnce, adopting)
		s := start(t, inline(newUser(t))).resource(t, "it")
		_, _, err := s.preview(after)
		require.NoError(t, err, "what the update can do, the preview does not refuse")
		assert.Equal(t, before, w.get("Deployment", "it"), "a preview writes nothing")
		s.mustUp("create", after).mustUp("same", after)
		assert.Equal(t, before.GetUID(), w.get("Deployment", "it").GetUID())
		assert.Equal(t, change.want, w.value("Deployment", "it", change.at...))
	})
	t.Run("but is explained where another manager owns it, in the preview and in the update [D1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.inNamespace(t, change.from))
		before, after := w.get("Deployment", "it"), program(w.inNamespace(t, change.to), atOnce, adopting)
		s := start(t, inline(newUser(t))).resource(t, "it")
		_, _, previewed := s.preview(after)
		_, updated := s.up(after)
		for _, err := range []error{previewed, updated} {
			require.ErrorContains(t, err, "spec.strategy.rollingUpdate")
			require.ErrorContains(t, err, "owned by intern")
			assert.Equal(t, 1, strings.Count(err.Error(), "Next: "), err.Error())
		}
		assert.Equal(t, before, w.get("Deployment", "it"))
	})
	t.Run("and goes where the program takes over from its owner, who got it with the object [D1] [O82]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.inNamespace(t, change.from))
		before, after := w.get("Deployment", "it"), program(w.inNamespace(t, change.to), atOnce, adopting, m{"takeOverFrom": []any{"intern"}})
		s := start(t, inline(newUser(t))).resource(t, "it")
		_, _, err := s.preview(after)
		require.NoError(t, err)
		assert.Equal(t, before, w.get("Deployment", "it"), "a preview writes nothing")
		s.mustUp("create", after).mustUp("same", after)
		assert.Equal(t, before.GetUID(), w.get("Deployment", "it").GetUID())
		assert.Equal(t, change.want, w.value("Deployment", "it", change.at...))
	})
	t.Run("but a value that its owner has chosen stays, and is explained [D1] [O82]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		chosen := w.inNamespace(t, strings.ReplaceAll(leftovers["a Deployment's strategy, from RollingUpdate to Recreate"].from,
			"{type: RollingUpdate}", "{type: RollingUpdate, rollingUpdate: {maxSurge: 3}}"))
		w.create(chosen)
		_, err := start(t, inline(newUser(t))).resource(t, "it").up(
			program(w.inNamespace(t, change.to), atOnce, adopting, m{"takeOverFrom": []any{"intern"}}))
		require.ErrorContains(t, err, "spec.strategy.rollingUpdate")
		assert.EqualValues(t, 3, w.value("Deployment", "it", "spec", "strategy", "rollingUpdate", "maxSurge"))
	})
	t.Run("and what cannot be changed at all is said, with what to do [D1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("helm", w.inNamespace(t, strings.ReplaceAll(change.from, "app: web", "app: other")))
		before, after := w.get("Deployment", "it"), program(w.inNamespace(t, change.from), atOnce, adopting)
		s := start(t, inline(newUser(t))).resource(t, "it")
		_, _, previewed := s.preview(after)
		_, updated := s.up(after)
		for _, err := range []error{previewed, updated} {
			require.ErrorContains(t, err, "cannot be changed to what the manifest says")
			require.ErrorContains(t, err, "spec.selector")
			require.ErrorContains(t, err, "delete it by hand")
			assert.Equal(t, 1, strings.Count(err.Error(), "Next: "), err.Error())
		}
		assert.Equal(t, before, w.get("Deployment", "it"))
		w.delete("Deployment", "it")
		s.mustUp("create", after)
	})
}

// TestAFieldThatCannotBeChangedByATakeover is about the field that is named, where the API server only says what it does allow.
func TestAFieldThatCannotBeChangedByATakeover(t *testing.T) {
	t.Parallel()
	const set = `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: it, namespace: NS}, spec: {replicas: 0, serviceName: it, selector: {matchLabels: {app: it}},
		template: {metadata: {labels: {app: it}}, spec: {containers: [{name: it, image: "db:1"}]}},
		volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}}`
	live := strings.ReplaceAll(set, "{name: data}", "{name: data, namespace: NS}")
	wanted := strings.ReplaceAll(set, "db:1", "db:2")
	for whose, create := range map[string]func(world, map[string]any){
		"of kubectl":    func(w world, manifest map[string]any) { w.kubectlCreate(manifest) },
		"of a client":   func(w world, manifest map[string]any) { w.create(manifest) },
		"of an applier": func(w world, manifest map[string]any) { w.apply("helm", manifest) },
	} {
		for how, more := range map[string]map[string]any{"adopted": adopting, "taken over": {"adopt": true, "takeOverFrom": []any{"helm", "intern"}}, "imported": nil} {
			t.Run("the claim template's namespace, in a StatefulSet "+whose+" that is "+how+" [D107]", func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				create(w, w.inNamespace(t, live))
				before := w.get("StatefulSet", "it")
				s := start(t, inline(newUser(t))).resource(t, "it")
				if more == nil {
					require.NoError(t, s.importID("apps/v1/StatefulSet/"+w.namespace+"/it"))
				}
				in := program(w.inNamespace(t, wanted), more)
				_, _, previewed := s.preview(in)
				_, updated := s.up(in)
				for _, err := range []error{previewed, updated} {
					require.ErrorContains(t, err, "\n  spec.volumeClaimTemplates[0].metadata.namespace: \""+w.namespace+"\" -> nothing\n")
					for _, innocent := range []string{"podManagementPolicy", "dnsPolicy", "has no owner", "image:"} {
						require.NotContains(t, err.Error(), innocent)
					}
					require.ErrorContains(t, err, "Next: write what the object has into the manifest")
					require.ErrorContains(t, err, "its pods", "what goes with a deletion")
					assert.Equal(t, 1, strings.Count(err.Error(), "Next: "), err.Error())
				}
				assert.Equal(t, before.Object["spec"], w.get("StatefulSet", "it").Object["spec"])
				s.mustUp(map[bool]string{true: "update", false: "create"}[more == nil],
					program(w.inNamespace(t, strings.ReplaceAll(live, "db:1", "db:2")), more))
				assert.Equal(t, before.GetUID(), w.get("StatefulSet", "it").GetUID())
			})
		}
	}
}
