package e2e

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// nowhere is a kubeconfig that leads nowhere, for stacks whose connection must come from elsewhere.
func (s *stack) nowhere(t testing.TB) {
	t.Helper()
	s.env["KUBECONFIG"] = s.file(t, "nowhere", `{apiVersion: v1, kind: Config, current-context: none,
clusters: [{name: none, cluster: {server: "https://127.0.0.1:1"}}], contexts: [{name: none, context: {cluster: none}}]}`)
}

// account is a service account that may edit one namespace, with a token.
func account(t testing.TB, c *cluster.Cluster, k *kube, namespace, name string) cluster.User {
	t.Helper()
	user, err := c.ServiceAccount(t.Context(), namespace, name, time.Hour)
	require.NoError(t, err)
	k.apply(t, "rbac.authorization.k8s.io/v1/RoleBinding/"+namespace+"/"+name, "test", fmt.Sprintf(`
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: %[1]s, namespace: %[2]s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
subjects: [{kind: ServiceAccount, name: %[1]s, namespace: %[2]s}]
`, name, namespace))
	return user
}

// revoke makes the token of a service account worthless, and waits until the API server, which
// remembers good tokens for ten seconds, knows that.
func revoke(t testing.TB, c *cluster.Cluster, namespace, name string, user cluster.User) {
	t.Helper()
	require.NoError(t, c.Client().CoreV1().ServiceAccounts(namespace).Delete(t.Context(), name, metav1.DeleteOptions{}))
	client, err := kubernetes.NewForConfig(user.RESTConfig())
	require.NoError(t, err)
	eventually(t, "the token is refused", func() bool {
		_, err := client.CoreV1().ConfigMaps(namespace).List(t.Context(), metav1.ListOptions{})
		return apierrors.IsUnauthorized(err)
	})
}

func encode(pem []byte) string { return base64.StdEncoding.EncodeToString(pem) }

func TestUnknownConnection(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k := kubeOf(t, c)

	// The connection passes through an object with a value that is known only after the apply, so
	// that nothing of it is known at preview, as with a cluster made in the same run.
	const source = `
resources:
  first:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: first, namespace: %[1]s}, data: {a: "1"}}
  source:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: Secret
        metadata: {name: source, namespace: %[1]s, annotations: {first: "${first.resourceRef.uid}"}}
        stringData: {host: %[2]q, ca: %[3]q, token: %[4]q, kubeconfig: %[5]q}
`
	for _, variant := range []struct{ name, program string }{
		{"a provider's host", `
  provider:
    type: pulumi:providers:k8sconnect
    properties:
      host: ${source.manifest.stringData.host}
      clusterCaCertificate: ${source.manifest.stringData.ca}
      token: ${source.manifest.stringData.token}
  inside:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: inside, namespace: %s}, data: {a: "1"}}
    options: {provider: "${provider}"}
`},
		{"a provider's kubeconfig", `
  provider:
    type: pulumi:providers:k8sconnect
    properties:
      kubeconfig: ${source.manifest.stringData.kubeconfig}
  inside:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: inside, namespace: %s}, data: {a: "1"}}
    options: {provider: "${provider}"}
`},
		{"a resource's kubeconfig", `
  inside:
    type: k8sconnect:KubeObject
    properties:
      clusterConnection: {kubeconfig: "${source.manifest.stringData.kubeconfig}"}
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: inside, namespace: %s}, data: {a: "1"}}
`},
	} {
		t.Run(variant.name+" is unknown at preview: one up creates all, the next preview is empty [C9]", func(t *testing.T) {
			t.Parallel()
			s, space := newStack(t), c.Namespace(t)
			user := account(t, c, k, space, "inside")
			kubeconfig, err := user.Kubeconfig()
			require.NoError(t, err)
			s.program(t, source+variant.program, space, user.Host, encode(user.CACertificate), user.Token, kubeconfig, space)
			assert.Contains(t, s.preview(t), "to create")
			s.up(t)
			live := k.get(t, "v1/ConfigMap/"+space+"/inside")
			assert.Equal(t, string(live.GetUID()), s.export(t).get(t, "inside").uid())
			s.previewEmpty(t)
			s.destroy(t)
			k.gone(t, "v1/ConfigMap/"+space+"/inside")
		})
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k := kubeOf(t, c)
	const explicit = `
config:
  token: {type: string, secret: true}
resources:
  provider:
    type: pulumi:providers:k8sconnect
    properties: {host: %q, clusterCaCertificate: %q, token: "${token}"}
  object:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: rotated, namespace: %s}, data: {a: "1"}}
    options: {provider: "${provider}"}
`
	const perResource = `
config:
  token: {type: string, secret: true}
resources:
  object:
    type: k8sconnect:KubeObject
    properties:
      clusterConnection: {host: %q, clusterCaCertificate: %q, token: "${token}"}
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: rotated, namespace: %s}, data: {a: "1"}}
`
	const configured = `
resources:
  # %s %s
  object:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: rotated, namespace: %s}, data: {a: "1"}}
`
	for _, variant := range []struct {
		name, program, key string
		empty              bool // the preview shows nothing at all
	}{
		{"of the provider's configuration", configured, "k8sconnect:token", true},
		{"of an explicit provider", explicit, "token", false},
		{"of a resource's own connection", perResource, "token", true},
	} {
		t.Run("a rotated token "+variant.name+" updates no object and replaces nothing [C11]", func(t *testing.T) {
			t.Parallel()
			s, space := newStack(t), c.Namespace(t)
			s.nowhere(t)
			id := "v1/ConfigMap/" + space + "/rotated"
			first, second := account(t, c, k, space, "first"), account(t, c, k, space, "second")
			s.program(t, variant.program, first.Host, encode(first.CACertificate), space)
			if variant.key != "token" {
				s.config(t, "k8sconnect:host", first.Host)
				s.config(t, "k8sconnect:clusterCaCertificate", encode(first.CACertificate))
			}
			s.config(t, variant.key, first.Token, "--secret")
			s.up(t)
			before := k.get(t, id)

			revoke(t, c, space, "first", first)
			s.config(t, variant.key, second.Token, "--secret")
			out := s.preview(t)
			assert.NotContains(t, out, "replace")
			assert.NotContains(t, out, "KubeObject: (update)")
			if variant.empty {
				s.previewEmpty(t)
			}
			s.up(t)
			s.previewEmpty(t)
			live := k.get(t, id)
			assert.Equal(t, before.GetUID(), live.GetUID())
			assert.Equal(t, before.GetResourceVersion(), live.GetResourceVersion())
			s.destroy(t)
			k.gone(t, id)
		})
	}

	t.Run("a rotated client certificate updates no object and replaces nothing [C11]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		s.nowhere(t)
		id := "v1/ConfigMap/" + space + "/rotated"
		s.program(t, configured, "", "", space)
		versions := map[string]bool{}
		for range 2 {
			user, err := c.AddUser("rotating", "system:masters")
			require.NoError(t, err)
			s.config(t, "k8sconnect:host", user.Host)
			s.config(t, "k8sconnect:clusterCaCertificate", encode(user.CACertificate))
			s.config(t, "k8sconnect:clientCertificate", encode(user.ClientCertificate), "--secret")
			s.config(t, "k8sconnect:clientKey", encode(user.ClientKey), "--secret")
			if len(versions) > 0 {
				s.previewEmpty(t)
			}
			s.up(t)
			versions[k.get(t, id).GetResourceVersion()] = true
		}
		assert.Len(t, versions, 1)
	})
}

