package rpc_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// tokenUser is a service account that may do everything.
func (w world) tokenUser(name string) cluster.User {
	w.t.Helper()
	c := shared.Get(w.t)
	user, err := c.ServiceAccount(w.t.Context(), w.namespace, name, time.Hour)
	require.NoError(w.t, err)
	_, err = c.Client().RbacV1().ClusterRoleBindings().Create(w.t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: w.namespace + "-" + name},
		RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: w.namespace, Name: name}},
	}, metav1.CreateOptions{})
	require.NoError(w.t, err)
	eventually(w.t, func() bool { // the authorizer learns of it by a watch
		take := start(w.t, inline(user)).resource(w.t, "probe")
		_, _, err := take.preview(program(w.configMap("probe", nil)))
		return err == nil
	}, "the token may do something")
	return user
}

// kubeconfig has a context for each namespace, named after its place in the arguments; the last is current.
func kubeconfig(user cluster.User, namespaces ...string) string {
	b64 := func(text []byte) string { return base64.StdEncoding.EncodeToString(text) }
	credentials := fmt.Sprintf("token: '%s'", user.Token)
	if user.Token == "" {
		credentials = fmt.Sprintf("client-certificate-data: %s, client-key-data: %s", b64(user.ClientCertificate), b64(user.ClientKey))
	}
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: '%s', certificate-authority-data: %s}}]\n"+
		"users: [{name: u, user: {%s}}]\ncurrent-context: arn:aws/%d\ncontexts:\n", user.Host, b64(user.CACertificate), credentials, len(namespaces)-1)
	for i, namespace := range namespaces {
		text += fmt.Sprintf("- {name: 'arn:aws/%d', context: {cluster: c, user: u, namespace: %s}}\n", i, namespace)
	}
	return text
}

func TestEveryKindOfConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user, token := newUser(t), w.tokenUser("tester")
	base64Of := func(config map[string]any) map[string]any {
		encoded := map[string]any{}
		for key, v := range config {
			if encoded[key] = v; key != "host" {
				encoded[key] = base64.StdEncoding.EncodeToString([]byte(v.(string)))
			}
		}
		return encoded
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(file, []byte(kubeconfig(user, w.namespace)), 0o600))
	for what, config := range map[string]map[string]any{
		"host, CA and token [C1]":                      inline(token),
		"host, CA, client certificate and key [C2]":    inline(user),
		"kubeconfig as contents [C4]":                  {"kubeconfig": kubeconfig(user, w.namespace)},
		"kubeconfig as base64 of contents [D5]":        {"kubeconfig": base64.StdEncoding.EncodeToString([]byte(kubeconfig(user, w.namespace)))},
		"kubeconfig as a path [C5]":                    {"kubeconfig": file},
		"a context with slashes and colons [C6] [O67]": {"kubeconfig": kubeconfig(user, "other", w.namespace, "x"), "context": "arn:aws/1"},
		"base64 of PEM [C7]":                           base64Of(inline(user)),
		"insecure, when asked [C13]":                   {"host": user.Host, "insecure": true, "token": token.Token},
	} {
		t.Run(what, func(t *testing.T) {
			for place, in := range map[string]struct {
				provider map[string]any
				own      map[string]any
			}{
				"provider configuration": {provider: config},
				"clusterConnection":      {own: map[string]any{"clusterConnection": config}},
			} {
				s := start(t, in.provider).resource(t, "c")
				s.mustUp("create", program(w.configMap("c", nil), in.own)).mustUp("same", program(w.configMap("c", nil), in.own))
				for _, credential := range []string{"token", "clientKey", "clientCertificate", "kubeconfig"} {
					if v, ok := config[credential].(string); ok {
						assert.Empty(t, s.where(v), "%s, %s [C16]", credential, place)
						assert.NotContains(t, fmt.Sprint(plain(resource.NewProperty(s.outputs))), v, "outputs never repeat the connection")
					}
				}
				require.NoError(t, s.destroy())
			}
		})
	}
	t.Run("an untrusted certificate is refused unless asked [C13] [C12]", func(t *testing.T) {
		s := start(t, map[string]any{"host": user.Host, "token": token.Token}).resource(t, "c")
		require.ErrorContains(t, s.create(program(w.configMap("c", nil))), "certificate")
		assert.Equal(t, stored{}, s.stored)
	})
	t.Run("impersonation [C14]", func(t *testing.T) {
		config := inline(user)
		config["impersonate"] = map[string]any{"user": "jane", "groups": []any{"devs"}}
		err := start(t, config).resource(t, "c").create(program(w.configMap("c", nil)))
		require.ErrorContains(t, err, `"jane"`)
		require.ErrorContains(t, err, "403")
	})
	t.Run("nothing at all says what to set [C5]", func(t *testing.T) {
		err := start(t, nil).resource(t, "c").create(program(w.configMap("c", nil)))
		require.ErrorContains(t, err, "Set kubeconfig, or host with credentials")
	})
	t.Run("a file that does not exist is said [C5]", func(t *testing.T) {
		missing := filepath.Join(t.TempDir(), "no")
		err := start(t, map[string]any{"kubeconfig": missing}).resource(t, "c").create(program(w.configMap("c", nil)))
		require.ErrorContains(t, err, missing)
		require.ErrorContains(t, err, "does not exist")
	})
}

