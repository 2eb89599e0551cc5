package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSecretsInPatches sets the same secret by each kind of patch.
func TestSecretsInPatches(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	program, ids := "config: {password: {type: string, secret: true}}\nresources:", []string{}
	for name, patch := range map[string]string{
		"patch":      `patch: {data: {password: "${password}", open: readable}}`,
		"json-patch": `jsonPatch: [{op: replace, path: /data/password, value: "${password}"}, {op: add, path: /data/open, value: readable}]`,
		"merge":      `mergePatch: {data: {password: "${password}", open: readable}}`,
		"text":       `mergePatch: '{"data": {"password": "${password}", "open": "readable"}}'`,
	} {
		id := "v1/ConfigMap/" + space + "/" + name
		k.create(t, id, fmt.Sprintf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: %s}, data: {password: theirs, other: x}}`, name, space))
		k.merge(t, id, `{data: {password: swordfish-before}}`)
		ids = append(ids, id)
		program += patchOf(name, targetConfigMap(space, name), patch)
	}
	const first, second = "swordfish-one", "swordfish-two"
	s.config(t, "password", first, "--secret")
	s.program(t, "%s", program)
	live := func(t *testing.T, password string) {
		t.Helper()
		for _, id := range ids {
			assert.Equal(t, map[string]any{"password": password, "open": "readable", "other": "x"}, k.value(t, id, "data"))
		}
	}
	hidden := func(t *testing.T, place, out string) {
		t.Helper()
		assert.Contains(t, out, "[secret]")
		unreadable(t, place, out)
	}

	step(t, "a secret is masked in the preview and in the warning of the takeover [O78]", func(t *testing.T) {
		out := s.preview(t)
		hidden(t, "preview", out)
		assert.Contains(t, out, "will take from someone")
	})
	step(t, "it is set, and not readable in log and state, where its neighbour is [O78]", func(t *testing.T) {
		unreadable(t, "log", withoutWire(s.up(t, "--logtostderr", "--logflow", "-v=9")))
		live(t, first)
		saved := s.export(t)
		unreadable(t, "export", saved.text)
		unreadable(t, "backend", s.everythingSaved(t))
		for _, name := range []string{"patch", "json-patch", "merge"} {
			assert.Equal(t, "readable", at(saved.get(t, name).Outputs, "managedFields", "data", "open"), name)
			assert.NotNil(t, at(saved.get(t, name).Outputs, "managedFields", "data", "password"), name)
		}
		s.previewEmpty(t)
	})
	step(t, "drift and a change of it are masked [O78]", func(t *testing.T) {
		for _, id := range ids {
			k.merge(t, id, `{data: {password: swordfish-drifted}}`)
		}
		out := s.preview(t)
		assert.Contains(t, out, "~ 4 to update")
		hidden(t, "preview", out)
		unreadable(t, "refresh", s.refresh(t, "--diff"))
		s.config(t, "password", second, "--secret")
		hidden(t, "up", s.up(t, "--diff"))
		live(t, second)
		unreadable(t, "backend", s.everythingSaved(t))
		s.previewEmpty(t)
	})
	step(t, "destroy tells nothing either [O78, P25]", func(t *testing.T) {
		s.handBack(t, k, ids...)
		unreadable(t, "backend", s.everythingSaved(t))
		live(t, second)
	})
}
