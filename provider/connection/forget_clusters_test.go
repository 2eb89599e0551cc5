package connection_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
)

func TestAListInTheConfiguration(t *testing.T) {
	list := func(items ...property.Value) property.Value { return property.New(items) }
	for name, c := range map[string]struct {
		given property.Value
		want  []string
		wrong bool
	}{
		"nothing":                     {},
		"an empty list":               {given: list()},
		"a list":                      {given: list(property.New("a"), property.New(" b ")), want: []string{"a", "b"}},
		"a list as JSON":              {given: property.New(`["a","b"]`), want: []string{"a", "b"}},
		"one that is secret":          {given: property.New(`["a"]`).WithSecret(true), want: []string{"a"}},
		"one that is not known yet":   {given: property.New(property.Computed)},
		"an item that is not known":   {given: list(property.New(property.Computed), property.New("a")), want: []string{"a"}},
		"text":                        {given: property.New("a"), wrong: true},
		"an object":                   {given: property.New(`{"a":"b"}`), wrong: true},
		"an empty item":               {given: list(property.New(" ")), wrong: true},
		"an item that is a number":    {given: property.New(`[5]`), wrong: true},
		"a number in place of a list": {given: property.New(5.0), wrong: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := connection.DecodeList(c.given)
			assert.Equal(t, !c.wrong, ok)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestClustersThatAreGoneForGood(t *testing.T) {
	t.Setenv(connection.ForgetVariable, " c , ,d")
	source := connection.NewSource("test")
	source.Forget([]string{"a"})
	for name, forgotten := range map[string]bool{"a": true, "c": true, "d": true, "b": false, "": false} {
		assert.Equal(t, forgotten, source.Forgets(name), name)
	}
}
