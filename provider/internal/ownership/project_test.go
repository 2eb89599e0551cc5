package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"
)

func TestProject(t *testing.T) {
	tests := []struct {
		name                         string
		live, fields, template, want string
	}{
		{
			name:   "fields of others and defaults are outside of the projection [O22]",
			live:   `{spec: {type: NodePort, clusterIP: 10.0.0.1, ports: [{port: 80, nodePort: 30001, protocol: TCP}]}}`,
			fields: `{"f:spec":{"f:type":{},"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}`,
			want:   `{spec: {type: NodePort, ports: [{port: 80}]}}`,
		},
		{
			name:   "an item that has no name but its position keeps it",
			live:   `{args: [a, b, {c: 1, d: 2}, e]}`,
			fields: `{"f:args":{"i:0":{},"i:2":{"f:c":{}}}}`,
			want:   `{args: [a, null, {c: 1}]}`,
		},
		{
			name:     "a foreign item in front of ours leaves our positions alone [O24]",
			live:     `{c: [{name: sidecar, image: x}, {name: b, image: "2"}, {name: a, image: "1"}]}`,
			fields:   `{"f:c":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:image":{}},"k:{\"name\":\"b\"}":{".":{},"f:name":{},"f:image":{}}}}`,
			template: `{c: [{name: a, image: "1"}, {name: b, image: "2"}]}`,
			want:     `{c: [{name: a, image: "1"}, {name: b, image: "2"}]}`,
		},
		{
			name:   "keys with dots and slashes are names like others [O25]",
			live:   `{data: {app.properties: a, other: b}, metadata: {labels: {app.kubernetes.io/name: web, foreign: x}}}`,
			fields: `{"f:data":{"f:app.properties":{}},"f:metadata":{"f:labels":{"f:app.kubernetes.io/name":{}}}}`,
			want:   `{data: {app.properties: a}, metadata: {labels: {app.kubernetes.io/name: web}}}`,
		},
		{
			name:     "set lists hold our values alone [O27]",
			live:     `{metadata: {finalizers: [other/x, example.com/b, example.com/a]}}`,
			fields:   `{"f:metadata":{"f:finalizers":{"v:\"example.com/a\"":{},"v:\"example.com/b\"":{}}}}`,
			template: `{metadata: {finalizers: [example.com/a, example.com/b]}}`,
			want:     `{metadata: {finalizers: [example.com/a, example.com/b]}}`,
		},
		{
			name:   "null is nothing: some kinds leave it of a list whose items are gone",
			live:   `{spec: {drivers: null, other: x}}`,
			fields: `{"f:spec":{"f:other":{},"f:drivers":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}}}`,
			want:   `{spec: {other: x}}`,
		},
		{
			name:   "atomic lists and maps are one value",
			live:   `{spec: {selector: {app: web}, args: [a, b]}}`,
			fields: `{"f:spec":{"f:selector":{},"f:args":{}}}`,
			want:   `{spec: {selector: {app: web}, args: [a, b]}}`,
		},
		{
			name:     "an empty map that the user wrote stays empty whatever others put into it",
			live:     `{spec: {emptyDir: {sizeLimit: 1Gi}, strategy: {type: RollingUpdate}}}`,
			fields:   `{"f:spec":{"f:emptyDir":{},"f:strategy":{}}}`,
			template: `{spec: {emptyDir: {}, strategy: {}}}`,
			want:     `{spec: {emptyDir: {}, strategy: {}}}`,
		},
		{
			name:   "a field that is gone is gone from the projection, with the maps above it",
			live:   `{metadata: {labels: {foreign: x}}, spec: {}}`,
			fields: `{"f:metadata":{"f:labels":{"f:ours":{}}},"f:spec":{"f:replicas":{}}}`,
			want:   `{}`,
		},
		{
			name:     "an item that is gone leaves the others in place",
			live:     `{c: [{name: c, v: 3}, {name: a, v: 1}]}`,
			fields:   `{"f:c":{"k:{\"name\":\"a\"}":{".":{},"f:v":{}},"k:{\"name\":\"b\"}":{".":{},"f:v":{}},"k:{\"name\":\"c\"}":{".":{},"f:v":{}}}}`,
			template: `{c: [{name: a, v: 1}, {name: b, v: 2}, {name: c, v: 3}]}`,
			want:     `{c: [{v: 1}, {v: 3}]}`,
		},
		{
			name:   "where someone changed the type of a value, the value is shown as it is",
			live:   `{spec: text}`,
			fields: `{"f:spec":{"f:replicas":{}}}`,
			want:   `{spec: text}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Project(object(t, test.live), fields(t, test.fields), object(t, test.template))
			assert.Equal(t, object(t, test.want), got)
		})
	}
}

func TestLocate(t *testing.T) {
	tree := object(t, `{ports: [{port: 53, name: implied}, {port: 53, protocol: UDP}, {port: 80}], tags: [a, b], map: {"a.b/c": 1}}`)
	tests := []struct {
		name string
		path fieldpath.Path
		want any
		at   Location
	}{
		{
			"a key that the item leaves out to its default finds the item",
			fieldpath.MakePathOrDie("ports", fieldpath.KeyByFields("port", 80, "protocol", "TCP"), "port"),
			int64(80), Location{"ports", 2, "port"},
		},
		{
			"an item that states the whole key goes before one that leaves it out",
			fieldpath.MakePathOrDie("ports", fieldpath.KeyByFields("port", 53, "protocol", "UDP"), "protocol"),
			"UDP", Location{"ports", 1, "protocol"},
		},
		{
			"an item that contradicts the key is never taken",
			fieldpath.MakePathOrDie("ports", fieldpath.KeyByFields("port", 53, "protocol", "TCP"), "name"),
			"implied", Location{"ports", 0, "name"},
		},
		{"a set's value", fieldpath.MakePathOrDie("tags", valueElement("b")), "b", Location{"tags", 1}},
		{"a name with dots", fieldpath.MakePathOrDie("map", "a.b/c"), int64(1), Location{"map", "a.b/c"}},
		{"a position", fieldpath.MakePathOrDie("tags", 1), "b", Location{"tags", 1}},
		{"a position behind the end is nowhere", fieldpath.MakePathOrDie("tags", 2), nil, nil},
		{"a missing name is nowhere", fieldpath.MakePathOrDie("x", "y"), nil, nil},
		{"a name in a list is nowhere", fieldpath.MakePathOrDie("tags", "y"), nil, nil},
		{"a key in a map is nowhere", fieldpath.MakePathOrDie("map", fieldpath.KeyByFields("name", "x")), nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, at, ok := Locate(tree, test.path)
			assert.Equal(t, test.at != nil, ok)
			assert.Equal(t, test.want, got)
			assert.Equal(t, test.at, at)
		})
	}
}

func TestOwners(t *testing.T) {
	live := &unstructured.Unstructured{Object: object(t, `
metadata:
  managedFields:
  - {manager: ours, operation: Apply, fieldsV1: {"f:spec": {"f:a": {}, "f:b": {}}}}
  - {manager: other, operation: Apply, fieldsV1: {"f:spec": {"f:b": {}, "f:c": {}}}}
  - {manager: hpa, operation: Update, subresource: scale, fieldsV1: {"f:spec": {"f:c": {}}}}
  - {manager: ours, operation: Update, fieldsV1: {"f:spec": {"f:d": {}}}}`)}
	set := fields(t, `{"f:spec":{"f:a":{},"f:b":{},"f:c":{},"f:d":{},"f:e":{}}}`)

	got, err := Owners(live, set, "ours")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{
		"spec.a": "ours",
		"spec.b": "ours",       // shared, which is no conflict
		"spec.c": "hpa, other", // taken by two
		"spec.d": "ours",       // by an update under our name, not by an apply
		"spec.e": "",           // nobody's
	}, got)

	applied, ok, err := Applied(live, "ours")
	require.NoError(t, err)
	assert.True(t, ok)
	assert.Equal(t, fields(t, `{"f:spec":{"f:a":{},"f:b":{}}}`).String(), applied.String())

	_, ok, err = Applied(live, "nobody")
	require.NoError(t, err)
	assert.False(t, ok)

	assert.Equal(t, []string{"ours", "other", "hpa"}, Managers(live))
}

func TestImportedLeavesOutWhatOnlyAControllerReported(t *testing.T) {
	live := &unstructured.Unstructured{Object: object(t, `
metadata:
  managedFields:
  - {manager: kubectl, operation: Update, fieldsV1: {"f:metadata": {"f:annotations": {"f:a": {}, "f:both": {}}}}}
  - {manager: controller, operation: Update, subresource: status, fieldsV1: {"f:metadata": {"f:annotations": {"f:revision": {}, "f:both": {}}}}}`)}
	intended, reported, err := Imported(live)
	require.NoError(t, err)
	assert.Equal(t, fields(t, `{"f:metadata":{"f:annotations":{"f:a":{},"f:both":{}}}}`).String(), intended.String())
	assert.Equal(t, fields(t, `{"f:metadata":{"f:annotations":{"f:revision":{}}}}`).String(), reported.String())
}

func TestEncodeAndDecodeAreInverse(t *testing.T) {
	const text = `{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}},"f:tags":{"v:\"a\"":{}}}}`
	encoded, err := Encode(fields(t, text))
	require.NoError(t, err)
	assert.JSONEq(t, text, encoded)
	_, err = Decode(`{"f:a"`)
	assert.Error(t, err)
}

func object(t testing.TB, text string) map[string]any {
	t.Helper()
	parsed := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &parsed))
	return normalized(parsed).(map[string]any)
}

// normalized gives numbers the types that a Kubernetes client gives them.
func normalized(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			v[key] = normalized(item)
		}
	case []any:
		for i, item := range v {
			v[i] = normalized(item)
		}
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	}
	return v
}

func fields(t testing.TB, text string) *fieldpath.Set {
	t.Helper()
	set, err := Decode(text)
	require.NoError(t, err)
	return set
}
