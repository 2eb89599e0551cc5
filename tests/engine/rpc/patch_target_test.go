package rpc_test

import (
	"slices"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestTheTargetOfAPatch(t *testing.T) {
	t.Parallel()
	eachKind(t, "a target that is missing is an error, and a warning in the preview [P4]", func(t *testing.T, kind string) {
		w := newWorld(t)
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		outputs := s.previewed("create", in)
		for _, output := range []string{"managedFields", "fieldOwnership", "previousOwners", kind} {
			assert.Equal(t, unknownText, at(t, outputs, output), output)
		}
		assert.Equal(t, "it", at(t, outputs, "resourceRef.name"))
		assert.Equal(t, unknownText, at(t, outputs, "resourceRef.uid"))
		require.Len(t, s.process.log.warnings(), 1)
		assert.Contains(t, s.warned(), "ConfigMap "+w.namespace+"/it")

		err := s.create(in)
		require.ErrorContains(t, err, "ConfigMap "+w.namespace+"/it")
		assert.ErrorContains(t, err, "not found")
		assert.ErrorContains(t, err, "A Patch changes existing objects")
		assert.ErrorContains(t, err, "KubeObject")
		assert.False(t, isInitError(err))
		assert.Empty(t, s.id)
		assert.False(t, w.exists("ConfigMap", "it"), "nothing is created")
	})
	t.Run("a kind that nobody serves, too [P4]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := patching(custom(t, w.group(), "Gadget", w.namespace, "{}"), m{"patch": m{"spec": m{"a": "b"}}})
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		outputs := s.previewed("create", in)
		assert.Equal(t, unknownText, at(t, outputs, "managedFields"))
		assert.Contains(t, s.warned(), "Gadget")
	})
	t.Run("a built-in kind of a wrong group is an error in the preview [P4]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := patching(m{"apiVersion": "apps/v1", "kind": "ConfigMap", "metadata": m{"name": "it", "namespace": w.namespace}}, m{"patch": data("a", "9")})
		_, _, err := patched(t, w, start(t, inline(newUser(t))), "it").preview(in)
		require.ErrorContains(t, err, "it has it in v1")
	})
	t.Run("a name that is a path is refused [P4]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(object(t, "{apiVersion: v1, kind: Secret, metadata: {name: it, namespace: %s}}", w.namespace))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		refusedBoth(t, w, s, patching(w.configMap("../secrets/it", nil), m{"mergePatch": data("a", "9")}), "Secret", "it", "may not contain")
	})
	t.Run("a namespace that is missing [P4]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.namespace += "-none"
		in := patching(w.configMap("it", nil), m{"patch": data("a", "9")})
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		s.previewed("create", in)
		require.ErrorContains(t, s.create(in), "not found")
	})
	eachKind(t, "a cluster-scoped target [P5]", func(t *testing.T, kind string) {
		w := newWorld(t)
		role := object(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: %s, labels: {a: "1"}}, rules: []}`, w.namespace)
		w.create(role)
		t.Cleanup(func() { world{lasting{t}, w.client, w.namespace}.delete("ClusterRole", w.namespace) })
		in := patching(role, setting(kind, m{"metadata": m{"labels": m{"a": "9"}}}))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		s.previewed("create", in)
		s.mustUp("create", in).mustUp("same", in)
		assert.Equal(t, "rbac.authorization.k8s.io/v1/ClusterRole/"+w.namespace, string(s.id))
		assert.Nil(t, at(t, s.outputs, "resourceRef.namespace"))
		assert.Equal(t, "9", w.value("ClusterRole", w.namespace, "metadata", "labels", "a"))
		w.patch("ClusterRole", w.namespace, m{"metadata": m{"labels": m{"a": "drift"}}})
		assert.Equal(t, map[string]string{shownAt(kind, "metadata.labels.a"): "update"}, drifted(s, in))
		s.mustUp("update", in)
		require.NoError(t, s.destroy())
		assert.Equal(t, "9", w.value("ClusterRole", w.namespace, "metadata", "labels", "a"))
		events := world{t, w.client, "default"}.events("PatchReleased")
		assert.True(t, slices.ContainsFunc(events, func(event unstructured.Unstructured) bool {
			about, _ := event.Object["involvedObject"].(m)
			return about["kind"] == "ClusterRole" && about["name"] == w.namespace
		}), "its Event is in the namespace default")
	})
	eachKind(t, "a namespace of a cluster-scoped target is as if it were not there, or refused [P5]", func(t *testing.T, kind string) {
		w := newWorld(t)
		namespaced := object(t, `{apiVersion: v1, kind: Namespace, metadata: {name: %s, namespace: %[1]s}}`, w.namespace)
		w.patch("Namespace", w.namespace, m{"metadata": m{"labels": m{"a": "1"}}})
		in := patching(namespaced, setting(kind, m{"metadata": m{"labels": m{"a": "9"}}}))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		if _, err := s.up(in); err != nil {
			assert.ErrorContains(t, err, "namespace")
			assert.Empty(t, s.id)
			return
		}
		s.mustUp("same", in)
		assert.Equal(t, "9", w.value("Namespace", w.namespace, "metadata", "labels", "a"))
		require.NoError(t, s.destroy())
	})
	eachKind(t, "a custom resource [P5]", func(t *testing.T, kind string) {
		w := newWorld(t)
		defineBox(t)
		w.create(w.box("it", m{"a": "1", "deep": m{"b": int64(2)}}))
		in := patching(w.box("it", nil), setting(kind, m{"spec": m{"deep": m{"b": 3}}}))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in).mustUp("same", in)
		assert.Equal(t, m{"a": "1", "deep": m{"b": int64(3)}}, w.value("Box", "it", "spec"))
		assert.Equal(t, m{"spec.deep.b": "intern"}, at(t, s.outputs, "previousOwners"))
		w.patch("Box", "it", m{"spec": m{"deep": m{"b": 4}}})
		assert.Equal(t, map[string]string{shownAt(kind, "spec.deep.b"): "update"}, drifted(s, in))
		s.mustUp("update", in)
		require.NoError(t, s.destroy())
	})
	eachKind(t, "without a namespace it is in the connection's", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		connection := inline(newUser(t))
		connection["namespace"] = w.namespace
		nowhere := w.configMap("it", nil)
		delete(nowhere["metadata"].(m), "namespace")
		in := patching(nowhere, setting(kind, data("a", "9")))
		s := patched(t, w, start(t, connection), "it").mustUp("create", in).mustUp("same", in)
		assert.Equal(t, w.namespace, at(t, s.outputs, "resourceRef.namespace"))
		assert.Equal(t, "v1/ConfigMap/"+w.namespace+"/it", string(s.id))
		s.mustUp("same", patching(w.configMap("it", nil), setting(kind, data("a", "9"))))
		require.NoError(t, s.destroy())
	})
}

func TestAnotherTargetOfAPatch(t *testing.T) {
	t.Parallel()
	eachKind(t, "is a replacement, and the first is handed back [P6]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("first", nil))
		w.apply("eks", w.configMap("second", nil))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		first := patching(w.configMap("first", nil), setting(kind, data("a", "9")))
		second := patching(w.configMap("second", nil), setting(kind, data("a", "9")))
		s.mustUp("create", first)
		assert.Equal(t, map[string]string{"target.name": plugin.DiffUpdateReplace.String()}, s.mustDiff(second))
		s.previewed("replace", second)
		assert.Equal(t, "1", w.value("ConfigMap", "second", "data", "a"))
		s.mustUp("replace", second).mustUp("same", second)
		assert.Equal(t, "v1/ConfigMap/"+w.namespace+"/second", string(s.id))
		for _, name := range []string{"first", "second"} {
			assert.Equal(t, "9", w.value("ConfigMap", name, "data", "a"), name)
		}
		assert.Empty(t, w.ownedBy(s, "ConfigMap", "first"))
		require.NoError(t, w.applies("eks", w.configMap("first", nil)))
	})
	for what, change := range map[string]struct {
		key   string
		value any
	}{
		"kind": {"kind", "Secret"}, "namespace": {"namespace", "other"}, "group": {"apiVersion", "example.com/v1"},
	} {
		t.Run("by its "+what+" [P6]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.create(w.configMap("it", nil))
			in := patching(w.configMap("it", nil), m{"patch": data("a", "9")})
			s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
			diff, err := s.diff(with(t, in, "target."+change.key, change.value))
			require.NoError(t, err)
			assert.True(t, diff.Replace())
			assert.Contains(t, kinds(t, diff)["target."+change.key], "replace")
		})
	}
	t.Run("of which a part is unknown, is a replacement for all we know [P6]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		in := patching(w.configMap("it", nil), m{"patch": data("a", "9")})
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		changed := m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": unknown(), "namespace": w.namespace}}
		diff, err := s.diff(patching(changed, m{"patch": data("a", "9")}))
		require.NoError(t, err)
		assert.NotEmpty(t, diff.DetailedDiff)
	})
	eachKind(t, "of another version only is an update in place [P6]", func(t *testing.T, kind string) {
		w := newWorld(t)
		scaler := func(version string) m {
			return object(t, `{apiVersion: autoscaling/%s, kind: HorizontalPodAutoscaler, metadata: {name: it, namespace: %s, labels: {a: "1"}},
				spec: {maxReplicas: 5, minReplicas: 1, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}`, version, w.namespace)
		}
		w.create(scaler("v2"))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		older, newer := patching(scaler("v1"), setting(kind, m{"spec": m{"minReplicas": 3}})), patching(scaler("v2"), setting(kind, m{"spec": m{"minReplicas": 3}}))
		s.mustUp("create", older).mustUp("same", older)
		uid := at(t, s.outputs, "resourceRef.uid")
		assert.Equal(t, map[string]string{"target.apiVersion": "update"}, s.mustDiff(newer))
		s.previewed("update", newer)
		s.mustUp("update", newer).mustUp("same", newer)
		assert.Equal(t, uid, at(t, s.outputs, "resourceRef.uid"))
		assert.Equal(t, "autoscaling/v2", at(t, s.outputs, "resourceRef.apiVersion"))
		assert.EqualValues(t, 3, w.value("HorizontalPodAutoscaler", "it", "spec", "minReplicas"))
		w.ownedBy(s, "HorizontalPodAutoscaler", "it")
		w.patch("HorizontalPodAutoscaler", "it", m{"spec": m{"minReplicas": 4}})
		assert.Equal(t, map[string]string{shownAt(kind, "spec.minReplicas"): "update"}, drifted(s, newer))
		s.mustUp("update", newer)
		require.NoError(t, s.destroy())
	})
}

func TestAPatchWhoseTargetIsGone(t *testing.T) {
	t.Parallel()
	eachKind(t, "is gone as well, and cannot be made until it is back [P20]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		w.delete("ConfigMap", "it")
		saved := s.stored
		did, err := s.up(in)
		assert.Equal(t, "create", did)
		require.ErrorContains(t, err, "not found")
		assert.False(t, w.exists("ConfigMap", "it"))

		// Recreated before anybody looks.
		w.create(w.configMap("it", nil))
		s.stored = saved
		s.mustUp("create", in).mustUp("same", in)
		assert.Equal(t, "9", w.value("ConfigMap", "it", "data", "a"))
		assert.EqualValues(t, w.get("ConfigMap", "it").GetUID(), at(t, s.outputs, "resourceRef.uid"))
	})
	eachKind(t, "is found out by an update that was not preceded by a read [P20]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		first, second := patching(w.configMap("it", nil), setting(kind, data("a", "9"))), patching(w.configMap("it", nil), setting(kind, data("a", "10")))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", first)
		w.delete("ConfigMap", "it")
		saved := s.stored
		s.refresh = false
		did, err := s.up(second)
		require.ErrorContains(t, err, "not found", did)
		assert.False(t, isInitError(err))
		assert.False(t, w.exists("ConfigMap", "it"), "nothing is created")

		w.create(w.configMap("it", nil))
		s.stored = saved
		s.refresh = false
		did, err = s.up(second)
		require.NoError(t, err, did)
		requirePatched(t, s)
		assert.Equal(t, "10", w.value("ConfigMap", "it", "data", "a"))
		assert.EqualValues(t, w.get("ConfigMap", "it").GetUID(), at(t, s.outputs, "resourceRef.uid"))
		s.mustUp("same", second)
	})
	eachKind(t, "is destroyed without a word [P27]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
		p := start(t, inline(newUser(t)))
		s := patched(t, w, p, "it").mustUp("create", in)
		other := *s
		w.delete("ConfigMap", "it")
		require.NoError(t, s.remove())

		another := w.create(w.configMap("it", nil))
		require.NoError(t, other.remove(), "another object has its name")
		assert.Equal(t, another.GetResourceVersion(), w.version("ConfigMap", "it"))
		assert.Empty(t, p.log.warnings())
	})
	t.Run("is destroyed when its kind is gone [P27]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.define(definitionOf(t, w.group(), "Gadget", sized))
		w.served(w.group(), "Gadget")
		gadget := custom(t, w.group(), "Gadget", w.namespace, "{size: 3}")
		_, err := w.client.Resource(customKind(w.group(), "Gadget")).Namespace(w.namespace).Create(t.Context(), unstructuredOf(gadget), createOptions)
		require.NoError(t, err)
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", patching(gadget, m{"patch": m{"spec": m{"size": 4}}}))
		require.NoError(t, w.client.Resource(definitions).Delete(t.Context(), "gadgets."+w.group(), metav1.DeleteOptions{}))
		eventually(t, func() bool {
			_, err := w.client.Resource(customKind(w.group(), "Gadget")).List(t.Context(), listAll)
			return err != nil
		}, "the kind is not served")
		require.NoError(t, s.in(start(t, inline(newUser(t)))).remove())
	})
	for what, fail := range unreadable {
		if what == "garbage" {
			continue // of which a destroy may understand enough
		}
		eachKind(t, "out of reach is not destroyed: "+what+" [P27]", func(t *testing.T, kind string) {
			w, g := newWorld(t), newGateway(t)
			w.create(w.configMap("it", nil))
			s := patched(t, w, start(t, g.connection()), "it").mustUp("create", patching(w.configMap("it", nil), setting(kind, data("a", "9"))))
			before := w.version("ConfigMap", "it")
			fail(g)
			require.Error(t, s.in(start(t, g.connection())).destroy())
			assert.NotEmpty(t, s.id)
			assert.Equal(t, before, w.version("ConfigMap", "it"))
			g.heal()
			require.NoError(t, s.in(start(t, g.connection())).destroy())
		})
	}
	t.Run("without a server is not destroyed [P27]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", patching(w.configMap("it", nil), m{"patch": data("a", "9")}))
		err := s.in(start(t, m{"host": closedHost(t), "token": "t", "insecure": true})).destroy()
		require.ErrorContains(t, err, "cannot be reached")
		assert.NotEmpty(t, s.id)
	})
	t.Run("a page that says 404 is no proof that it is gone [P27]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		w.create(w.configMap("it", nil))
		s := patched(t, w, start(t, g.connection()), "it").mustUp("create", patching(w.configMap("it", nil), m{"patch": data("a", "9")}))
		g.always(isGet, notFoundPage)
		before := s.outputs
		require.Error(t, s.destroy())
		s.mustRead()
		kept := s.outputs.Copy()
		delete(kept, "__staleRead")
		assert.Equal(t, plain(resource.NewProperty(before)), plain(resource.NewProperty(kept)))
	})
}

func TestAPatchThatCannotBeReadIsKept(t *testing.T) {
	t.Parallel()
	for what, fail := range unreadable {
		eachKind(t, what+" at Read [P20]", func(t *testing.T, kind string) {
			w, g := newWorld(t), newGateway(t)
			w.create(w.configMap("it", nil))
			in := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
			s := patched(t, w, start(t, g.connection()), "it").mustUp("create", in)
			before := s.outputs
			fail(g)
			s.in(start(t, g.connection())).mustRead()
			require.Len(t, s.process.log.warnings(), 1)
			assert.Contains(t, s.warned(), "NOT CHECKED")
			assert.Equal(t, true, at(t, s.outputs, "__staleRead"))
			kept := s.outputs.Copy()
			delete(kept, "__staleRead")
			assert.Equal(t, plain(resource.NewProperty(before)), plain(resource.NewProperty(kept)))
			assert.Equal(t, map[string]string{"__staleRead": "update"}, kinds(t, s.refreshed), "a refresh that saw nothing says so [D30]")
			_, err := s.diff(in)
			require.Error(t, err, "what cannot be looked at is not unchanged [D30]")

			g.heal()
			w.patch("ConfigMap", "it", data("a", "drift"))
			s.in(start(t, g.connection()))
			assert.Equal(t, map[string]string{shownAt(kind, "data.a"): "update"}, s.mustDiff(in), "Diff looks itself")
			s.mustUp("update", in).mustUp("same", in)
			assert.Nil(t, at(t, s.outputs, "__staleRead"))
			assert.Equal(t, "9", w.value("ConfigMap", "it", "data", "a"))
		})
	}
}
