package sets

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
)

func TestWhichDefinitionsAreLeftOut(t *testing.T) { // [D97]
	t.Parallel()
	const crates, boxes = "apiextensions.k8s.io/CustomResourceDefinition.crates.example.com", "apiextensions.k8s.io/CustomResourceDefinition.boxes.example.com"
	list := func(keys ...string) property.Value {
		items := []property.Value{}
		for _, key := range keys {
			items = append(items, property.New(key))
		}
		return property.New(items)
	}
	leaving := func(keys property.Value) property.Map {
		return property.NewMap(map[string]property.Value{keyKeys: keys, keyLeavable: list(), keyLeavesOut: property.New(true)})
	}
	had := func(definitions ...string) property.Map {
		return property.NewMap(map[string]property.Value{keyLeavable: list(definitions...), keyLeavesOut: property.New(false)})
	}
	state := func(left ...string) property.Map {
		all := property.NewMap(map[string]property.Value{keyKeys: list(crates, boxes, "ConfigMap.web")})
		if len(left) > 0 {
			all = all.Set(keyLeftOut, list(left...))
		}
		return all
	}
	for name, c := range map[string]struct {
		was, state, now property.Map
		want            []string
	}{
		"none, where the set leaves none out":              {had(crates), state(), property.NewMap(map[string]property.Value{keyKeys: list(), keyLeavable: list(crates)}), nil},
		"those that it has had":                            {had(crates), state(), leaving(list("ConfigMap.web")), []string{crates}},
		"and those of before":                              {had(), state(crates), leaving(list("ConfigMap.web")), []string{crates}},
		"none that it has for another reason":              {had(crates, boxes), state(), leaving(list(crates)), []string{boxes}},
		"none that it takes up again":                      {had(), state(crates), property.NewMap(map[string]property.Value{keyKeys: list(crates), keyLeavable: list(crates)}), nil},
		"those of before, while the others are not known":  {had(boxes), state(crates), leaving(property.New(property.Computed)), []string{crates}},
		"all that are gone, where a record says no better": {property.NewMap(map[string]property.Value{}), state(), leaving(list(boxes)), []string{crates}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, leftOut(c.was, c.state, c.now))
		})
	}
}
