package rpc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestTheCommandLinesOfMessagesRun takes command lines out of messages, and runs them.
func TestTheCommandLinesOfMessagesRun(t *testing.T) {
	t.Parallel()
	t.Run("kubectl auth can-i tells when a permission is there", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		user, err := shared.Get(t).AddUser("granted-" + w.namespace)
		require.NoError(t, err)
		s, in := start(t, inline(user)).resource(t, "web"), program(w.configMap("web", nil))
		_, err = s.up(in)
		require.ErrorContains(t, err, "An apply needs create and patch.")
		line := commandIn(t, err.Error(), "kubectl auth can-i")
		out, err := sh(t, line)
		require.Error(t, err)
		assert.Equal(t, "no\n", out)
		mustSh(t, "kubectl create role granted --namespace "+w.namespace+" --verb=create,patch --resource=configmaps && "+
			"kubectl create rolebinding granted --namespace "+w.namespace+" --role=granted --user="+user.Name)
		eventually(t, func() bool { out, err := sh(t, line); return err == nil && out == "yes\n" }, "the role is in force")
		s.mustUp("create", in)
	})
	t.Run("kubectl get finds the configuration of a webhook that does not answer, and then nobody has to ask it", func(t *testing.T) {
		t.Parallel()
		g := newWorld(t).newGuard("CREATE", "UPDATE")
		s, in := start(t, inline(newUser(t))).resource(t, "web"), program(g.guarded("web", nil))
		s.timeout = 3
		_, err := s.up(in)
		require.ErrorContains(t, err, "set its failurePolicy to Ignore")
		var named string
		for line := range strings.Lines(mustSh(t, commandIn(t, err.Error(), "kubectl get"))) {
			if strings.Contains(line, g.namespace) {
				named = strings.TrimSpace(line)
			}
		}
		require.NotEmpty(t, named)
		mustSh(t, "kubectl patch "+named+` --type=json -p '[{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Ignore"}]'`)
		s.timeout = 0
		eventually(t, func() bool { did, err := s.up(in); return err == nil && did == "create" }, "the object is made")
	})
	t.Run("kubectl delete pvc lets a volume go", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		name := "disk-" + w.namespace
		s := start(t, inline(newUser(t))).resource(t, "disk").mustUp("create", program(object(t, `{apiVersion: v1, kind: PersistentVolume,
			metadata: {name: %s}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: "", hostPath: {path: /none}}}`, name)))
		w.create(w.claim(t))
		// As the binder and the protection of volumes do, which do not run here.
		w.patch("PersistentVolumeClaim", "it", m{"metadata": m{"finalizers": nil}})
		w.patch("PersistentVolume", name, m{"metadata": m{"finalizers": []any{"kubernetes.io/pv-protection"}},
			"spec": m{"claimRef": m{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": w.namespace, "name": "it"}}})
		s.timeout = 2
		err := s.destroy()
		require.Error(t, err)
		mustSh(t, commandIn(t, err.Error(), "kubectl delete pvc"))
		assert.False(t, w.exists("PersistentVolumeClaim", "it"))
		w.patch("PersistentVolume", name, m{"metadata": m{"finalizers": nil}})
		require.NoError(t, s.destroy())
	})
	for kind, failed := range map[string]m{
		"Pod": {"phase": "Failed", "reason": "Evicted"},
		"Job": {"failed": 1, "startTime": "2024-01-01T00:00:00Z", "conditions": []any{
			m{"type": "FailureTarget", "status": "True", "lastTransitionTime": "2024-01-01T00:00:00Z"},
			m{"type": "Failed", "status": "True", "lastTransitionTime": "2024-01-01T00:00:00Z"}}},
	} {
		t.Run("kubectl delete makes way for a "+kind+" that runs again", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			made := object(t, `{apiVersion: v1, kind: Pod, metadata: {name: it, namespace: %s}, spec: {containers: [{name: c, image: nginx}]}}`, w.namespace)
			if kind == "Job" {
				made = object(t, `{apiVersion: batch/v1, kind: Job, metadata: {name: it, namespace: %s},
					spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: nginx}]}}}}`, w.namespace)
			}
			p := start(t, inline(newUser(t)))
			owner := p.resource(t, "it").mustUp("create", program(made))
			uid := w.get(kind, "it").GetUID()
			w.report(kind, "it", failed)
			s, in := p.wait(t, "it"), waiting(refTo(made), m{"condition": "PodScheduled", "timeout": longTime})
			if kind == "Job" {
				in = waiting(refTo(made), m{"ready": true, "timeout": longTime})
			}
			line := commandIn(t, requireWaitPending(t, s, s.create(in)), "kubectl delete")
			mustSh(t, line)
			owner.mustUp("create", program(made))
			assert.NotEqual(t, uid, w.get(kind, "it").GetUID())
			done := m{"conditions": []any{m{"type": "PodScheduled", "status": "True", "lastTransitionTime": "2024-01-01T00:00:00Z"}}}
			if kind == "Job" {
				done = m{"succeeded": 1, "startTime": "2024-01-01T00:00:00Z", "completionTime": "2024-01-01T00:00:01Z", "conditions": []any{
					m{"type": "SuccessCriteriaMet", "status": "True", "lastTransitionTime": "2024-01-01T00:00:00Z"},
					m{"type": "Complete", "status": "True", "lastTransitionTime": "2024-01-01T00:00:00Z"}}}
			}
			w.report(kind, "it", done)
			s.mustUp("same", in)
			assert.Nil(t, at(t, s.outputs, "__pendingWait"), "the read before the update has seen it")
		})
	}
	t.Run("kubectl logs asks for the container that has crashed", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(object(t, `{apiVersion: v1, kind: Pod, metadata: {name: it, namespace: %s}, spec: {containers: [{name: app, image: nginx}]}}`, w.namespace))
		// Other tests say that the message has this line. Here is no node that has a log.
		mustSh(t, "kubectl logs --namespace "+w.namespace+" it --container app --previous")
	})
	t.Run("kubectl describe pvc and kubectl get apiservice show what is the matter", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.claim(t))
		assert.Contains(t, mustSh(t, "kubectl describe pvc --namespace "+w.namespace+" it"), "Pending")
		assert.Contains(t, mustSh(t, "kubectl get apiservice"), "v1.apps")
	})
	t.Run("pulumi import has the ID of the object, also in a shell", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		for _, name := range []string{"system:" + w.namespace, "it's-" + w.namespace} {
			role := object(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "%s"}, rules: []}`, name)
			_, err := w.client.Resource(schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}).
				Create(t.Context(), &unstructured.Unstructured{Object: role}, metav1.CreateOptions{})
			require.NoError(t, err)
			defer w.delete("ClusterRole", name)
			s := start(t, inline(newUser(t))).resource(t, "role")
			_, err = s.up(program(role))
			line := commandIn(t, err.Error(), "pulumi import")
			words := strings.Split(strings.TrimSpace(mustSh(t, "printf '%s\\n' "+line)), "\n")
			require.Len(t, words, 5, line)
			assert.Equal(t, []string{"pulumi", "import", string(objectType), "NAME"}, words[:4])
			require.NoError(t, s.importID(words[4]), line)
			s.mustUp("same", program(role))
		}
	})
}
