package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var schemaRequest = plugin.GetSchemaRequest{}

// TestAnyOldStateIsUnderstood has states of plugins that were older, newer, or wrong.
func TestAnyOldStateIsUnderstood(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))
	in, after := program(w.configMap("old", nil)), program(w.configMap("old", map[string]any{"a": "9"}))
	without := func(keys ...resource.PropertyKey) func(resource.PropertyMap) {
		return func(outputs resource.PropertyMap) {
			for _, key := range keys {
				delete(outputs, key)
			}
		}
	}
	damages := map[string]func(resource.PropertyMap){
		"nothing at all": func(outputs resource.PropertyMap) { clearMap(outputs) },
		"more than we know": func(outputs resource.PropertyMap) {
			outputs["retired"] = resource.NewProperty(1.0)
			outputs["__retired"] = resource.NewPropertyValue(map[string]any{"a": []any{1, nil}})
		},
		"no ref":         without("resourceRef"),
		"no hidden keys": without("__fieldManager", "__appliedHash", "__hashKey", "__appliedFields", "__appliedProjection"),
	}
	sample := p.resource(t, "old").mustUp("create", in)
	for key := range sample.outputs {
		damages["no "+string(key)] = without(key)
		for what, v := range map[string]any{
			"text": "{not json", "number": 5, "list": []any{"x"}, "map": map[string]any{"apiVersion": 3}, "true": true,
			"empty": "", "null": nil,
		} {
			damages[string(key)+" is "+what] = func(outputs resource.PropertyMap) { outputs[key] = resource.NewPropertyValue(v) }
		}
	}
	require.NoError(t, sample.destroy())

	for what, damage := range damages {
		t.Run(what, func(t *testing.T) {
			fresh := p.resource(t, "old").mustUp("create", in)
			damaged := fresh.outputs.Copy()
			damage(damaged)
			fresh.outputs = damaged
			saved := fresh.stored
			again := func() *session { return &session{stored: saved, t: t, process: p, urn: fresh.urn} }

			_, err := again().diff(in)
			require.NoError(t, err, "Diff")
			_, err = again().diff(after)
			require.NoError(t, err, "Diff of a change")
			again().mustRead()
			_, _, err = again().preview(after)
			require.NoError(t, err, "preview")

			s := again()
			inputs, err := s.check(after, false)
			require.NoError(t, err)
			require.NoError(t, s.update(inputs), "Update")
			assert.Equal(t, "9", at(t, s.outputs, "manifest.data.a"))
			s.mustUp("same", after)

			require.NoError(t, again().remove(), "Delete")
			assert.False(t, w.exists("ConfigMap", "old"))
		})
	}
}

func clearMap(m resource.PropertyMap) {
	for key := range m {
		delete(m, key)
	}
}
