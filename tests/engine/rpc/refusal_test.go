package rpc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// limited is a user who may do with one resource in the namespace what verbs say, and nothing else.
func (w world) limited(name string, verbs []string, group, resource string) cluster.User {
	w.t.Helper()
	user, err := shared.Get(w.t).AddUser(name + "-" + w.namespace)
	require.NoError(w.t, err)
	rbac := func(resource string, manifest map[string]any) {
		_, err := w.client.Resource(schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: resource}).
			Namespace(w.namespace).Create(w.t.Context(), &unstructured.Unstructured{Object: manifest}, metav1.CreateOptions{})
		require.NoError(w.t, err)
	}
	rbac("roles", object(w.t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: %s},
		rules: [{apiGroups: ["%s"], resources: [%s], verbs: [%s]}]}`, name, group, resource, strings.Join(verbs, ", ")))
	rbac("rolebindings", object(w.t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: %[1]s},
		roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: %[1]s},
		subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: "%[2]s"}]}`, name, user.Name))
	// The authorizer learns of it by a watch.
	observer := start(w.t, inline(user)).resource(w.t, "observer")
	eventually(w.t, func() bool {
		err := observer.importID("v1/ConfigMap/" + w.namespace + "/none")
		return group != "" || (err != nil && !strings.Contains(err.Error(), "may not"))
	}, "the role is in force")
	return user
}

// refusedOnce wants a refusal in the preview and in the create, after exactly one request each, and nothing saved.
func refusedOnce(t *testing.T, user cluster.User, manifest map[string]any, says ...string) {
	t.Helper()
	s := start(t, inline(user)).resource(t, "it")
	_, _, err := s.preview(program(manifest))
	require.Error(t, err)
	for _, text := range says {
		require.ErrorContains(t, err, text)
	}
	take := requests(t, user)
	err = s.create(program(manifest))
	require.Error(t, err)
	for _, text := range says {
		require.ErrorContains(t, err, text)
	}
	assert.Equal(t, []string{"PATCH"}, take())
	assert.Empty(t, s.id)
}

func TestAMissingPermission(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	t.Run("is told with the verb, the resource and a command to check", func(t *testing.T) {
		user, err := shared.Get(t).AddUser("nobody-" + w.namespace)
		require.NoError(t, err)
		refusedOnce(t, user, w.deployment(t, "web"),
			`cannot create Deployment `+w.namespace+`/web: user "`+user.Name+`" may not patch deployments.apps in namespace "`+w.namespace+`" (403)`,
			"\n        kubectl auth can-i patch deployments.apps --namespace "+w.namespace+" --as "+user.Name)
	})
	t.Run("to create, where patching is permitted", func(t *testing.T) {
		user := w.limited("patcher", []string{"get", "patch"}, "", "configmaps")
		refusedOnce(t, user, w.configMap("new", nil), "may not create configmaps", "kubectl auth can-i create configmaps")
	})
}

func TestAQuota(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	quota := w.create(object(t, `{apiVersion: v1, kind: ResourceQuota, metadata: {name: small, namespace: %s}, spec: {hard: {configmaps: "0"}}}`, w.namespace))
	// Nobody counts on this cluster, so it is told what has been counted.
	quota.Object["status"] = map[string]any{"hard": map[string]any{"configmaps": "0"}, "used": map[string]any{"configmaps": "0"}}
	_, err := w.objects("ResourceQuota").UpdateStatus(t.Context(), quota, metav1.UpdateOptions{})
	require.NoError(t, err)
	probe := &unstructured.Unstructured{Object: w.configMap("probe", nil)}
	eventually(t, func() bool {
		_, err := w.objects("ConfigMap").Create(t.Context(), probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil && strings.Contains(err.Error(), "exceeded quota")
	}, "the quota is in force")
	refusedOnce(t, newUser(t), w.configMap("web", nil),
		`cannot create ConfigMap `+w.namespace+`/web: it would exceed quota "small"`,
		"\n  requested: configmaps=1\n  used: configmaps=0\n  limited: configmaps=0\n  Next: ")
}

func TestATerminatingNamespace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.namespace += "-ending"
	w.create(object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", w.namespace))
	require.NoError(t, w.objects("Namespace").Delete(t.Context(), w.namespace, metav1.DeleteOptions{}))
	probe := &unstructured.Unstructured{Object: w.configMap("probe", nil)}
	eventually(t, func() bool {
		_, err := w.objects("ConfigMap").Create(t.Context(), probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil && strings.Contains(err.Error(), "terminated")
	}, "the namespace is terminating")
	refusedOnce(t, newUser(t), w.configMap("web", nil),
		"cannot create ConfigMap "+w.namespace+"/web: its namespace is being deleted", "namespace "+w.namespace+" is being terminated")
}
