package rpc_test

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kubectl keeps a copy of what it applied, a Secret's data included, in this annotation.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

func TestTheCopyThatKubectlKeepsOfASecretIsSecret(t *testing.T) {
	t.Parallel()
	encoded := base64.StdEncoding.EncodeToString([]byte(hush))
	pasted := func(w world) map[string]any {
		return m{
			"apiVersion": "v1", "kind": "Secret",
			"metadata": m{
				"name": "s", "namespace": w.namespace,
				"annotations": m{lastApplied: `{"apiVersion":"v1","kind":"Secret","data":{"password":"` + encoded + `"}}`},
			},
			"data": m{"password": encoded},
		}
	}
	t.Run("in the manifest, the state and after drift [D26]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(pasted(w))
		s := start(t, inline(newUser(t))).resource(t, "s")
		_, _, err := s.preview(in)
		require.NoError(t, err)
		s.mustUp("create", in)
		w.patch("Secret", "s", m{"metadata": m{"annotations": m{lastApplied: `{"data":{"password":"other ` + hush + `"}}`}}})
		s.mustRead()
		assert.NotEmpty(t, s.mustDiff(in))
		s.mustUp("update", in).mustUp("same", in)
		requireHidden(t, s)
	})
	t.Run("in a Patch [D26]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("owner", m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": "s"}})
		in := patching(pasted(w), m{"mergePatch": m{"metadata": pasted(w)["metadata"], "data": pasted(w)["data"]}})
		s := patched(t, w, start(t, inline(newUser(t))), "s").mustUp("create", in)
		s.mustUp("same", in)
		requireHidden(t, s)
	})
}

func TestAnAdoptionDoesNotQuoteASecretThatMoves(t *testing.T) {
	t.Parallel()
	t.Run("from one name to another [D15]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.kubectlCreate(w.configMap("web", m{"OLD_TOKEN": hush}))
		in := program(w.configMap("web", m{"TOKEN": secret(hush)}), adopting)
		s := start(t, inline(newUser(t))).resource(t, "web")
		_, _, err := s.preview(in)
		require.NoError(t, err)
		assert.Contains(t, s.warned(), "data.OLD_TOKEN: ", "what goes is announced")
		s.mustUp("create", in)
		requireHidden(t, s)
	})
}
