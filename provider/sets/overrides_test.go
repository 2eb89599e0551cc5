package sets

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
)

func TestWhetherASetMayTakeObjectsOver(t *testing.T) { // [D65]
	t.Parallel()
	yes, no, unknown := property.New(true), property.New(false), property.New(property.Computed)
	managers := property.New([]property.Value{property.New("helm")})
	inputs := func(key string, value property.Value) property.Map {
		return property.NewMap(map[string]property.Value{key: value})
	}
	for name, c := range map[string]struct {
		inputs property.Map
		takes  bool
	}{
		"nothing is said":                 {property.Map{}, false},
		"all are adopted":                 {inputs(keyAdopt, yes), true},
		"none is":                         {inputs(keyAdopt, no), false},
		"all are taken from someone":      {inputs(keyTakeOverFrom, managers), true},
		"they are taken from no one":      {inputs(keyTakeOverFrom, property.New([]property.Value{})), false},
		"it is not known":                 {inputs(keyAdopt, unknown), true},
		"some are adopted":                {inputs(keyOverrides, property.New([]property.Value{property.New(inputs("x", yes)), property.New(inputs(keyAdopt, yes))})), true},
		"some are taken from someone":     {inputs(keyOverrides, property.New([]property.Value{property.New(inputs(keyTakeOverFrom, managers))})), true},
		"some have other inputs":          {inputs(keyOverrides, property.New([]property.Value{property.New(inputs("x", yes)), unknown})), false},
		"which objects those are, is not": {inputs(keyOverrides, unknown), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.takes, TakesOver(c.inputs))
		})
	}
}
