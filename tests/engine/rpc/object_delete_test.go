package rpc_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestDelete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	held := func(name string) resource.PropertyMap {
		manifest := w.configMap(name, nil)
		manifest["metadata"].(map[string]any)["finalizers"] = []any{"example.com/hold"}
		return program(manifest)
	}
	release := func(name string) {
		w.patch("ConfigMap", name, map[string]any{"metadata": map[string]any{"finalizers": nil}})
	}

	t.Run("a timeout names the finalizer, the object remains, and a later one ends [O58] [O62]", func(t *testing.T) {
		t.Parallel()
		s := start(t, inline(newUser(t))).resource(t, "stuck").mustUp("create", held("stuck"))
		s.timeout = 1
		err := s.destroy()
		require.ErrorContains(t, err, "example.com/hold")
		require.ErrorContains(t, err, "run the command again")
		assert.NotEmpty(t, s.id, "the resource stays in the state")
		assert.True(t, w.exists("ConfigMap", "stuck"))
		release("stuck")
		require.NoError(t, s.destroy())
		assert.False(t, w.exists("ConfigMap", "stuck"))
	})
	t.Run("a finalizer that goes later ends it at once, and the status says what holds", func(t *testing.T) {
		t.Parallel()
		s := start(t, inline(newUser(t))).resource(t, "later").mustUp("create", held("later"))
		done := make(chan error)
		go func() { done <- s.destroy() }()
		eventually(t, func() bool { return len(s.process.log.statuses()) > 0 }, "a status line")
		assert.Contains(t, s.process.log.statuses()[0], "example.com/hold")
		release("later")
		require.NoError(t, <-done)
	})
	t.Run("a volume that a claim holds names the claim at once, and goes after it [D36] [N10]", func(t *testing.T) {
		t.Parallel()
		name := "disk-" + w.namespace
		disk := object(t, `{apiVersion: v1, kind: PersistentVolume, metadata: {name: %s}, spec: {capacity: {storage: 1Gi},
			accessModes: [ReadWriteOnce], storageClassName: "", persistentVolumeReclaimPolicy: Retain, hostPath: {path: /none}}}`, name)
		s := start(t, inline(newUser(t))).resource(t, "disk").mustUp("create", program(disk))
		// As the binder and the protection of volumes do, which do not run here.
		w.patch("PersistentVolume", name, m{"metadata": m{"finalizers": []any{"kubernetes.io/pv-protection"}},
			"spec": m{"claimRef": m{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": w.namespace, "name": "held"}}})
		s.timeout = 2
		err := s.destroy()
		require.ErrorContains(t, err, "held by the PersistentVolumeClaim "+w.namespace+"/held")
		require.ErrorContains(t, err, "kubectl delete pvc --namespace "+w.namespace+" held")
		require.NotContains(t, err.Error(), "As a last resort")
		assert.Contains(t, s.process.log.statuses()[0], "held by the PersistentVolumeClaim")
		w.patch("PersistentVolume", name, m{"metadata": m{"finalizers": nil}})
		require.NoError(t, s.destroy())
	})
	t.Run("the object is gone already", func(t *testing.T) {
		t.Parallel()
		for what, remove := range deletions {
			s := start(t, inline(newUser(t))).resource(t, "gone").mustUp("create", program(w.configMap("gone", nil)))
			w.delete("ConfigMap", "gone")
			require.NoError(t, remove(s), what)
		}
	})
	t.Run("the object belongs to someone else now [O61]", func(t *testing.T) {
		t.Parallel()
		for what, remove := range deletions {
			name := "theirs-" + what
			s := start(t, inline(newUser(t))).resource(t, name).mustUp("create", program(w.configMap(name, nil)))
			w.delete("ConfigMap", name)
			theirs := w.create(w.configMap(name, nil))
			require.NoError(t, remove(s), what)
			assert.Equal(t, theirs.GetResourceVersion(), w.get("ConfigMap", name).GetResourceVersion(), what)
		}
	})
	for code, reason := range map[int32]metav1.StatusReason{
		401: metav1.StatusReasonUnauthorized, 403: metav1.StatusReasonForbidden, 500: metav1.StatusReasonInternalError,
		503: metav1.StatusReasonServiceUnavailable,
	} {
		t.Run(fmt.Sprintf("a %d is an error, never success [O60]", code), func(t *testing.T) {
			t.Parallel()
			g := newGateway(t)
			name := fmt.Sprintf("refused-%d", code)
			s := start(t, g.connection()).resource(t, name).mustUp("create", program(w.configMap(name, nil)))
			g.next(isDelete, refuse(code, reason, "no"))
			err := s.destroy()
			require.Error(t, err)
			if code == http.StatusUnauthorized {
				assert.ErrorContains(t, err, "a destroy uses the connection of the last `pulumi up`", "[D42]")
			}
			assert.NotEmpty(t, s.id)
			assert.True(t, w.exists("ConfigMap", name))

			s.in(start(t, g.connection()))
			g.next(isDiscovery, refuse(code, reason, "no"))
			require.Error(t, s.remove(), "a discovery that fails proves nothing")
			assert.True(t, w.exists("ConfigMap", name))
			require.NoError(t, s.destroy())
		})
	}
	t.Run("an API server that is away is an error, never success [O60]", func(t *testing.T) {
		t.Parallel()
		s := start(t, inline(newUser(t))).resource(t, "away").mustUp("create", program(w.configMap("away", nil)))
		s.in(start(t, map[string]any{"host": closedHost(t), "token": "t", "insecure": true}))
		require.ErrorContains(t, s.destroy(), "cannot be reached")
		assert.NotEmpty(t, s.id)
	})
	t.Run("a 404 that is not Kubernetes' is an error [O60]", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t)
		s := start(t, g.connection()).resource(t, "proxy404").mustUp("create", program(w.configMap("proxy404", nil)))
		s.in(start(t, g.connection()))
		g.always(anything, notFoundPage)
		require.Error(t, s.destroy())
		s.mustRead()
		assert.Equal(t, true, at(t, s.outputs, "__staleRead"))
		g.heal()
		require.NoError(t, s.destroy())
	})
	t.Run("a lost reply to a delete is an error, and the next one ends", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t)
		s := start(t, g.connection()).resource(t, "lost").mustUp("create", program(w.configMap("lost", nil)))
		g.next(isDelete, loseReply)
		require.Error(t, s.remove())
		require.NoError(t, s.remove())
	})
	t.Run("the kind is gone, at read and at delete [O18]", func(t *testing.T) {
		t.Parallel()
		define(t, "Crate", "crates")
		manifest := w.box("crate", map[string]any{"a": "b"})
		manifest["kind"] = "Crate"
		p := start(t, inline(newUser(t)))
		s := p.resource(t, "crate").mustUp("create", program(manifest))
		saved := s.stored
		require.NoError(t, w.client.Resource(definitions).Delete(t.Context(), "crates.example.com", metav1.DeleteOptions{}))
		eventually(t, func() bool {
			_, err := w.client.Resource(definitions).Get(t.Context(), "crates.example.com", metav1.GetOptions{})
			return apierrors.IsNotFound(err)
		}, "the definition is gone")
		for _, q := range []*process{p, start(t, inline(newUser(t)))} {
			eventually(t, func() bool {
				s.stored = saved
				require.NoError(t, s.in(q).read())
				return s.id == ""
			}, "the server forgets the kind")
			for what, remove := range deletions {
				s.stored = saved
				require.NoError(t, remove(s), what)
			}
		}
	})
	t.Run("a replacement deletes as the program says that asks for it [D102]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		manifest := w.deployment(t, "kept")
		s := start(t, g.connection()).resource(t, "kept").mustUp("create", program(manifest))
		sent := g.watchDeletions()
		background := program(manifest, map[string]any{"deletionPropagation": "Background"})
		background = with(t, with(t, background, "manifest.spec.selector.matchLabels.app", "other"), "manifest.spec.template.metadata.labels.app", "other")
		s.in(s.process.again(t)).mustUp("replace", background)
		require.Len(t, sent(), 1)
		assert.Contains(t, sent()[0], `"propagationPolicy":"Background"`, "and not in the foreground, as in the last run")

		s.mustUp("update", with(t, background, "deletionPropagation", "Foreground"))
		s.timeout = 3
		require.NoError(t, s.in(s.process.again(t)).replace(background))
		require.Len(t, sent(), 2)
		assert.Contains(t, sent()[1], `"propagationPolicy":"Background"`, "also where the user asks for it, and the engine asks for no diff")
	})
	t.Run("what a failed replacement has left is deleted as the program says [D102]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		sent := g.watchDeletions()
		s := start(t, g.connection()).resource(t, "before").mustUp("create", program(w.deployment(t, "before")))
		in := program(w.deployment(t, "after"), m{"deletionPropagation": "Background"})
		g.next(isDelete, refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "not on Fridays"))
		_, err := s.in(s.process.again(t)).up(in)
		require.ErrorContains(t, err, "not on Fridays")
		_, err = s.in(s.process.again(t)).up(in)
		require.NoError(t, err)
		require.Len(t, sent(), 2)
		assert.Contains(t, sent()[1], `"propagationPolicy":"Background"`)
		assert.False(t, w.exists("Deployment", "before"))
	})
	t.Run("forceDestroy holds for what a failed replacement has left, as the message says [D102]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "before").mustUp("create", program(w.configMap("before", nil)))
		w.patch("ConfigMap", "before", m{"metadata": m{"finalizers": []any{"example.com/held"}}})
		s.timeout = 2
		_, err := s.in(s.process.again(t)).up(program(w.configMap("after", nil)))
		require.ErrorContains(t, err, "forceDestroy")
		_, err = s.in(s.process.again(t)).up(program(w.configMap("after", nil), m{"forceDestroy": true}))
		require.NoError(t, err)
		assert.False(t, w.exists("ConfigMap", "before"))
	})
	t.Run("deletionPropagation is sent, Foreground where children may be", func(t *testing.T) {
		t.Parallel()
		p := start(t, inline(newUser(t)))
		background := p.resource(t, "quick").mustUp("create", program(w.deployment(t, "quick"), map[string]any{"deletionPropagation": "Background"}))
		require.NoError(t, background.destroy(), "nobody collects garbage here, and nobody needs to")
		s := p.resource(t, "waits").mustUp("create", program(w.deployment(t, "waits")))
		s.timeout = 1
		require.ErrorContains(t, s.destroy(), "foregroundDeletion")
	})
}

func TestIdentityChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))
	in := program(w.configMap("one", nil))
	s := p.resource(t, "one").mustUp("create", in)
	for path, v := range map[string]any{
		"manifest.metadata.name": "two", "manifest.metadata.namespace": "elsewhere", "manifest.kind": "Secret", "manifest.apiVersion": "example.com/v1",
	} {
		t.Run(path+" replaces [O42]", func(t *testing.T) {
			diff, err := s.diff(with(t, in, path, v))
			require.NoError(t, err)
			assert.True(t, diff.Replace())
			assert.True(t, diff.DetailedDiff[path].Kind.IsReplace(), "%v", diff.DetailedDiff)
		})
	}
	t.Run("another default namespace replaces what holds no data, and nothing else [O42]", func(t *testing.T) {
		claim := object(t, `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data},
			spec: {accessModes: [ReadWriteOnce], storageClassName: none, resources: {requests: {storage: 1Gi}}}}`)
		nowhere := w.configMap("nowhere", nil)
		delete(nowhere["metadata"].(map[string]any), "namespace")
		within := func(namespace string) *process {
			connection := inline(newUser(t))
			connection["namespace"] = namespace
			return start(t, connection)
		}
		here, there := within(w.namespace), within(newWorld(t).namespace)
		data := here.resource(t, "data").mustUp("create", program(claim))
		settings := here.resource(t, "settings").mustUp("create", program(nowhere))
		uid := w.get("PersistentVolumeClaim", "data").GetUID()

		diff, err := settings.in(there).diff(program(nowhere))
		require.NoError(t, err)
		assert.True(t, diff.Replace())
		data.in(there).mustRead()
		require.Empty(t, data.mustDiff(program(claim)))
		assert.Contains(t, data.warned(), "PersistentVolumeClaim "+w.namespace+`/data stays in namespace "`+w.namespace+`"`)
		data.mustUp("update", with(t, program(claim), "manifest.metadata.labels", map[string]any{"app": "db"}))
		assert.Equal(t, "db", w.value("PersistentVolumeClaim", "data", "metadata", "labels", "app"))
		assert.Equal(t, w.namespace, at(t, data.outputs, "resourceRef.namespace"))
		diff, err = data.diff(program(claim, map[string]any{"onImmutable": "replace"}))
		require.NoError(t, err)
		assert.True(t, diff.Replace())
		diff, err = data.diff(with(t, program(claim), "manifest.metadata.namespace", "elsewhere"))
		require.NoError(t, err)
		assert.True(t, diff.Replace(), "what the manifest says is asked for")
		assert.Equal(t, uid, w.get("PersistentVolumeClaim", "data").GetUID())
	})
	t.Run("the old object is gone after a replacement [O42]", func(t *testing.T) {
		s.mustUp("replace", with(t, in, "manifest.metadata.name", "two"))
		assert.False(t, w.exists("ConfigMap", "one"))
		assert.True(t, w.exists("ConfigMap", "two"))
	})
}
