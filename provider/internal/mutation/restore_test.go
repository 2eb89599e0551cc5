package mutation

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// guard is how every body begins.
const guard = `{"op":"replace","path":"/metadata/uid","value":"6c7a"},{"op":"replace","path":"/metadata/resourceVersion","value":"41"}`

func TestDriftIsPutRight(t *testing.T) {
	for _, test := range []struct {
		name, live, wanted, fields string
		want, err                  string
	}{
		{name: "nothing to do if nothing differs, also where a state has made floats of numbers", live: `{spec: {replicas: 3, x: [1]}}`,
			wanted: `{spec: {replicas: 3.0, x: [1.0]}}`, fields: `{"f:spec":{"f:replicas":{},"f:x":{}}}`},
		{name: "a changed value is set [P16]", live: `{spec: {replicas: 3, x: 1}}`, wanted: `{spec: {replicas: 5, x: 2}}`, fields: `{"f:spec":{"f:replicas":{}}}`,
			want: `{"op":"replace","path":"/spec/replicas","value":5}`},
		{name: "keys are escaped [P14]", live: `{data: {a/b~c: x}}`, wanted: `{data: {a/b~c: z}}`, fields: `{"f:data":{"f:a/b~c":{}}}`,
			want: `{"op":"replace","path":"/data/a~1b~0c","value":"z"}`},
		{name: "a missing value is added, with the maps that it is in [P16]", live: `{metadata: {}, spec: null}`,
			wanted: `{metadata: {annotations: {a: "1", b: "2"}}, spec: {c: {d: 1}}}`,
			fields: `{"f:metadata":{"f:annotations":{"f:a":{},"f:b":{}}},"f:spec":{"f:c":{"f:d":{}}}}`,
			want: `{"op":"add","path":"/metadata/annotations","value":{}},{"op":"add","path":"/metadata/annotations/a","value":"1"},` +
				`{"op":"add","path":"/metadata/annotations/b","value":"2"},{"op":"add","path":"/spec","value":{}},` +
				`{"op":"add","path":"/spec/c","value":{}},{"op":"add","path":"/spec/c/d","value":1}`},
		{name: "a value that was not there is removed [P16]", live: `{spec: {replicas: 3}}`, wanted: `{}`, fields: `{"f:spec":{"f:replicas":{},"f:gone":{}}}`,
			want: `{"op":"remove","path":"/spec/replicas"}`},
		{name: "what others have put into an empty map stays", live: `{m: {x: 1}, k: 1}`, wanted: `{m: {}, k: 2}`, fields: `{"f:m":{},"f:k":{}}`,
			want: `{"op":"replace","path":"/k","value":2}`},
		{name: "a null that was not there is nothing", live: `{spec: {replicas: null}}`, wanted: `{}`, fields: `{"f:spec":{"f:replicas":{}}}`},
		{name: "a list item is found by its key, wherever it is [P9] [P16]", live: `{c: [{name: b, image: "1"}, {name: a, image: "1"}]}`,
			wanted: `{c: [{name: a, image: "2"}]}`, fields: `{"f:c":{"k:{\"name\":\"a\"}":{"f:name":{},"f:image":{}}}}`,
			want: `{"op":"replace","path":"/c/1/image","value":"2"}`},
		{name: "a list item that is tracked as a whole is added again", live: `{c: [{name: b}]}`, wanted: `{c: [{name: a, image: "2"}]}`,
			fields: `{"f:c":{"k:{\"name\":\"a\"}":{}}}`, want: `{"op":"add","path":"/c/1","value":{"image":"2","name":"a"}}`},
		{name: "an item of a set is added again", live: `{s: [a]}`, wanted: `{s: [b]}`, fields: `{"f:s":{"v:\"b\"":{}}}`,
			want: `{"op":"add","path":"/s/1","value":"b"}`},
		{name: "items are removed from the end", live: `{s: [a, x, b, c]}`, wanted: `{s: []}`, fields: `{"f:s":{"v:\"a\"":{},"v:\"b\"":{},"v:\"c\"":{}}}`,
			want: `{"op":"remove","path":"/s/3"},{"op":"remove","path":"/s/2"},{"op":"remove","path":"/s/0"}`},
		{name: "an item without a name is found by its position", live: `{s: [a, x]}`, wanted: `{s: [null, b, c]}`, fields: `{"f:s":{"i:1":{},"i:2":{}}}`,
			want: `{"op":"replace","path":"/s/1","value":"b"},{"op":"add","path":"/s/2","value":"c"}`},
		{name: "a position behind the end is an error", live: `{s: [a]}`, wanted: `{s: [null, null, c]}`, fields: `{"f:s":{"i:2":{}}}`,
			err: "s[2] cannot be set: there is a list of 1 item(s) at s, and no place for it in it"},
		{name: "an item without a name is not removed", live: `{s: [a]}`, wanted: `{}`, fields: `{"f:s":{"i:0":{}}}`, err: "s[0] cannot be removed"},
		{name: "a field of an item that is gone is an error [P9]", live: `{c: [{name: b}]}`, wanted: `{c: [{name: a, image: "2"}]}`,
			fields: `{"f:c":{"k:{\"name\":\"a\"}":{"f:image":{}}}}`, err: "c[name=a].image cannot be set: c[name=a] is gone"},
		{name: "an item of a list that is gone is an error", live: `{}`, wanted: `{c: [{name: a}]}`, fields: `{"f:c":{"k:{\"name\":\"a\"}":{}}}`,
			err: "c[name=a] cannot be set: c is gone"},
		{name: "a field below what is no object any more is an error", live: `{c: text}`, wanted: `{c: {a: {b: 1}}}`, fields: `{"f:c":{"f:a":{"f:b":{}}}}`,
			err: "c.a.b cannot be set: there is text at c, which has nothing below it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fields := fieldpath.NewSet()
			require.NoError(t, fields.FromJSON(strings.NewReader(test.fields)))
			var wanted map[string]any
			document, err := manifest.ParseDocument(test.wanted)
			require.NoError(t, err)
			encoded, err := json.Marshal(document)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(encoded, &wanted)) // numbers as floats, as in a state
			live := object(t, test.live)
			restored, err := JSONPatch{}.Restore(live, Left{Values: wanted, Fields: fields, Unchanged: unchanged}, "6c7a", "41")
			assert.Equal(t, object(t, test.live), live, "the live object is not changed")
			switch {
			case test.err != "":
				require.ErrorContains(t, err, test.err)
			case test.want == "":
				require.NoError(t, err)
				assert.Nil(t, restored.Body)
			default:
				require.NoError(t, err)
				assert.Equal(t, "["+guard+","+test.want+"]", string(restored.Body))
			}
		})
	}
}

