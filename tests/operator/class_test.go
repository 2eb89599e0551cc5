package operator

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// platform is where the programs of the sample class run.
const platform = "platform-runs"

var webApp = schema.GroupVersionKind{Group: "apps.platform.example.com", Version: "v1alpha1", Kind: "WebApp"}

// run calls kubectl as an administrator.
func (s *surroundings) run(args ...string) string {
	s.Helper()
	out, err := kubectl(s.Context(), s.cluster, args...)
	require.NoError(s, err, out)
	return out
}

// object is an object of the sample class.
func (s *surroundings) object(name string, spec fields) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: fields{"spec": spec}}
	object.SetGroupVersionKind(webApp)
	object.SetNamespace(s.namespace)
	object.SetName(name)
	return object
}

// shown is what a tenant sees of an object.
func (p *person) shown(name string) status {
	p.Helper()
	object := p.object(name, nil)
	require.NoError(p, p.client.Get(p.Context(), client.ObjectKeyFromObject(object), object))
	var shown status
	encoded, err := json.Marshal(object.Object["status"])
	require.NoError(p, err)
	require.NoError(p, json.Unmarshal(encoded, &shown))
	return shown
}

func TestATenantOfAClass(t *testing.T) { // [X59] [X60] [X61]
	t.Parallel()
	s := with(t)
	s.run("create", "namespace", platform)
	t.Cleanup(func() {
		out, err := kubectl(t.Context(), s.cluster, "delete", "namespace", platform, "--ignore-not-found", "--wait=false")
		if err != nil {
			t.Log(out)
		}
	})
	s.run("apply", "-n", platform, "-f", runner)
	s.run("apply", "-f", filepath.Join(manifests, "class", "webapp.yaml"))
	s.run("wait", "environmentclass/webapp", "--for=condition=Ready", "--timeout=60s")
	s.run("label", "namespace", s.namespace, "tenant=true")

	user, err := s.cluster.AddUser("tenant-of-" + s.namespace)
	require.NoError(t, err)
	tenant := s.permit(user, rbacv1.PolicyRule{APIGroups: []string{webApp.Group}, Resources: []string{"webapps"}, Verbs: []string{"*"}})
	s.eventually(func() bool {
		return tenant.client.Create(t.Context(), s.object("shop", fields{"image": "shop:1.4"})) == nil
	}, "the role is known")
	t.Cleanup(func() {
		if t.Failed() {
			s.explain()
			(&surroundings{T: t, cluster: s.cluster, node: s.node, client: s.client, namespace: platform}).explain()
		}
	})
	ready := func() bool { return tenant.shown("shop").condition("Ready").Status == "True" }
	s.eventually(ready, "it is Ready")

	t.Run("gets what the program makes, in its own namespace, and the outputs", func(t *testing.T) {
		assert.Equal(t, "http://shop."+s.namespace, tenant.shown("shop").Outputs["url"])
		assert.Equal(t, map[string]string{"image": "shop:1.4", "size": "2 replicas"}, s.configMap("shop-settings").Data)
		assert.Equal(t, "http://shop."+s.namespace, string(s.secret("shop-outputs").Data["url"]))
	})
	t.Run("sees no Secret, program or account of the platform team, and starts nothing there", func(t *testing.T) {
		for _, list := range []client.ObjectList{&corev1.SecretList{}, &corev1.ConfigMapList{}, &corev1.PodList{}, &corev1.ServiceAccountList{}} {
			for _, namespace := range []string{platform, s.namespace} {
				err := tenant.client.List(t.Context(), list, client.InNamespace(namespace))
				assert.True(t, apierrors.IsForbidden(err), "%T: %v", list, err)
			}
		}
		pods := &corev1.PodList{}
		require.NoError(t, s.client.List(t.Context(), pods, client.InNamespace(s.namespace)))
		assert.Empty(t, pods.Items, "no pod with an account's token runs where the tenant could enter it")
	})
	t.Run("may not set what configures the provider, or another type", func(t *testing.T) {
		err := tenant.client.Create(t.Context(), s.object("wrong", fields{"image": "shop:1.4", "replicas": "many"}))
		assert.True(t, apierrors.IsInvalid(err), "%v", err)
		other := s.object("other", fields{"image": "shop:1.4", "k8sconnect:kubeconfig": "{}"})
		require.NoError(t, tenant.client.Create(t.Context(), other, client.DryRunAll))
		assert.NotContains(t, other.Object["spec"], "k8sconnect:kubeconfig")
	})
	t.Run("names a Secret only if it may read it", func(t *testing.T) {
		s.run("patch", "environmentclass", "webapp", "--type=merge", "--patch", `{"spec":{"secrets":["password"]}}`)
		s.setSecret("db", map[string]string{"password": "geheim"})
		from := func() *unstructured.Unstructured {
			return s.object("spy", fields{"image": "shop:1.4", "password": fields{"secretKeyRef": fields{"name": "db", "key": "password"}}})
		}
		var refused error
		s.eventually(func() bool {
			refused = tenant.client.Create(t.Context(), from(), client.DryRunAll)
			return refused != nil
		}, "the field is served, and the policy refuses it")
		assert.Contains(t, refused.Error(), tenant.name+" may not read each Secret of the namespace "+s.namespace+" that this object names: db")
		s.follow(refused.Error())
		s.eventually(func() bool { return tenant.client.Create(t.Context(), from(), client.DryRunAll) == nil }, "it is allowed")
	})
	t.Run("hears of what goes wrong at its own object", func(t *testing.T) {
		wrong := s.object("shop.wrong", fields{"image": "shop:1.4"}) // A Service cannot have this name.
		require.NoError(t, tenant.client.Create(t.Context(), wrong))
		hears := func() string {
			return s.run("get", "events", "-n", s.namespace, "--field-selector", "involvedObject.kind=WebApp,involvedObject.name=shop.wrong,reason=UpdateFailed", "-o", "jsonpath={.items[*].message}")
		}
		s.eventually(func() bool { return strings.Contains(hears(), "cannot create Service "+s.namespace+"/shop.wrong") }, "the tenant hears of it")
	})
	t.Run("is corrected by a new revision, in place, also where another object failed before", func(t *testing.T) {
		before := s.configMap("shop-settings").UID
		text := strings.ReplaceAll(s.run("get", "configmap", "webapp", "-n", platform, "-o", `jsonpath={.data.Pulumi\.yaml}`), `image: "${image}"`, `image: "registry/${image}"`)
		patch, err := json.Marshal(fields{"data": fields{"Pulumi.yaml": text}})
		require.NoError(t, err)
		s.run("patch", "configmap", "webapp", "-n", platform, "--type=merge", "--patch", string(patch))
		s.eventually(func() bool { return s.configMap("shop-settings").Data["image"] == "registry/shop:1.4" }, "it is updated")
		assert.Equal(t, before, s.configMap("shop-settings").UID)
		s.eventually(ready, "it is Ready")
		s.eventually(func() bool {
			return strings.Contains(s.run("get", "environmentclass", "webapp"), "1 of 2 are Ready on the newest revision, and "+s.namespace+"/shop.wrong fails as before it.")
		}, "the class tells them apart")
		require.NoError(t, tenant.client.Delete(t.Context(), s.object("shop.wrong", nil)))
	})
	t.Run("cannot lose all by a definition that is deleted", func(t *testing.T) {
		out, err := kubectl(t.Context(), s.cluster, "delete", "crd", "webapps."+webApp.Group, "--wait=false")
		require.Error(t, err, out)
		assert.Contains(t, out, "this deletes all objects of the kind WebApp of the cluster")
	})
	t.Run("loses nothing when its class is deleted, which waits", func(*testing.T) {
		s.run("delete", "environmentclass", "webapp", "--wait=false")
		s.eventually(func() bool {
			return strings.Contains(s.run("get", "environmentclass", "webapp"), "waits for 1 object: "+s.namespace+"/shop.")
		}, "the class says for whom it waits")
		assert.NotNil(t, s.configMap("shop-settings"))
		assert.Equal(t, "http://shop."+s.namespace, tenant.shown("shop").Outputs["url"])
	})
	t.Run("leaves nothing when it deletes its object", func(t *testing.T) {
		require.NoError(t, tenant.client.Delete(t.Context(), s.object("shop", nil)))
		s.eventually(func() bool {
			return apierrors.IsNotFound(tenant.client.Get(t.Context(), client.ObjectKey{Namespace: s.namespace, Name: "shop"}, s.object("shop", nil)))
		}, "it is gone")
		assert.Nil(t, s.configMap("shop-settings"))
		s.eventually(func() bool {
			return !strings.Contains(s.run("get", "secrets,environments", "-n", platform), "shop-") && s.secret("shop-outputs") == nil
		}, "and what belonged to it")
	})
	t.Run("and the class leaves nothing, either", func(*testing.T) {
		s.run("wait", "environmentclass/webapp", "--for=delete", "--timeout=60s")
		s.run("wait", "crd/webapps."+webApp.Group, "--for=delete", "--timeout=60s")
	})
}
