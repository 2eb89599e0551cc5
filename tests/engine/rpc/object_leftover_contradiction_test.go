package rpc_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestWhatContradictsAnothersFieldIsNotReplaced(t *testing.T) {
	t.Parallel()
	t.Run("a limit below a request of another manager [D1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", program(w.inNamespace(t, container("")), atOnce))
		w.jsonPatch("Deployment", "it", m{"op": "add", "path": "/spec/template/spec/containers/0/resources", "value": m{"requests": m{"cpu": "2"}}})
		w.requireContradiction(t, s, "Deployment", program(w.inNamespace(t, container("resources: {limits: {cpu: 1}}")), atOnce),
			"spec.template.spec.containers[name=web].resources.requests", "owned by intern", "was not touched", "must be less than or equal to cpu limit")
	})
	t.Run("a budget of which another manager has set the other half [D1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", program(w.inNamespace(t, budgetYAML("")), atOnce))
		w.patch("PodDisruptionBudget", "it", m{"spec": m{"minAvailable": 1}})
		w.requireContradiction(t, s, "PodDisruptionBudget", program(w.inNamespace(t, budgetYAML("maxUnavailable: 1")), atOnce),
			"spec.minAvailable (owned by intern)")
	})
	t.Run("a controller reference beside that of another [D1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		owner := func(uid string) m {
			return m{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": uid, "controller": true}
		}
		in := program(w.configMap("it", nil), atOnce)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in)
		w.patch("ConfigMap", "it", m{"metadata": m{"ownerReferences": []any{owner("a")}}})
		w.requireContradiction(t, s, "ConfigMap", with(t, in, "manifest.metadata.ownerReferences", []any{owner("b")}), "ownerReferences", "owned by intern")
	})
	t.Run("data of a ConfigMap that another manager has made immutable [D1]", func(t *testing.T) {
		t.Parallel()
		for _, kind := range []string{"ConfigMap", "Secret"} {
			w := newWorld(t)
			manifest := w.configMap("it", m{"a": "eHh4eA=="})
			manifest["kind"] = kind
			in := program(manifest, atOnce)
			s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in)
			w.patch(kind, "it", m{"immutable": true})
			w.requireContradiction(t, s, kind, with(t, in, "manifest.data.a", "eXl5eQ=="), "immutable is true", "set by intern")
		}
	})
	t.Run("a finalizer that is added while the object goes [D1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(w.configMap("it", nil), atOnce)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in)
		w.patch("ConfigMap", "it", m{"metadata": m{"finalizers": []any{"example.org/hold"}}})
		w.delete("ConfigMap", "it")
		w.requireContradiction(t, s, "ConfigMap", with(t, in, "manifest.metadata.finalizers", []any{"example.org/mine"}), "is being deleted")
		w.patch("ConfigMap", "it", m{"metadata": m{"finalizers": nil}})
	})
}

func TestWhatCannotBeTriedIsNotReplaced(t *testing.T) {
	t.Parallel()
	t.Run("where a quota is full, which is said [D1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		u := unchangeables["an immutable ConfigMap"]
		in := program(w.inNamespace(t, u.yaml), atOnce)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in)
		quota := w.create(object(t, `{apiVersion: v1, kind: ResourceQuota, metadata: {name: full, namespace: %s}, spec: {hard: {configmaps: "1"}}}`, w.namespace))
		quota.Object["status"] = m{"hard": m{"configmaps": "1"}, "used": m{"configmaps": "1"}}
		_, err := w.objects("ResourceQuota").UpdateStatus(t.Context(), quota, metav1.UpdateOptions{})
		require.NoError(t, err)
		probe := &unstructured.Unstructured{Object: w.configMap("probe", nil)}
		eventually(t, func() bool {
			_, err := w.objects("ConfigMap").Create(t.Context(), probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			return err != nil && strings.Contains(err.Error(), "exceeded quota")
		}, "the quota is in force")
		w.requireContradiction(t, s, "ConfigMap", with(t, in, "manifest.data.a", "2"), "nothing proves", `quota "full"`, "was not touched")
	})
	t.Run("where the kind cannot have another name [D1]", func(t *testing.T) {
		t.Parallel()
		definition := definitionOf(t, "named.example.org", "Anchor", "{type: object}")
		in := program(definition, onImmutable("replace"))
		s := start(t, inline(newUser(t))).resource(t, "anchors").mustUp("create", in)
		awaitEstablished(t, newWorld(t).client, "anchors.named.example.org")
		uid := at(t, s.outputs, "resourceRef.uid")
		did, err := s.up(with(t, in, "manifest.spec.scope", "Cluster"))
		require.ErrorContains(t, err, "cannot have another name")
		require.ErrorContains(t, err, "field is immutable")
		assert.NotContains(t, err.Error(), "onImmutable")
		assert.Equal(t, "update", did)
		s.mustRead()
		assert.Equal(t, uid, at(t, s.outputs, "resourceRef.uid"))
		require.NoError(t, s.destroy())
	})
}

func TestKindsOfOthersAreKept(t *testing.T) {
	t.Parallel()
	const growing = `{type: object, properties: {size: {type: integer, x-kubernetes-validations: [{rule: "self >= oldSelf", message: "storage cannot shrink"}]}, note: {type: string}}}`
	defined := func(t *testing.T) (world, string, *session, resource.PropertyMap) {
		w := newWorld(t)
		group := w.group()
		w.define(definitionOf(t, group, "Database", growing))
		w.served(group, "Database")
		in := program(custom(t, group, "Database", w.namespace, "{size: 10, note: a}"), atOnce)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in)
		return w, group, s, in
	}
	uidOf := func(t *testing.T, w world, group string) string {
		live, err := w.client.Resource(customKind(group, "Database")).Namespace(w.namespace).Get(t.Context(), "it", metav1.GetOptions{})
		require.NoError(t, err)
		return string(live.GetUID())
	}
	t.Run("a database whose storage shrinks is refused, the field is named, and nothing is deleted [D1]", func(t *testing.T) {
		w, group, s, in := defined(t)
		uid := uidOf(t, w, group)
		kept := s.stored
		did, err := s.up(with(t, with(t, in, "manifest.spec.size", 5), "manifest.spec.note", "b"))
		require.ErrorContains(t, err, "/it: spec.size cannot be changed on an existing object")
		require.ErrorContains(t, err, "storage cannot shrink")
		require.ErrorContains(t, err, "the default for kinds that Kubernetes itself does not define")
		assert.Equal(t, 1, strings.Count(err.Error(), "Next: "), err.Error())
		assert.Equal(t, "update", did)
		assert.Equal(t, uid, uidOf(t, w, group))
		s.stored = kept
		s.mustUp("update", with(t, in, "manifest.spec.size", 20))
		assert.Equal(t, uid, uidOf(t, w, group))
	})
	t.Run("and replaced where the user says so [D1]", func(t *testing.T) {
		w, group, s, in := defined(t)
		uid := uidOf(t, w, group)
		s.mustUp("replace", with(t, with(t, in, "manifest.spec.size", 5), "onImmutable", "replace"))
		assert.NotEqual(t, uid, uidOf(t, w, group))
	})
}