// TestKubeconfigVariable is not parallel: the environment belongs to all tests.
func TestKubeconfigVariable(t *testing.T) {
	w := newWorld(t)
	user := newUser(t)
	dir := t.TempDir()
	whole := kubeconfig(user, w.namespace)
	head, contexts, _ := strings.Cut(whole, "contexts:")
	require.NoError(t, os.WriteFile(dir+"/one", []byte(head), 0o600))
	require.NoError(t, os.WriteFile(dir+"/two", []byte("apiVersion: v1\nkind: Config\ncontexts:"+contexts), 0o600))
	t.Setenv("KUBECONFIG", dir+"/one:"+dir+"/two")
	t.Run("$KUBECONFIG with two files [C5]", func(t *testing.T) {
		start(t, nil).resource(t, "c").mustUp("create", program(w.configMap("c", nil)))
	})
}

func TestCredentialPlugin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.tokenUser("plugin")
	command, calls := filepath.Join(t.TempDir(), "login"), filepath.Join(t.TempDir(), "calls")
	require.NoError(t, os.WriteFile(command, fmt.Appendf(nil, "#!/bin/sh\necho \"$WHO\" >> %s\n"+
		`printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}'`, calls, token.Token), 0o700))
	connection := func(who any) map[string]any {
		return map[string]any{
			"host": token.Host, "clusterCaCertificate": string(token.CACertificate),
			"exec": map[string]any{"command": command, "env": map[string]any{"WHO": who}},
		}
	}
	called := func() string {
		text, err := os.ReadFile(calls)
		if !os.IsNotExist(err) {
			require.NoError(t, err)
		}
		return string(text)
	}
	t.Run("an env that is unknown at preview gives unknown outputs and no failure [C3] [C9]", func(t *testing.T) {
		_, outputs, err := start(t, nil).resource(t, "x").preview(
			program(w.configMap("x", nil), map[string]any{"clusterConnection": connection(unknown())}))
		require.NoError(t, err)
		assert.Equal(t, unknownText, at(t, outputs, "manifest"))
		assert.Empty(t, called())
	})
	t.Run("called once for many objects, as configuration and as clusterConnection [C3]", func(t *testing.T) {
		p := start(t, connection("me"))
		var group errgroup.Group
		for i := range 100 {
			name := fmt.Sprintf("c%d", i)
			in := program(w.configMap(name, nil))
			if i%2 == 0 {
				in = program(w.configMap(name, nil), map[string]any{"clusterConnection": connection("me")})
			}
			group.Go(func() error { return p.resource(t, name).create(in) })
		}
		require.NoError(t, group.Wait())
		assert.Equal(t, "me\n", called())
	})
	t.Run("one that fails is named, and its output is not shown [C16]", func(t *testing.T) {
		bad := connection("me")
		bad["exec"] = map[string]any{"command": "/bin/false", "args": []any{hush}, "env": map[string]any{"P": hush}}
		s := start(t, nil).resource(t, "x")
		err := s.create(program(w.configMap("x", nil), map[string]any{"clusterConnection": bad}))
		require.ErrorContains(t, err, "/bin/false")
		requireHidden(t, s)
		assert.Equal(t, stored{}, s.stored)
	})
}

