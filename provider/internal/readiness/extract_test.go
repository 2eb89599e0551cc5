package readiness

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"
)

// extracted is what a goal that waits for these paths extracts from an object.
func extracted(t require.TestingT, from object, paths ...string) object {
	wanted := map[string]string{}
	for _, path := range paths[1:] {
		wanted[path] = ""
	}
	return compile(t, Criteria{Field: paths[0], FieldValue: wanted}).Extract(&unstructured.Unstructured{Object: from})
}

func TestTheExtractIsTheFieldsThatAreWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		paths []string
		want  object
	}{
		"a field stands in the structure around it": {
			[]string{"status.phase"}, object{"status": object{"phase": "Running"}},
		},
		"a field need not be in the status": {
			[]string{"spec.volumeName", "metadata.name"},
			object{"spec": object{"volumeName": "pv-1"}, "metadata": object{"name": "web"}},
		},
		"several fields share the structure around them": {
			[]string{"status.phase", "status.ready"}, object{"status": object{"phase": "Running", "ready": false}},
		},
		"a field that is not there leaves no trace": {
			[]string{"status.missing.deeper", "status.phase"}, object{"status": object{"phase": "Running"}},
		},
		"no field is there":            {[]string{"status.missing", "spec.missing"}, object{}},
		"null is a value":              {[]string{"status.nothing"}, object{"status": object{"nothing": nil}}},
		"false and 0 are values":       {[]string{"status.ready", "status.replicas"}, object{"status": object{"ready": false, "replicas": int64(0)}}},
		"a list is extracted as it is": {[]string{"status.matrix"}, object{"status": object{"matrix": list{list{int64(1), int64(2)}, list{int64(3)}}}}},
		"a dotted name stays one name": {
			[]string{"metadata.annotations['app.kubernetes.io/name']"},
			object{"metadata": object{"annotations": object{"app.kubernetes.io/name": "web"}}},
		},
		"an item by its index is where it was": {
			[]string{"status.loadBalancer.ingress[2].ip"},
			object{"status": object{"loadBalancer": object{"ingress": list{nil, nil, object{"ip": "10.0.0.3"}}}}},
		},
		"an item by a negative index is where it was": {
			[]string{"status.loadBalancer.ingress[-2].hostname"},
			object{"status": object{"loadBalancer": object{"ingress": list{nil, object{"hostname": "lb.example"}}}}},
		},
		"items of items by their indexes are where they were": {
			[]string{"status.matrix[1][0]"}, object{"status": object{"matrix": list{nil, list{int64(3)}}}},
		},
		"items by a filter stand one after the other": {
			[]string{"status.conditions[?@.type=='Ready'].status"}, object{"status": object{"conditions": list{object{"status": "False"}}}},
		},
		"items by a wildcard stand one after the other": {
			[]string{"spec.ports[*]['tls-mode']"}, object{"spec": object{"ports": list{object{"tls-mode": "strict"}}}},
		},
		"items by a slice stand one after the other": {
			[]string{"status.loadBalancer.ingress[1:]"},
			object{"status": object{"loadBalancer": object{"ingress": list{object{"hostname": "lb.example"}, object{"ip": "10.0.0.3"}}}}},
		},
		"items by a descendant stand one after the other": {
			[]string{"$..hostname"}, object{"status": object{"loadBalancer": object{"ingress": list{object{"hostname": "lb.example"}}}}},
		},
		"an index behind a descendant is not one that someone knows": {
			[]string{"status..[1].hostname"}, object{"status": object{"loadBalancer": object{"ingress": list{object{"hostname": "lb.example"}}}}},
		},
		"a filter within an indexed item": {
			[]string{"status.matrix[1][?@==3]"}, object{"status": object{"matrix": list{nil, list{int64(3)}}}},
		},
		"an index within filtered items": {
			[]string{"status.matrix[?length(@)==1][0]"}, object{"status": object{"matrix": list{list{int64(3)}}}},
		},
		"where one path names an index and another filters, all keep their indexes": {
			[]string{"spec.ports[1].name", "spec.ports[?@.port==443].port"},
			object{"spec": object{"ports": list{nil, object{"name": "https", "port": int64(443)}}}},
		},
		"where a filter is before the index, too": {
			[]string{"status.conditions[?@.type=='Ready'].status", "status.conditions[1].reason"},
			object{"status": object{"conditions": list{nil, object{"status": "False", "reason": "Waiting"}}}},
		},
		"two filters give each item once": {
			[]string{"spec.ports[?@.port==443].name", "spec.ports[*].port"},
			object{"spec": object{"ports": list{object{"port": int64(80)}, object{"name": "https", "port": int64(443)}}}},
		},
		"the union of an index and a filter keeps indexes": {
			[]string{"spec.ports[5,?@.port==443].name"}, object{"spec": object{"ports": list{nil, object{"name": "https"}}}},
		},
		"a parent after its child is whole": {
			[]string{"spec.ports[1].name", "spec.ports[?@.port==443]"},
			object{"spec": object{"ports": list{nil, object{"name": "https", "port": int64(443), "tls-mode": "strict"}}}},
		},
		"a child after its parent takes nothing away": {
			[]string{"status.matrix", "status.matrix[1][0]"},
			object{"status": object{"matrix": list{list{int64(1), int64(2)}, list{int64(3)}}}},
		},
		"the same field twice": {
			[]string{"status.phase", "{.status.phase}"}, object{"status": object{"phase": "Running"}},
		},
	} {
		t.Run(name+" [W18]", func(t *testing.T) {
			from := sample()
			assert.Equal(t, c.want, extracted(t, from, c.paths...))
			slices.Reverse(c.paths)
			assert.Equal(t, c.want, extracted(t, from, c.paths...), "in the other order")
			assert.Equal(t, sample(), from, "the object was changed")
		})
	}
}

