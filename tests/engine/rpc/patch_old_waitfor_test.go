package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAPatchWhoseSavedWaitForCannotBeRead has states of a plugin that accepted texts which this one does not.
func TestAPatchWhoseSavedWaitForCannotBeRead(t *testing.T) {
	t.Parallel()
	for what, waitFor := range map[string]m{
		"a condition":           {"condition": "Ready=Perhaps"},
		"a path":                {"field": "status.conditions[?@.type=~'Ready'].status"},
		"an expression":         {"expression": "object.status.ready ==="},
		"failWhen":              {"field": "data.a", "failWhen": "object."},
		"a timeout":             {"field": "data.a", "timeout": "a while"},
		"nothing to wait for":   {},
		"what it had not known": {"quorum": 3},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.create(w.configMap("it", nil))
			good := patching(w.configMap("it", nil), setting("patch", data("a", "9")), m{"waitFor": until("field", "data.a", longTime)})
			s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", good)
			old := resource.NewPropertyValue(waitFor)
			s.inputs = s.inputs.Copy()
			s.inputs["waitFor"] = old
			saved := s.stored
			again := func(t *testing.T) *session {
				other := *s
				other.t, other.stored = t, saved
				return other.in(start(t, inline(newUser(t))))
			}

			t.Run("is read [D12]", func(t *testing.T) {
				s := again(t).mustRead()
				assert.Empty(t, s.initErrors)
				assert.Equal(t, old, s.inputs["waitFor"])
			})
			t.Run("is read as still pending, for it is not known whether it holds [D12]", func(t *testing.T) {
				s := again(t)
				s.outputs = s.outputs.Copy()
				s.outputs["__pendingWait"] = resource.NewProperty(true)
				s.mustRead()
				require.Len(t, s.initErrors, 1)
				assert.Contains(t, s.initErrors[0], "the next `pulumi up` waits again")
				assert.Equal(t, true, at(t, s.outputs, "__pendingWait"))
			})
			t.Run("is compared with a program that has it right, which is an update in place [D12]", func(t *testing.T) {
				s := again(t).mustRead()
				diff, err := s.diff(good)
				require.NoError(t, err)
				assert.False(t, diff.Replace())
				for path := range kinds(t, diff) {
					assert.Contains(t, path, "waitFor")
				}
				assert.NotEmpty(t, diff.DetailedDiff)
				s.mustUp("update", good).mustUp("same", good)
				requirePatched(t, s)
			})
			t.Run("is compared with itself, as the engine does after a read [D12]", func(t *testing.T) {
				s := again(t).mustRead()
				diff, err := s.diffChecked(s.inputs)
				require.NoError(t, err)
				assert.Empty(t, kinds(t, diff))
			})
			t.Run("is never waited for [D12]", func(t *testing.T) {
				s := again(t)
				version := w.version("ConfigMap", "it")
				require.ErrorContains(t, s.update(s.inputs), "waitFor")
				require.ErrorContains(t, s.createChecked(s.inputs), "waitFor")
				assert.Equal(t, version, w.version("ConfigMap", "it"), "nothing was sent")
			})
			t.Run("is destroyed, with its fields handed back [D12]", func(t *testing.T) {
				require.NoError(t, s.in(start(t, inline(newUser(t)))).destroy())
				assert.Equal(t, "9", w.value("ConfigMap", "it", "data", "a"))
			})
		})
	}
}