func TestWrongConnectionsAreRefusedByFieldName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, configured := startUnconfigured(t), start(t, nil)
	for what, c := range map[string]struct {
		config map[string]any
		fields []string
	}{
		"host and kubeconfig":      {map[string]any{"host": "https://h", "kubeconfig": "k"}, []string{"host"}},
		"token without host":       {map[string]any{"token": hush}, []string{"token"}},
		"host and context":         {map[string]any{"host": "https://h", "context": "c"}, []string{"context"}},
		"token and exec":           {map[string]any{"host": "https://h", "token": hush, "exec": map[string]any{"command": "x"}}, []string{"token"}},
		"a certificate, no key":    {map[string]any{"host": "https://h", "clientCertificate": hush}, []string{"clientCertificate", "clientCertificate"}},
		"insecure and a CA":        {map[string]any{"host": "https://h", "insecure": true, "clusterCaCertificate": hush}, []string{"insecure", "clusterCaCertificate"}},
		"a typing mistake":         {map[string]any{"hots": "https://h"}, []string{"hots"}},
		"an invalid port [C12]":    {map[string]any{"host": "https://h:99999"}, []string{"host"}},
		"a host that is none":      {map[string]any{"host": "ftp://h"}, []string{"host"}},
		"a wrong type":             {map[string]any{"host": 5.0, "insecure": "maybe"}, []string{"host", "insecure"}},
		"exec without its command": {map[string]any{"host": "https://h", "exec": map[string]any{}}, []string{"exec.command"}},
	} {
		t.Run(what+" [C8]", func(t *testing.T) {
			_, failures := p.checkConfig(t, c.config)
			var fields []string
			for _, failure := range failures {
				field, _ := named(t, failure)
				fields = append(fields, field)
				assert.NotContains(t, failure.Reason, hush, "[C16]")
				if field != "clusterCaCertificate" { // Public, as certificates are.
					assert.NotEqual(t, hush, c.config[string(failure.Property)], "the engine would print it [C16]")
				}
			}
			assert.ElementsMatch(t, c.fields, fields, "%v", failures)

			s := configured.resource(t, "x")
			_, err := s.check(program(w.configMap("x", nil), map[string]any{"clusterConnection": c.config}), true)
			var want []problem
			for _, field := range c.fields {
				want = append(want, problem{"clusterConnection." + field, ""})
			}
			requireProblems(t, err, want...)
			assert.Empty(t, s.where(hush), "[C16]")
		})
	}
	t.Run("driftDetection and namespace are checked", func(t *testing.T) {
		_, failures := p.checkConfig(t, map[string]any{"driftDetection": "never"})
		require.Len(t, failures, 1)
		assert.Equal(t, "driftDetection", string(failures[0].Property))
		assert.Contains(t, failures[0].Reason, "driftDetection must be one of preview, refresh.")
	})
	t.Run("driftDetection is the same word where a language sends it as JSON [E5]", func(t *testing.T) {
		checked, failures := p.checkConfig(t, map[string]any{"driftDetection": `"refresh"`})
		require.Empty(t, failures)
		assert.Equal(t, resource.NewProperty("refresh"), checked["driftDetection"])
		_, failures = p.checkConfig(t, map[string]any{"driftDetection": `"never"`})
		assert.Len(t, failures, 1)
	})
	t.Run("conflictPolicy is checked [O33]", func(t *testing.T) {
		for _, wrong := range []any{"Fail", "", true} {
			_, failures := p.checkConfig(t, map[string]any{"conflictPolicy": wrong})
			require.Len(t, failures, 1, "%v", wrong)
			assert.Equal(t, "conflictPolicy", string(failures[0].Property))
			assert.Contains(t, failures[0].Reason, "conflictPolicy must be one of force, fail.")
		}
		for _, right := range []any{"fail", "force", unknown()} {
			_, failures := p.checkConfig(t, map[string]any{"conflictPolicy": right})
			assert.Empty(t, failures, "%v", right)
		}
	})
}

func TestUnknownConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user := newUser(t)
	own := func(connection any) resource.PropertyMap {
		return program(w.configMap("web", nil), map[string]any{"clusterConnection": connection})
	}
	partly := inline(user)
	partly["host"] = unknown()
	for what, connection := range map[string]any{"a host": partly, "a connection": unknown(), "a secret one": resource.MakeSecret(unknown())} {
		t.Run(what+" unknown at preview; one up creates all, the second preview is empty [C9]", func(t *testing.T) {
			s := start(t, nil).resource(t, "web")
			did, outputs, err := s.preview(own(connection))
			require.NoError(t, err)
			assert.Equal(t, "create", did)
			assert.Equal(t, unknownText, at(t, outputs, "manifest"))
			s.mustUp("create", own(inline(user)))
			did, _, err = s.preview(own(inline(user)))
			require.NoError(t, err)
			assert.Equal(t, "same", did)
			// and an existing object when the cluster's address is to change
			_, _, err = s.preview(own(connection))
			require.NoError(t, err)
			require.NoError(t, s.destroy())
		})
	}
	t.Run("an object whose manifest names no namespace is not to be replaced because the default one is unknown", func(t *testing.T) {
		s := start(t, nil).resource(t, "web")
		in := func(data string, connection any) resource.PropertyMap {
			return program(map[string]any{
				"apiVersion": "v1", "kind": "ConfigMap",
				"metadata": map[string]any{"name": w.namespace}, "data": map[string]any{"a": data},
			}, map[string]any{"clusterConnection": connection})
		}
		s.mustUp("create", in("1", inline(user)))
		did, _, err := s.preview(in("2", unknown()))
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		require.NoError(t, s.destroy())
	})
	t.Run("in the provider's configuration", func(t *testing.T) {
		p := startUnconfigured(t)
		checked, failures := p.checkConfig(t, partly)
		require.Empty(t, failures)
		p.configureChecked(t, checked)
		_, outputs, err := p.resource(t, "web").preview(program(w.configMap("web", nil)))
		require.NoError(t, err)
		assert.Empty(t, outputs, "all is unknown")
	})
}

func TestWhichConnectionCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user := newUser(t)
	t.Run("a per-resource connection beats the provider's, as a whole [C17]", func(t *testing.T) {
		p := start(t, map[string]any{"host": closedHost(t), "token": "t"})
		in := program(w.configMap("web", nil), map[string]any{"clusterConnection": inline(user)})
		s := p.resource(t, "web").mustUp("create", in).mustUp("same", in)
		require.NoError(t, s.destroy())
		require.Error(t, p.resource(t, "other").create(program(w.configMap("other", nil))))
	})
	t.Run("a configuration that drops its context takes effect [C18]", func(t *testing.T) {
		chosen, current := newWorld(t), newWorld(t)
		text := kubeconfig(user, chosen.namespace, current.namespace)
		manifest := program(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "where"}})
		p := start(t, map[string]any{"kubeconfig": text, "context": "arn:aws/0"})
		p.resource(t, "one").mustUp("create", manifest)
		assert.True(t, chosen.exists("ConfigMap", "where"))
		assert.False(t, current.exists("ConfigMap", "where"))

		start(t, map[string]any{"kubeconfig": text}).resource(t, "two").mustUp("create", manifest)
		assert.True(t, current.exists("ConfigMap", "where"), "in a new process")
		current.delete("ConfigMap", "where")

		_, err := p.raw.Configure(t.Context(), configureRequest(t, map[string]any{"kubeconfig": text}))
		require.NoError(t, err)
		p.resource(t, "three").mustUp("create", manifest)
		assert.True(t, current.exists("ConfigMap", "where"), "in the same process")
	})
}
