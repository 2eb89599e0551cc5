package tracked

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

func TestAValueInAMessageIsShortAndNoSecret(t *testing.T) {
	tests := []struct {
		name          string
		value         any
		found, secret bool
		want          string
	}{
		{"a text", "a", true, false, `"a"`},
		{"a number", int64(3), true, false, "3"},
		{"null is a value", nil, true, false, "null"},
		{"a map", map[string]any{"b": int64(1), "a": true}, true, false, `{"a":true,"b":1}`},
		{"what is not there", nil, false, false, "nothing"},
		{"that a secret is not there is no secret", nil, false, true, "nothing"},
		{"a secret", "hunter2", true, true, "[secret]"},
		{"a list with a former secret in it", []any{map[string]any{"value": "swordfish"}}, true, false, "[secret]"},
		{"as long as it may be", strings.Repeat("x", maxShown-2), true, false, `"` + strings.Repeat("x", maxShown-2) + `"`},
		{"too long", strings.Repeat("x", maxShown-1), true, false, "(a long value)"},
		{"what cannot be written", values.Unknown{}, true, false, "(a long value)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, Show(test.value, test.found, test.secret, []string{"swordfish"}))
		})
	}
}
