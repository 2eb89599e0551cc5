package ownership_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

func TestDropped(t *testing.T) {
	at, key := fieldpath.MakePathOrDie, fieldpath.KeyByFields
	type m = map[string]any
	for name, c := range map[string]struct {
		answer, applied m
		fields          []fieldpath.Path
		want            []string
	}{
		"a value that is missing is dropped": {
			m{"data": m{"a": "1"}}, m{"data": m{"a": "1", "b": "2"}},
			[]fieldpath.Path{at("data", "a"), at("data", "b")}, []string{"data.b"},
		},
		"of a map that is missing, the map is": {
			m{}, m{"spec": m{"x": m{"a": int64(1), "b": int64(0)}}},
			[]fieldpath.Path{at("spec", "x", "a"), at("spec", "x", "b")}, []string{"spec"},
		},
		"a zero value is left out of answers": {
			m{"spec": m{}}, m{"spec": m{"paused": false, "minReadySeconds": int64(0), "host": "", "selector": m{}, "args": []any{}, "none": nil}},
			[]fieldpath.Path{at("spec", "paused"), at("spec", "minReadySeconds"), at("spec", "host"), at("spec", "selector"), at("spec", "args"), at("spec", "none")}, nil,
		},
		"a field of a list item is found by the item's keys, with their defaults": {
			m{"ports": []any{m{"port": int64(1), "protocol": "TCP"}}}, m{"ports": []any{m{"port": int64(1), "name": "web"}}},
			[]fieldpath.Path{at("ports", key("port", int64(1), "protocol", "TCP"), "port"), at("ports", key("port", int64(1), "protocol", "TCP"), "name")},
			[]string{"ports[port=1,protocol=TCP].name"},
		},
		"an item of a list may be dropped as a whole": {
			m{"containers": []any{m{"name": "a"}}}, m{"containers": []any{m{"name": "a"}, m{"name": "b", "image": "b:1"}}},
			[]fieldpath.Path{at("containers", key("name", "a"), "name"), at("containers", key("name", "b"), "name"), at("containers", key("name", "b"), "image")},
			[]string{"containers[name=b]"},
		},
		"what the manifest does not set cannot be dropped": {
			m{}, m{}, []fieldpath.Path{at("data", "a")}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			ownership.Dropped(c.answer, ownership.In(c.applied), fieldpath.NewSet(c.fields...)).Iterate(func(path fieldpath.Path) {
				got = append(got, ownership.Format(path))
			})
			slices.Sort(got)
			assert.Equal(t, c.want, got)
		})
	}
}
