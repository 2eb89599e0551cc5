package rpc_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// claim is a claim whose storage class has the name of the namespace.
func (w world) claim(t testing.TB) map[string]any {
	t.Helper()
	return object(t, `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: it, namespace: %[1]s},
		spec: {accessModes: [ReadWriteOnce], storageClassName: %[1]s, resources: {requests: {storage: 1Gi}}}}`, w.namespace)
}

// storageClass makes that storage class.
func (w world) storageClass(t testing.TB, mode string) {
	t.Helper()
	w.create(object(t, `{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: %s}, provisioner: example.org/none, volumeBindingMode: %s}`,
		w.namespace, mode))
	t.Cleanup(func() {
		assert.NoError(t, shared.Get(t).Client().StorageV1().StorageClasses().Delete(context.Background(), w.namespace, metav1.DeleteOptions{}))
	})
}

func TestAClaimThatWaitsForItsFirstPod(t *testing.T) {
	t.Parallel()
	const warning = "counts as ready although it has no volume: its storage class provides one only when a pod uses the claim (WaitForFirstConsumer)."
	ready := func(timeout string) m { return until("ready", true, timeout) }
	t.Run("is ready, with a warning, after one more request [W31]", func(t *testing.T) {
		t.Parallel()
		w, user := newWorld(t), newUser(t)
		w.storageClass(t, "WaitForFirstConsumer")
		w.create(w.claim(t))
		count := counted(t, user)
		p := start(t, inline(user))
		s := p.wait(t, "it").mustUp("create", waiting(refTo(w.claim(t)), ready("20s")))
		requireWaited(t, s)
		assert.Nil(t, at(t, s.outputs, "status"))
		assert.Contains(t, s.warned(), "PersistentVolumeClaim "+w.namespace+"/it "+warning)
		assert.Equal(t, 1, count()["discovery storage.k8s.io/v1/storageclasses/"+w.namespace])
		s.mustUp("same", waiting(refTo(w.claim(t)), ready("20s")))
	})
	t.Run("is ready when its class comes [W31]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.claim(t))
		s := start(t, inline(newUser(t))).wait(t, "it")
		done := w.begin("it", func() error { return s.create(waiting(refTo(w.claim(t)), ready(longTime))) })
		w.storageClass(t, "WaitForFirstConsumer")
		require.NoError(t, ended(t, done))
		assert.Contains(t, s.warned(), warning)
	})
	for what, prepare := range map[string]func(t *testing.T, w world){
		"of a class that provides volumes at once": func(t *testing.T, w world) { w.storageClass(t, "Immediate") },
		"that has its pod": func(t *testing.T, w world) {
			w.storageClass(t, "WaitForFirstConsumer")
			w.patch("PersistentVolumeClaim", "it", m{"metadata": m{"annotations": m{"volume.kubernetes.io/selected-node": "node-0"}}})
		},
	} {
		t.Run("is waited for where it is one "+what+" [W31]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.create(w.claim(t))
			prepare(t, w)
			s := start(t, inline(newUser(t))).wait(t, "it")
			text := requireWaitPending(t, s, s.create(waiting(refTo(w.claim(t)), ready("2s"))))
			assert.Contains(t, text, "Seen last:\n    Pending")
			assert.Empty(t, s.warned())
			done := w.begin("it", func() error { _, err := s.up(waiting(refTo(w.claim(t)), ready(longTime))); return err })
			w.report("PersistentVolumeClaim", "it", m{"phase": "Bound"})
			require.NoError(t, ended(t, done))
		})
	}
	t.Run("is waited for where its class may not be read, which the error says [W31]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.storageClass(t, "WaitForFirstConsumer")
		w.create(w.claim(t))
		s := start(t, inline(w.mayReadClaims())).wait(t, "it")
		text := requireWaitPending(t, s, s.create(waiting(refTo(w.claim(t)), ready("2s"))))
		assert.Contains(t, text, "its storage class may not be read, so it is not known whether the claim waits for a pod that uses it")
		assert.Contains(t, text, "Next: allow `get` of storageclasses.storage.k8s.io, or create a pod that uses the claim")
		assert.Empty(t, s.warned())
	})
}

// mayReadClaims is a user who may read the claims of the namespace and nothing else.
func (w world) mayReadClaims() cluster.User {
	w.t.Helper()
	c, name := shared.Get(w.t), "claims-"+w.namespace
	user, err := c.AddUser(name)
	require.NoError(w.t, err)
	_, err = c.Client().RbacV1().Roles(w.namespace).Create(w.t.Context(), &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"persistentvolumeclaims"}, Verbs: []string{"get", "list", "watch"}}},
	}, metav1.CreateOptions{})
	require.NoError(w.t, err)
	_, err = c.Client().RbacV1().RoleBindings(w.namespace).Create(w.t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: name},
		Subjects: []rbacv1.Subject{{Kind: "User", Name: name}},
	}, metav1.CreateOptions{})
	require.NoError(w.t, err)
	client, err := dynamic.NewForConfig(user.RESTConfig())
	require.NoError(w.t, err)
	limited := world{w.t, client, w.namespace}
	eventually(w.t, func() bool {
		_, err := limited.objects("PersistentVolumeClaim").List(w.t.Context(), listAll)
		return err == nil
	}, "the user may read claims")
	return user
}
