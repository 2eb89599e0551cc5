package patch

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

func TestDroppedValuesOfOperations(t *testing.T) { // [D56]
	type m = map[string]any
	at, container := fieldpath.MakePathOrDie, fieldpath.KeyByFields("name", "b")
	in := inputs{kind: keyJSONPatch, document: []any{
		m{"op": "add", "path": "/spec/paused", "value": false},
		m{"op": "add", "path": "/spec/options", "value": m{"a": "1", "b": "2"}},
		m{"op": "replace", "path": "/spec/options/b", "value": "3"},
		m{"op": "copy", "from": "/spec/other", "path": "/spec/copy"},
		m{"op": "add", "path": "/spec/containers/-", "value": m{"name": "b", "image": "b:1", "probe": m{"period": int64(1)}}},
		m{"op": "test", "path": "/spec/options", "value": nil},
	}}
	s := state{touched: patchedFields{
		set: fieldpath.NewSet(at("spec", "paused"), at("spec", "options", "a"), at("spec", "options", "b")),
		places: []fieldpath.Path{
			at("spec", "paused"), at("spec", "options"), at("spec", "options", "b"), at("spec", "copy"), at("spec", "containers", container), at("spec", "options"),
		},
	}}
	for name, c := range map[string]struct {
		answer m
		want   []string
		again  m
	}{
		"none": {
			m{"options": m{"a": "1", "b": "3"}, "containers": []any{m{"name": "b", "image": "b:1", "probe": m{"period": int64(1)}}}},
			nil, m{},
		},
		"a member has the value of its last operation": {
			m{"options": m{"a": "1"}, "containers": []any{m{"name": "b", "image": "b:1", "probe": m{"period": int64(1)}}}},
			[]string{"spec.options.b"}, m{"spec.options.b": "3"},
		},
		"of a map that is missing, all members are tried": {
			m{"containers": []any{m{"name": "b", "image": "b:1", "probe": m{"period": int64(1)}}}},
			[]string{"spec.options"}, m{"spec.options.a": "1", "spec.options.b": "3"},
		},
		"a field of an item that was added": {
			m{"options": m{"a": "1", "b": "3"}, "containers": []any{m{"name": "b", "image": "b:1"}}},
			[]string{"spec.containers[name=b].probe"}, m{"spec.containers[name=b].probe.period": int64(1)},
		},
		"an item that was added, as a whole": {
			m{"options": m{"a": "1", "b": "3"}, "containers": []any{m{"name": "a"}}},
			[]string{"spec.containers[name=b]"}, m{"spec.containers[name=b]": m{"name": "b", "image": "b:1", "probe": m{"period": int64(1)}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			answer, now := m{"spec": c.answer}, s
			now.dropped = now.droppedBy(in, answer)
			var names []string
			now.dropped.Iterate(func(path fieldpath.Path) { names = append(names, ownership.Format(path)) })
			assert.Equal(t, c.want, names)
			again := m{}
			for _, v := range now.again(in, answer) {
				again[ownership.Format(v.Path)] = v.Value
			}
			assert.Equal(t, c.again, again)
		})
	}
}
