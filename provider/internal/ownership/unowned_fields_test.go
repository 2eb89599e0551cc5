package ownership_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

func TestOnlyAbsent(t *testing.T) { // [D50] [D56]
	at, key := fieldpath.MakePathOrDie, fieldpath.KeyByFields
	type m = map[string]any
	for name, c := range map[string]struct {
		object m
		owned  []fieldpath.Path
		want   []string
	}{
		"a value that is missing beside one of nobody":     {m{"data": m{"a": "1"}}, []fieldpath.Path{at("data", "b")}, []string{"data.b"}},
		"not beside one that is owned too":                 {m{"data": m{"a": "1"}}, []fieldpath.Path{at("data", "a"), at("data", "b")}, nil},
		"nor where the map is empty":                       {m{"resources": m{}}, []fieldpath.Path{at("resources", "limits")}, nil},
		"nor where the map is missing as well":             {m{}, []fieldpath.Path{at("data", "b")}, nil},
		"a map below one of which something else is owned": {m{"spec": m{"x": m{"a": "1"}, "y": "1"}}, []fieldpath.Path{at("spec", "x", "b"), at("spec", "y")}, []string{"spec.x.b"}},
		"the metadata of an object cannot be removed":      {m{"metadata": m{"name": "x"}}, []fieldpath.Path{at("metadata", "annotations")}, nil},
		"a map of labels can":                              {m{"metadata": m{"labels": m{"a": "1"}}}, []fieldpath.Path{at("metadata", "labels", "b")}, []string{"metadata.labels.b"}},
		"inside an item of a list": {
			m{"containers": []any{m{"name": "a", "resources": m{"requests": m{"cpu": "1"}}}}},
			[]fieldpath.Path{at("containers", key("name", "a")), at("containers", key("name", "a"), "name"), at("containers", key("name", "a"), "resources", "limits")},
			[]string{"containers[name=a].resources.limits"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			ownership.OnlyAbsent(c.object, fieldpath.NewSet(c.owned...)).Iterate(func(path fieldpath.Path) {
				got = append(got, ownership.Format(path))
			})
			slices.Sort(got)
			assert.Equal(t, c.want, got)
		})
	}
}