func TestTheExtractIsACopy(t *testing.T) {
	from := sample()
	status := extracted(t, from, "status")["status"].(object)
	status["phase"] = "Changed"
	status["conditions"].(list)[0].(object)["type"] = "Changed"
	assert.Equal(t, sample(), from)
}

func TestOnlyFieldsAreExtracted(t *testing.T) {
	live := &unstructured.Unstructured{Object: sample()}
	for _, criteria := range []Criteria{
		{Condition: "Ready"}, {Rollout: true}, {Expression: "true"}, {Deleted: true},
	} {
		goal := compile(t, criteria)
		assert.Nil(t, goal.Extract(live), "[W20] %s", goal)
	}
	goal := compile(t, Criteria{Field: "status.phase", Condition: "Ready"})
	assert.Equal(t, object{"status": object{"phase": "Running"}}, goal.Extract(live))
	assert.Nil(t, goal.Extract(nil), "of nothing there is no extract")
}

// Objects whose names and values are as awkward as they can be.
var names = rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "a.b", "", "*", "'", `\`, "[0]", "0", "{}"}), rapid.String())

var objects = rapid.Custom(func(t *rapid.T) object { return drawObject(t, 3) })

func drawObject(t *rapid.T, depth int) object {
	drawn := object{}
	for range rapid.IntRange(1, 4).Draw(t, "members") {
		drawn[names.Draw(t, "name")] = drawValue(t, depth-1)
	}
	return drawn
}

func drawValue(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 9).Draw(t, "kind")
	switch {
	case kind <= 3 && depth > 0:
		return drawObject(t, depth)
	case kind <= 6 && depth > 0:
		items := list{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			items = append(items, drawValue(t, depth-1))
		}
		return items
	}
	return rapid.SampledFrom([]any{nil, "", "x", int64(0), int64(7), 1.5, false, true, object{}, list{}}).Draw(t, "leaf")
}

// drawPath draws a path to something in the object.
func drawPath(t *rapid.T, from object) string {
	path, at := "$", any(from)
	for {
		switch value := at.(type) {
		case object:
			if len(value) == 0 || path != "$" && rapid.IntRange(0, 3).Draw(t, "stop") == 0 {
				return path
			}
			name := rapid.SampledFrom(slices.Sorted(maps.Keys(value))).Draw(t, "name")
			quoted, err := json.Marshal(name)
			require.NoError(t, err)
			path, at = fmt.Sprintf("%s[%s]", path, quoted), value[name]
		case list:
			if len(value) == 0 || rapid.IntRange(0, 3).Draw(t, "stop") == 0 {
				return path
			}
			index := rapid.IntRange(0, len(value)-1).Draw(t, "index")
			path, at = fmt.Sprintf("%s[%d]", path, index), value[index]
		default:
			return path
		}
	}
}

func TestWhatIsWaitedForIsAtTheSamePathInTheExtract(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := objects.Draw(t, "object")
		before := runtime.DeepCopyJSON(from)
		var paths []string
		for range rapid.IntRange(1, 4).Draw(t, "paths") {
			paths = append(paths, drawPath(t, from))
		}
		part := extracted(t, from, paths...)
		require.Equal(t, before, from, "the object was changed")
		for _, text := range paths {
			path, err := ParsePath(text)
			require.NoError(t, err)
			require.Len(t, nodesOf(path, from), 1)
			require.Equal(t, nodesOf(path, from), nodesOf(path, part), "[W18] %s in %v", text, part)
		}
	})
}