func TestWhatAPatchHasSetComesBack(t *testing.T) {
	patch := jsonPatch(t, `[{op: replace, path: /spec/replicas, value: 5}, {op: add, path: /metadata/annotations/x, value: y},
		{op: replace, path: /spec/template/spec/containers/0/env/0/value, value: z}, {op: replace, path: /metadata/finalizers/0, value: example.com/c},
		{op: replace, path: /spec/template/spec/containers/1/image, value: "log:2"}, {op: replace, path: /spec/template/spec/tolerations/1/key, value: c}]`)
	live := object(t, deployment)
	effect, err := patch.Evaluate(live)
	require.NoError(t, err)
	wanted := ownership.Project(effect.Object, effect.Set, nil)

	drifted, err := jsonPatch(t, `[{op: add, path: /spec/template/spec/containers/0, value: {name: sidecar}}, {op: remove, path: /metadata/annotations}]`).Evaluate(live)
	require.NoError(t, err)
	live.Object = drifted.Object
	left := Left{Values: wanted, Fields: effect.Set, Unchanged: unchanged}
	again, err := JSONPatch{}.Restore(live, left, "6c7a", "41")
	require.NoError(t, err)
	var operations []any
	require.NoError(t, json.Unmarshal(again.Body, &operations))
	restoring, problems := ParseJSONPatch(operations)
	require.Empty(t, problems)
	restored, err := restoring.Evaluate(live)
	require.NoError(t, err)
	assert.Empty(t, ownership.Compare(wanted, ownership.Project(restored.Object, effect.Set, nil), effect.Set), "[P16]")
	live.Object = restored.Object
	again, err = JSONPatch{}.Restore(live, left, "6c7a", "41")
	require.NoError(t, err)
	assert.Nil(t, again.Body, "once is enough")
}