func TestCredentialsStaySecret(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	s.nowhere(t)
	user := account(t, c, k, space, "secretive")
	admin, err := c.AddUser("secretive", "system:masters")
	require.NoError(t, err)
	kubeconfig, err := admin.Kubeconfig()
	require.NoError(t, err)
	s.program(t, `
config:
  token: {type: string, secret: true}
  kubeconfig: {type: string, secret: true}
resources:
  provider:
    type: pulumi:providers:k8sconnect
    properties: {host: %[1]q, clusterCaCertificate: %[2]q, token: "${token}"}
  byProvider:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: %[3]s}, data: {a: "1"}}
    options: {provider: "${provider}"}
  byConnection:
    type: k8sconnect:KubeObject
    properties:
      clusterConnection: {kubeconfig: "${kubeconfig}"}
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: two, namespace: %[3]s}, data: {a: "1"}}
  plain:
    type: k8sconnect:KubeObject
    properties:
      clusterConnection: {host: %[1]q, clusterCaCertificate: %[2]q, token: %[4]s}
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: three, namespace: %[3]s}, data: {a: "1"}}
`, user.Host, encode(user.CACertificate), space, user.Token)
	s.config(t, "token", user.Token, "--secret")
	s.config(t, "kubeconfig", string(kubeconfig), "--secret")
	hidden := func(t *testing.T, place, text string) {
		t.Helper()
		for what, credential := range map[string]string{"token": user.Token, "client key": encode(admin.ClientKey)} {
			assert.False(t, strings.Contains(text, credential), "the %s is readable in the %s", what, place)
		}
	}
	step(t, "credentials are never readable in what is printed [C16]", func(t *testing.T) {
		hidden(t, "preview", s.preview(t))
		hidden(t, "up", s.up(t, "--diff"))
		hidden(t, "refresh", s.refresh(t, "--diff"))
	})
	step(t, "nor in the state, given as plain text or not [C16]", func(t *testing.T) {
		saved := s.export(t)
		hidden(t, "export", s.exported(t))
		hidden(t, "backend", s.everythingSaved(t))
		for _, r := range saved.resources {
			assert.NotContains(t, r.Outputs, "clusterConnection")
		}
	})
	step(t, "nor in an error [C16]", func(t *testing.T) {
		revoke(t, c, space, "secretive", user)
		text, err := readFile(s.dir, "Pulumi.yaml")
		require.NoError(t, err)
		s.file(t, "Pulumi.yaml", replaceAll(text, `{a: "1"}`, `{a: "2"}`))
		out := s.upFails(t)
		assert.Contains(t, out, "401")
		hidden(t, "error", out)
		hidden(t, "backend", s.everythingSaved(t))
	})
	step(t, "nor in the log of provider and engine [C16]", func(t *testing.T) {
		// The token that is plain text in the program is the engine's own to print.
		text, err := readFile(s.dir, "Pulumi.yaml")
		require.NoError(t, err)
		s.file(t, "Pulumi.yaml", replaceAll(text, "token: "+user.Token, `token: "${token}"`))
		fresh := account(t, c, k, space, "secretive")
		user.Token = fresh.Token
		s.config(t, "token", fresh.Token, "--secret")
		hidden(t, "log", withoutWire(s.up(t, "--logtostderr", "--logflow", "-v=9")))
		hidden(t, "backend", s.everythingSaved(t))
	})
}
