package rpc_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The API server reads the body of an apply as YAML, in which more characters mean something than in JSON.

func TestEveryCharacterArrivesAsItIs(t *testing.T) {
	t.Parallel()
	var texts []string
	for r := range rune(0xa1) {
		if r >= ' ' || r == '\t' || r == '\n' || r == '\r' {
			texts = append(texts, string(r), "x"+string(r)+"y", "x "+string(r)+" y", "x"+string(r)+string(r)+"y")
		}
	}
	texts = append(texts, "x\u2028y", "x\u2029y", "\ufeffx", "\ufffd", "\U0001f600", "x\r\ny", `\n`, `\u0085`, "~", "1e3", "!!binary x", "*a", "<<")
	data := map[string]any{}
	for i, text := range texts {
		data[fmt.Sprintf("k%d", i)] = text
	}
	t.Run("of a KubeObject", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(w.configMap("web", data))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		live, _ := w.value("ConfigMap", "web", "data").(map[string]any)
		for key, text := range data {
			assert.Equal(t, text, live[key])
		}
		s.in(s.process.again(t)).mustUp("same", in)
	})
	for _, kind := range patchKinds {
		t.Run("of a "+kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.apply("owner", w.configMap("it", nil))
			s := patched(t, w, start(t, inline(newUser(t))), "it")
			s.mustUp("create", patching(w.configMap("it", nil), setting(kind, m{"data": data})))
			live, _ := w.value("ConfigMap", "it", "data").(map[string]any)
			require.NotEmpty(t, live)
			for key, text := range data {
				assert.Equal(t, text, live[key])
			}
		})
	}
}
