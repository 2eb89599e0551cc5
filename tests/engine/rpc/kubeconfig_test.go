package rpc_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatIsNoKubeconfigIsNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	encoded := base64.StdEncoding.EncodeToString([]byte(kubeconfig(newUser(t), w.namespace)))
	for what, text := range map[string]string{
		"a token":                                    hush,
		"a kubeconfig in base64 that is cut off":     encoded[:len(encoded)-2] + "%",
		"a short piece of one":                       encoded[:120] + ".",
		"base64 of something that is no kubeconfig":  base64.StdEncoding.EncodeToString([]byte(strings.Repeat(hush, 50))),
		"base64 of a kubeconfig with nothing in it":  base64.StdEncoding.EncodeToString([]byte("users: [{user: {token: " + hush + "}}]\n")),
		"base64 of a kubeconfig that does not parse": base64.StdEncoding.EncodeToString([]byte("users:\n\t" + hush + ": [\n")),
	} {
		for place, own := range map[string]bool{"clusterConnection": true, "provider configuration": false} {
			t.Run(what+" in "+place+" [D5]", func(t *testing.T) {
				t.Parallel()
				connection := map[string]any{"kubeconfig": text}
				var provider, inputs map[string]any
				if own {
					inputs = map[string]any{"clusterConnection": connection}
				} else {
					provider = connection
				}
				hidden := func(where, shown string) {
					t.Helper()
					for _, secret := range []string{text, text[:min(40, len(text))], hush} {
						assert.NotContains(t, shown, secret, where)
					}
				}
				s := start(t, provider).resource(t, "x")
				in := program(w.configMap("x", nil), inputs)
				_, _, err := s.preview(in)
				require.ErrorContains(t, err, "kubeconfig")
				hidden("preview", err.Error())
				err = s.create(in)
				require.ErrorContains(t, err, "kubeconfig")
				hidden("create", err.Error())

				s.inputs, err = s.check(in, false)
				require.NoError(t, err)
				s.id, s.outputs = resource.ID("v1/ConfigMap/"+w.namespace+"/x"), resource.PropertyMap{}
				if err := s.read(); err != nil {
					hidden("read", err.Error())
				}
				hidden("inputs", clear(s.inputs))
				hidden("outputs", clear(s.outputs))
				err = s.destroy()
				require.Error(t, err)
				hidden("destroy", err.Error())
				hidden("log", s.process.log.all())
			})
		}
	}
}

func TestAKubeconfigThatIsWrittenDuringTheRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user := newUser(t)
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := kubeconfig(user, w.namespace)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(text, user.Host, closedHost(t), 1)), 0o600))
	t.Run("later resources go where it leads now [D21]", func(t *testing.T) {
		p := start(t, map[string]any{"kubeconfig": file})
		require.Error(t, p.resource(t, "early").create(program(w.configMap("early", nil))))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		s := p.resource(t, "late").mustUp("create", program(w.configMap("late", nil)))
		assert.True(t, w.exists("ConfigMap", "late"))
		require.NoError(t, s.destroy())
	})
}
