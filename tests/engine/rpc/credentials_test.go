package rpc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRotatedCredentials(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before, after := inline(newUser(t)), inline(newUser(t))

	t.Run("of the provider: never a replacement [C11]", func(t *testing.T) {
		p := startUnconfigured(t)
		all := map[string]any{
			"kubeconfig": "k", "context": "c", "host": "https://h", "clusterCaCertificate": "x", "insecure": true, "tlsServerName": "n",
			"proxyUrl": "http://p", "token": "t", "clientCertificate": "c", "clientKey": "k", "exec": map[string]any{"command": "x"},
			"impersonate": map[string]any{"user": "u"}, "namespace": "n", "driftDetection": "refresh", "conflictPolicy": "fail", "version": "1.2.3",
		}
		for key, v := range all {
			for _, change := range [][2]map[string]any{{{}, {key: v}}, {{key: v}, {}}, {{key: "other"}, {key: v}}, {{key: unknown()}, {key: v}}} {
				diff, err := p.DiffConfig(t.Context(), plugin.DiffConfigRequest{
					URN: providerURN, OldInputs: sentMap(change[0]), OldOutputs: sentMap(change[0]),
					NewInputs: sentMap(change[1]), AllowUnknowns: true,
				})
				require.NoError(t, err)
				assert.False(t, diff.Replace(), key)
				assert.Empty(t, diff.ReplaceKeys, key)
				for path, detail := range diff.DetailedDiff {
					assert.False(t, detail.Kind.IsReplace(), path)
				}
			}
		}
	})
	t.Run("of a clusterConnection: no diff at all, and used at once [C11]", func(t *testing.T) {
		own := func(connection map[string]any) resource.PropertyMap {
			return program(w.configMap("web", nil), map[string]any{"clusterConnection": connection})
		}
		s := start(t, nil).resource(t, "web").mustUp("create", own(before))
		version := w.get("ConfigMap", "web").GetResourceVersion()
		assert.Empty(t, s.mustDiff(own(after)))
		s.in(start(t, nil)).mustUp("same", own(after))
		assert.Equal(t, after["clientKey"], at(t, s.inputs, "clusterConnection.clientKey"))
		assert.Equal(t, version, w.get("ConfigMap", "web").GetResourceVersion())
		assert.Empty(t, s.process.log.warnings())
	})
	t.Run("one that leads to a cluster that cannot be asked which it is: an error [D8]", func(t *testing.T) {
		elsewhere := map[string]any{"host": closedHost(t), "token": "t"}
		s := start(t, nil).resource(t, "web")
		s.mustUp("create", program(w.configMap("moved", nil), map[string]any{"clusterConnection": before}))
		_, err := s.diff(program(w.configMap("moved", nil), map[string]any{"clusterConnection": elsewhere}))
		require.ErrorContains(t, err, "it is not known whether the connection leads to its cluster")
		require.ErrorContains(t, err, "cannot be reached")
	})
}

func TestCredentialsAreNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := shared.Get(t)
	connections := map[string]map[string]any{
		"refused":  {"host": c.Host(), "clusterCaCertificate": string(newUser(t).CACertificate), "token": hush},
		"closed":   {"host": closedHost(t), "token": hush},
		"a proxy":  {"host": c.Host(), "insecure": true, "token": hush, "proxyUrl": strings.Replace(closedHost(t), "https://", "http://user:"+hush+"@", 1)},
		"nonsense": {"kubeconfig": "{apiVersion: v1, kind: Config, users: [{name: u, user: {token: " + hush + "}}]}"},
	}
	for what, connection := range connections {
		for _, own := range []bool{true, false} {
			t.Run(what+" [C16]", func(t *testing.T) {
				var provider, inputs map[string]any
				if own {
					inputs = map[string]any{"clusterConnection": connection}
				} else {
					provider = connection
				}
				p := startUnconfigured(t)
				checked, failures := p.checkConfig(t, provider)
				require.Empty(t, failures)
				assert.NotContains(t, clear(checked), hush)
				p.configureChecked(t, checked)
				s := p.resource(t, "x")
				in := program(w.configMap("x", nil), inputs)
				_, _, err := s.preview(in)
				require.Error(t, err)
				require.Error(t, s.create(in))

				s.inputs, err = s.check(in, false)
				require.NoError(t, err)
				s.id, s.outputs = resource.ID("v1/ConfigMap/"+w.namespace+"/x"), resource.PropertyMap{}
				_ = s.read() // which may fail, if it tells nothing
				require.Error(t, s.destroy(), "[O60]")
				requireHidden(t, s)
			})
		}
	}
	t.Run("objects in the configuration arrive as JSON text and are secret too [C16]", func(t *testing.T) {
		text, err := json.Marshal(map[string]any{"command": "/bin/false", "env": map[string]any{"P": hush}})
		require.NoError(t, err)
		checked, failures := startUnconfigured(t).checkConfig(t, map[string]any{"host": "https://h", "exec": string(text)})
		require.Empty(t, failures)
		assert.NotContains(t, clear(checked), hush)
	})
}
