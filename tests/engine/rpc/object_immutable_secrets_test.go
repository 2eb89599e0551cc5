package rpc_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// noise is n characters that nothing else has, different for each seed.
func noise(seed string, n int) string {
	var text string
	for i := 0; len(text) < n; i++ {
		sum := sha256.Sum256(fmt.Append(nil, seed, i))
		text += base64.RawURLEncoding.EncodeToString(sum[:])
	}
	return text[:n]
}

// keyOf is a private key as it is written into a manifest.
func keyOf(seed string) string {
	lines := []string{"-----BEGIN PRIVATE KEY-----"}
	for i := range 12 {
		lines = append(lines, noise(fmt.Sprint(seed, i), 64))
	}
	return strings.Join(append(lines, "-----END PRIVATE KEY-----", ""), "\n")
}

// requireNoPart proves that no eight characters of a secret stand together in a text.
func requireNoPart(t *testing.T, text, secret string) {
	t.Helper()
	for i := 0; i+8 <= len(secret); i++ {
		require.NotContains(t, text, secret[i:i+8])
	}
}

// TestARefusedChangeOfASecret changes a secret where the API server allows no change. It answers with a diff of the
// whole spec, old and new.
func TestARefusedChangeOfASecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, values := range map[string]struct{ before, after string }{
		"short":     {"hunter2-old-pass", "hunter2-new-pass"},
		"one-line":  {noise("old", 30) + noise("both", 20) + noise("old2", 30), noise("new", 30) + noise("both", 20) + noise("new2", 30)},
		"many-line": {keyOf("old"), keyOf("new")},
	} {
		pod := func(name string, value any) map[string]any {
			pod := object(t, `
apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: %s}
spec: {containers: [{name: web, image: "nginx:1", env: [{name: LEVEL, value: debug}, {name: TOKEN}]}]}
`, name, w.namespace)
			env := pod["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)["env"].([]any)
			env[1].(map[string]any)["value"] = value
			return pod
		}
		requireHidden := func(t *testing.T, p *process, err error) {
			t.Helper()
			require.ErrorContains(t, err, "pod updates may not change fields")
			for _, text := range []string{err.Error(), p.log.all()} {
				requireNoPart(t, text, values.before)
				requireNoPart(t, text, values.after)
			}
		}
		t.Run(name+", of an object, shows neither the old nor the new [D35]", func(t *testing.T) {
			p := start(t, inline(newUser(t)))
			s := p.resource(t, name).mustUp("create", program(pod(name, secret(values.before)), onImmutable("fail")))
			_, _, err := s.preview(program(pod(name, secret(values.after)), onImmutable("fail")))
			requireHidden(t, p, err)
			did, err := s.up(program(pod(name, secret(values.after)), onImmutable("fail")))
			assert.Equal(t, "update", did)
			requireHidden(t, p, err)
		})
		t.Run(name+", of a patch, shows neither the old nor the new [D35]", func(t *testing.T) {
			p := start(t, inline(newUser(t)))
			others := pod(name+"-of-others", values.before)
			w.create(others)
			s := patched(t, w, p, name)
			err := s.create(patching(others, map[string]any{"jsonPatch": []any{
				operation("replace", "/spec/containers/0/env/1/value", secret(values.after)),
			}}))
			requireHidden(t, p, err)
		})
	}
	t.Run("is explained by the diff where nothing is secret", func(t *testing.T) {
		in := program(object(t, `
apiVersion: v1
kind: Pod
metadata: {name: open, namespace: %s}
spec: {containers: [{name: web, image: "nginx:1", env: [{name: LEVEL, value: debug}]}]}
`, w.namespace), onImmutable("fail"))
		s := start(t, inline(newUser(t))).resource(t, "open").mustUp("create", in)
		_, _, err := s.preview(with(t, in, "manifest.spec.containers[0].env[0].value", "info"))
		require.ErrorContains(t, err, `"info"`)
		require.ErrorContains(t, err, `"debug"`)
	})
}
