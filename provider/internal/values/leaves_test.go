package values_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

func TestMarksGoDownToTheLeaves(t *testing.T) {
	t.Parallel()
	of := func(name string, v property.Value) property.Value {
		return property.New(map[string]property.Value{name: v})
	}
	list := func(items ...property.Value) property.Value { return property.New(items) }
	plain, secret := property.New("v"), property.New("v").WithSecret(true)
	for _, test := range []struct {
		name     string
		in, want property.Value
	}{
		{"of a map to its members", of("data", of("k", plain).WithSecret(true)), of("data", of("k", secret))},
		{"of a list to its items", list(plain, list(plain)).WithSecret(true), list(secret, list(secret))},
		{"of a leaf nowhere", of("k", secret), of("k", secret)},
		{"and not beside it", of("k", plain), of("k", plain)},
		{"of an empty map nowhere", property.New(map[string]property.Value{}).WithSecret(true), property.New(map[string]property.Value{}).WithSecret(true)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.True(t, test.want.Equals(values.SecretLeaves(test.in)))
		})
	}
}
