package rpc_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

func TestAJobThatIsAnInstallHookAndADeleteHook(t *testing.T) { // [H6] [H7]
	t.Parallel()
	w := newHookWorld(t)
	p := w.start()
	install := p.task(t, "pre-install").mustUp("create", program(w.job("check", "shop:1"), hookOf("shop", nil)))
	hooks := p.releaseHooks(t, "pre-delete").mustUp("create", deleteHooks(nil, hookStep(w.job("check", "shop:1"))))
	require.NoError(t, hooks.destroy())
	assert.Equal(t, 2, w.runs("check"))
	require.NoError(t, install.destroy())
	assert.Equal(t, 1, w.countJobs(), "that of the delete hook stays, as helm leaves it")
}

func TestWhatHasTheNameOfADeleteHook(t *testing.T) { // [H7]
	t.Parallel()
	for name, c := range map[string]struct {
		annotations m
		takeOver    bool
		refused     bool
	}{
		"something of others":       {refused: true},
		"helm's":                    {annotations: m{"helm.sh/hook": "pre-delete"}, refused: true},
		"helm's, after a take-over": {annotations: m{"helm.sh/hook": "pre-delete"}, takeOver: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHookWorld(t)
			theirs := w.account("runner")
			theirs["metadata"].(m)["annotations"] = c.annotations
			before := w.create(theirs).GetUID()
			s := w.start().releaseHooks(t, "pre-delete").mustUp("create",
				deleteHooks(m{"takeOver": c.takeOver}, hookStep(w.account("runner")), hookStep(w.job("clean", "shop:1"))))
			err := s.destroy()
			if !c.refused {
				require.NoError(t, err)
				assert.NotEqual(t, before, w.uid("ServiceAccount", "runner"))
				return
			}
			require.ErrorContains(t, err, "exists already, and this release did not make it")
			assert.Equal(t, before, w.uid("ServiceAccount", "runner"))
			assert.Equal(t, 0, w.countJobs())
		})
	}
}

func TestAJobOfOthersThatHasFailedIsNoFailedAttempt(t *testing.T) { // [H7]
	t.Parallel()
	w := newHookWorld(t)
	before := w.create(w.job("clean", "fails:1")).GetUID()
	eventually(t, func() bool { return w.value("Job", "clean", "status", "failed") != nil }, "it fails")
	s := w.start().releaseHooks(t, "pre-delete").mustUp("create", deleteHooks(nil, hookStep(w.job("clean", "shop:1"))))
	require.ErrorContains(t, s.destroy(), "exists already, and this release did not make it")
	assert.Equal(t, before, w.uid("Job", "clean"))
}

func TestDataThatHelmHasMadeIsNotReplaced(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t)
	claim := func() map[string]any {
		return object(t, `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: backups, namespace: %s, annotations: {helm.sh/hook: pre-delete}},
			spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`, w.namespace)
	}
	before := w.create(claim()).GetUID()
	s := w.start().releaseHooks(t, "pre-delete").mustUp("create", deleteHooks(m{"takeOver": true}, hookStep(claim())))
	require.ErrorContains(t, s.destroy(), "exists already, and this release did not make it")
	assert.Equal(t, before, w.uid("PersistentVolumeClaim", "backups"))
}

func TestADefinitionIsNotDeletedWithItsHook(t *testing.T) { // [H7]
	t.Parallel()
	w := newHookWorld(t)
	group := w.namespace + ".example.org"
	definition := object(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.%[1]s}
spec:
  group: %[1]s
  scope: Namespaced
  names: {kind: Shop, plural: shops, singular: shop, listKind: ShopList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`, group)
	t.Cleanup(func() {
		assert.NoError(t, w.objects("CustomResourceDefinition").Delete(context.Background(), "shops."+group, metav1.DeleteOptions{}))
	})
	in := deleteHooks(nil, hookStep(definition, "succeeded"))
	var uids []types.UID
	for range 2 {
		s := w.start().releaseHooks(t, "pre-delete").mustUp("create", in)
		require.NoError(t, s.destroy())
		live := w.get("CustomResourceDefinition", "shops."+group)
		assert.Nil(t, live.GetDeletionTimestamp())
		uids = append(uids, live.GetUID())
	}
	assert.Equal(t, uids[0], uids[1], "nor for the next")
}

func TestDeleteHooksOfAReleaseInAnotherCluster(t *testing.T) { // [H7]
	t.Parallel()
	w := newHookWorld(t)
	elsewhere := newUser(t)
	in := deleteHooks(nil, hookStep(w.job("clean", "shop:1")))
	s := w.start().releaseHooks(t, "pre-delete").mustUp("create", in)
	t.Run("they do not run there", func(t *testing.T) {
		before := s.process
		err := s.in(start(t, inline(elsewhere))).destroy()
		require.ErrorContains(t, err, "which is another cluster")
		assert.Equal(t, 0, w.countJobs())
		s.in(before.again(t))
	})
	t.Run("they move with the release", func(t *testing.T) {
		client, err := dynamic.NewForConfig(shared.Get(t).RESTConfig())
		require.NoError(t, err)
		there := world{t, client, shared.Get(t).Namespace(t)}
		moved := deleteHooks(nil, hookStep(there.configMap("report", nil)))
		s.in(start(t, inline(elsewhere))).mustUp("update", moved)
		s.in(s.process.again(t)).mustUp("same", moved)
		require.NoError(t, s.destroy())
		assert.True(t, there.exists("ConfigMap", "report"))
		assert.Equal(t, 0, w.countJobs())
	})
}
