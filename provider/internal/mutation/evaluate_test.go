package mutation

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

func TestWhatAJSONPatchTouches(t *testing.T) {
	for _, test := range []struct {
		name, patch, projection string
		set, once               []string
		touches                 []string // "!" before those done once, "-" for nothing
	}{
		{
			name: "a member of an object is tracked [P12]", patch: `[{op: replace, path: /spec/replicas, value: 5}]`,
			projection: `{spec: {replicas: 5}}`, set: []string{"spec.replicas"}, touches: []string{"spec.replicas"},
		},
		{
			name: "an added member is tracked, in maps with slashes and tildes in their keys too [P14]",
			patch: `[{op: add, path: /metadata/labels/example.com~1x, value: "1"}, {op: replace, path: /metadata/annotations/example.com~1a~0b, value: "2"},
				{op: add, path: /metadata/labels/7, value: "3"}]`,
			projection: `{metadata: {labels: {example.com/x: "1", "7": "3"}, annotations: {example.com/a~b: "2"}}}`,
			set:        []string{`metadata.annotations["example.com/a~b"]`, `metadata.labels["7"]`, `metadata.labels["example.com/x"]`},
			touches:    []string{`metadata.labels["example.com/x"]`, `metadata.annotations["example.com/a~b"]`, `metadata.labels["7"]`},
		},
		{
			name: "below an item of a keyed list, the item is named by its key [P10]",
			patch: `[{op: replace, path: /spec/template/spec/containers/1/image, value: "log:2"},
				{op: replace, path: /spec/template/spec/containers/1/env/0/value, value: "3"}]`,
			projection: `{spec: {template: {spec: {containers: [{name: log, image: "log:2", env: [{name: B, value: "3"}]}]}}}}`,
			set: []string{"spec.template.spec.containers[name=log].env[name=B].name", "spec.template.spec.containers[name=log].env[name=B].value",
				"spec.template.spec.containers[name=log].image", "spec.template.spec.containers[name=log].name"},
			touches: []string{"spec.template.spec.containers[name=log].image", "spec.template.spec.containers[name=log].env[name=B].value"},
		},
		{
			name: "of two items of one number, the protocol tells which [P10]", patch: `[{op: add, path: /spec/template/spec/containers/0/ports/1/name, value: dns}]`,
			projection: `{spec: {template: {spec: {containers: [{name: web, ports: [{containerPort: 53, protocol: UDP, name: dns}]}]}}}}`,
			set: []string{"spec.template.spec.containers[name=web].name",
				"spec.template.spec.containers[name=web].ports[containerPort=53,protocol=UDP].containerPort",
				"spec.template.spec.containers[name=web].ports[containerPort=53,protocol=UDP].name",
				"spec.template.spec.containers[name=web].ports[containerPort=53,protocol=UDP].protocol"},
			touches: []string{"spec.template.spec.containers[name=web].ports[containerPort=53,protocol=UDP].name"},
		},
		{
			name: "an item that is replaced as a whole is named by its new key", patch: `[{op: replace, path: /spec/template/spec/containers/0, value: {name: new, image: x}}]`,
			projection: `{spec: {template: {spec: {containers: [{name: new, image: x}]}}}}`,
			set:        []string{"spec.template.spec.containers[name=new].image", "spec.template.spec.containers[name=new].name"}, touches: []string{"spec.template.spec.containers[name=new]"},
		},
		{
			name: "an item of a set is named by its value [P10]", patch: `[{op: replace, path: /metadata/finalizers/1, value: example.com/c}]`,
			projection: `{metadata: {finalizers: [example.com/c]}}`,
			set:        []string{`metadata.finalizers[="example.com/c"]`}, touches: []string{`metadata.finalizers[="example.com/c"]`},
		},
		{
			name: "an item of an atomic list is named by its position [P10]", patch: `[{op: replace, path: /spec/template/spec/tolerations/1/operator, value: Equal}]`,
			projection: `{spec: {template: {spec: {tolerations: [null, {operator: Equal}]}}}}`,
			set:        []string{"spec.template.spec.tolerations[1].operator"}, touches: []string{"spec.template.spec.tolerations[1].operator"},
		},
		{
			name:       "a whole list is one field, of a map what is in it [P10]",
			patch:      `[{op: replace, path: /spec/template/spec/containers/0/args, value: [x]}, {op: add, path: /spec/strategy, value: {type: Recreate, deep: {er: 1}}}]`,
			projection: `{spec: {strategy: {type: Recreate, deep: {er: 1}}, template: {spec: {containers: [{name: web, args: [x]}]}}}}`,
			set:        []string{"spec.strategy.deep.er", "spec.strategy.type", "spec.template.spec.containers[name=web].args", "spec.template.spec.containers[name=web].name"},
			touches:    []string{"spec.template.spec.containers[name=web].args", "spec.strategy"},
		},
		{
			name: "items are added once [P12] [P13]",
			patch: `[{op: add, path: /spec/template/spec/containers/0/env/-, value: {name: C, value: x}}, {op: add, path: /spec/template/spec/containers/0, value: {name: first}},
				{op: add, path: /spec/template/spec/tolerations/-, value: {key: c}}]`,
			once: []string{"spec.template.spec.containers[name=first]", "spec.template.spec.containers[name=web].env[name=C]",
				"spec.template.spec.containers[name=web].name", "spec.template.spec.tolerations[2]"},
			touches: []string{"!spec.template.spec.containers[name=web].env[name=C]", "!spec.template.spec.containers[name=first]",
				"!spec.template.spec.tolerations[2]"},
		},
		{
			name: "remove, move and copy are done once, and test touches nothing [P12]",
			patch: `[{op: test, path: /spec/replicas, value: 3}, {op: remove, path: /spec/paused}, {op: move, from: /metadata/labels/app, path: /metadata/labels/was},
				{op: copy, from: /spec/replicas, path: /spec/minReadySeconds}, {op: remove, path: /spec/template/spec/containers/0}]`,
			once:    []string{"metadata.labels.app", "metadata.labels.was", "spec.minReadySeconds", "spec.paused", "spec.template.spec.containers[name=web]"},
			touches: []string{"-", "!-", "!metadata.labels.was", "!spec.minReadySeconds", "!-"},
		},
		{
			name: "positions are those after later operations",
			patch: `[{op: replace, path: /spec/template/spec/tolerations/1/operator, value: Equal}, {op: add, path: /spec/template/spec/tolerations/0, value: {key: z}},
				{op: remove, path: /spec/template/spec/tolerations/1}, {op: add, path: /spec/template/spec/tolerations/-, value: {key: y}}]`,
			projection: `{spec: {template: {spec: {tolerations: [null, {operator: Equal}]}}}}`,
			set:        []string{"spec.template.spec.tolerations[1].operator"},
			once:       []string{"spec.template.spec.tolerations[0]", "spec.template.spec.tolerations[1]", "spec.template.spec.tolerations[2]"},
			touches:    []string{"spec.template.spec.tolerations[1].operator", "!spec.template.spec.tolerations[0]", "!-", "!spec.template.spec.tolerations[2]"},
		},
		{
			name: "the last of several operations on a field counts",
			patch: `[{op: replace, path: /spec/replicas, value: 4}, {op: replace, path: /spec/replicas, value: 5}, {op: add, path: /spec/x, value: 1}, {op: remove, path: /spec/x},
				{op: remove, path: /spec/paused}, {op: add, path: /spec/paused, value: true}]`,
			projection: `{spec: {replicas: 5, paused: true}}`,
			set:        []string{"spec.paused", "spec.replicas"}, once: []string{"spec.x"},
			touches: []string{"-", "spec.replicas", "-", "!-", "!-", "spec.paused"},
		},
		{
			name: "what is written below a field that the patch sets as a whole is part of it",
			patch: `[{op: add, path: /spec/x, value: {a: 1, b: [1]}}, {op: replace, path: /spec/x/a, value: 2}, {op: add, path: /spec/x/b/-, value: 3},
				{op: copy, from: /spec/x/a, path: /spec/x/c}]`,
			projection: `{spec: {x: {a: 2, b: [1, 3], c: 2}}}`,
			set:        []string{"spec.x.a", "spec.x.b", "spec.x.c"}, touches: []string{"-", "spec.x.a", "!spec.x.b[1]", "!spec.x.c"},
		},
		{
			name: "a whole that is written after a part takes its place", patch: `[{op: add, path: /metadata/labels/x, value: "1"}, {op: add, path: /metadata/labels, value: {y: "2"}}]`,
			projection: `{metadata: {labels: {y: "2"}}}`, set: []string{"metadata.labels.true"}, touches: []string{"-", "metadata.labels"},
		},
		{
			name: "a copy over a tracked field is not tracked, a field moved away neither",
			patch: `[{op: replace, path: /spec/replicas, value: 4}, {op: copy, from: /spec/paused, path: /spec/replicas}, {op: add, path: /spec/x, value: 1},
				{op: move, from: /spec/x, path: /spec/y}]`,
			once: []string{"spec.replicas", "spec.x", "spec.y"}, touches: []string{"-", "!spec.replicas", "-", "!spec.y"},
		},
		{
			name:       "texts may be empty, numbers, booleans and null set as they are [P11]",
			patch:      `[{op: add, path: /spec/e, value: ""}, {op: add, path: /spec/n, value: null}, {op: replace, path: /spec/paused, value: true}, {op: add, path: /spec/f, value: 1.5}, {op: add, path: /spec/i, value: 9007199254740993}]`,
			projection: `{spec: {e: "", paused: true, f: 1.5, i: 9007199254740993}}`,
			set:        []string{"spec.e", "spec.f", "spec.i", "spec.n", "spec.paused"},
			touches:    []string{"spec.e", "spec.n", "spec.paused", "spec.f", "spec.i"},
		},
		{
			name: "a text of 10 kB is set as it is [P11]", patch: `[{op: add, path: /spec/long, value: ` + strings.Repeat("<é>", 2500) + `}]`,
			projection: `{spec: {long: ` + strings.Repeat("<é>", 2500) + `}}`, set: []string{"spec.long"}, touches: []string{"spec.long"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			live := object(t, deployment)
			effect, err := jsonPatch(t, test.patch).Evaluate(live)
			require.NoError(t, err)
			assert.Equal(t, object(t, deployment), live, "the live object is not changed")
			assert.Equal(t, test.set, paths(effect.Set))
			assert.Equal(t, test.once, paths(effect.Once))
			assert.True(t, effect.Removed.Empty())
			var touches []string
			for _, touch := range effect.Operations {
				text := ownership.Format(touch.Path)
				if touch.Path == nil {
					text = "-"
				}
				if touch.Once {
					text = "!" + text
				}
				touches = append(touches, text)
			}
			assert.Equal(t, test.touches, touches)
			want := map[string]any{}
			if test.projection != "" {
				want = object(t, test.projection).Object
			}
			projection := ownership.Project(effect.Object, effect.Set, nil)
			assert.Equal(t, want, projection)
			assert.Empty(t, ownership.Compare(projection, projection, effect.Set))
		})
	}
}

func TestNumbersOfTheObjectSurviveAnEvaluation(t *testing.T) {
	live := object(t, deployment)
	live.Object["spec"].(map[string]any)["big"] = int64(math.MaxInt64)
	effect, err := jsonPatch(t, `[{op: replace, path: /spec/replicas, value: 5}]`).Evaluate(live)
	require.NoError(t, err)
	spec := effect.Object["spec"].(map[string]any)
	assert.Equal(t, int64(math.MaxInt64), spec["big"], "[P11]")
	assert.Equal(t, int64(5), spec["replicas"], "[P11]")
}

func TestAProjectionShowsDriftOfAnItemWithoutAName(t *testing.T) {
	effect, err := jsonPatch(t, `[{op: replace, path: /spec/template/spec/containers/0/args/1, value: -q}]`).Evaluate(object(t, deployment))
	require.NoError(t, err)
	wanted := ownership.Project(effect.Object, effect.Set, nil)
	now := ownership.Project(object(t, deployment).Object, effect.Set, nil)
	changes := ownership.Compare(wanted, now, effect.Set)
	require.Len(t, changes, 1, "[P16]")
	assert.Equal(t, "spec.template.spec.containers[name=web].args[1]", ownership.Format(changes[0].Path))
	assert.Equal(t, "-v", changes[0].New)
}

func TestAnOperationThatCannotBeCarriedOutSaysWhatIsThere(t *testing.T) {
	for _, test := range []struct {
		name, patch, want string
		test              bool
	}{
		{name: "a misspelt name [P15]", patch: `[{op: test, path: /spec/replicas, value: 3}, {op: replace, path: /spec/replica, value: 3}]`,
			want: `jsonPatch[1]: replace /spec/replica: there is no "replica" at /spec, which has paused, replicas, template`},
		{name: "a position behind the end [P15]", patch: `[{op: replace, path: /spec/template/spec/containers/7/image, value: x}]`,
			want: `jsonPatch[0]: replace /spec/template/spec/containers/7/image: the list at /spec/template/spec/containers has 2 item(s)`},
		{name: "adding behind the end [P15]", patch: `[{op: add, path: /spec/template/spec/containers/3, value: x}]`,
			want: `jsonPatch[0]: add /spec/template/spec/containers/3: the list at /spec/template/spec/containers has 2 item(s)`},
		{name: "replacing the end [P15]", patch: `[{op: replace, path: /spec/template/spec/containers/-, value: x}]`,
			want: `jsonPatch[0]: replace /spec/template/spec/containers/-: the list at /spec/template/spec/containers has 2 item(s)`},
		{name: "a name in a list [P15]", patch: `[{op: replace, path: /spec/template/spec/containers/web/image, value: x}]`,
			want: `there is a list at /spec/template/spec/containers, and "web" is not a position in it: positions are numbers from 0`},
		{name: "a negative position [P15]", patch: `[{op: remove, path: /spec/template/spec/containers/-1}]`, want: `"-1" is not a position`},
		{name: "a position with a leading zero [P15]", patch: `[{op: remove, path: /spec/template/spec/containers/01}]`, want: `"01" is not a position`},
		{name: "below a text [P15]", patch: `[{op: add, path: /kind/x, value: 1}]`, want: `jsonPatch[0]: add /kind/x: there is text at /kind, which has nothing below it`},
		{name: "removing what is not there [P15]", patch: `[{op: remove, path: /metadata/labels/nope}]`, want: `there is no "nope" at /metadata/labels, which has app`},
		{name: "copying from nowhere [P15]", patch: `[{op: copy, from: /spec/nope, path: /spec/x}]`, want: `jsonPatch[0]: copy /spec/nope: there is no "nope" at /spec`},
		{name: "moving to nowhere [P15]", patch: `[{op: move, from: /spec/paused, path: /spec/x/y}]`, want: `jsonPatch[0]: move /spec/x/y: there is no "x" at /spec, which has replicas, template`},
		{name: "a test of another value [P12]", patch: `[{op: test, path: /spec/template/spec/containers/0/image, value: "hush"}]`, test: true,
			want: `jsonPatch[0]: test /spec/template/spec/containers/0/image: there is text, but another one than the test expects`},
		{name: "a test of another type [P12]", patch: `[{op: test, path: /spec/template/spec/containers, value: hush}]`, test: true,
			want: `there is a list of 2 item(s), not text`},
		{name: "a test for absence [P12]", patch: `[{op: test, path: /spec/replicas, value: null}]`, test: true, want: `there is a number, not null`},
		{name: "a test of what is not there [P12]", patch: `[{op: test, path: /spec/nope, value: hush}]`, test: true, want: `there is no "nope" at /spec`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := jsonPatch(t, test.patch).Evaluate(object(t, deployment))
			require.ErrorContains(t, err, test.want)
			for _, secret := range []string{"hush", "web:1"} {
				assert.NotContains(t, err.Error(), secret, "no value is shown")
			}
			var operation *OperationError
			require.ErrorAs(t, err, &operation)
			assert.Equal(t, test.test, operation.Test)
		})
	}
	t.Run("names at a place with many are cut short [P15]", func(t *testing.T) {
		live := object(t, `{data: {a1: x, a2: x, a3: x, a4: x, a5: x, a6: x, a7: x, a8: x, a9: x, b1: x, b2: x, b3: x}}`)
		_, err := jsonPatch(t, `[{op: remove, path: /data/a}]`).Evaluate(live)
		assert.EqualError(t, err, `jsonPatch[0]: remove /data/a: there is no "a" at /data, which has a1, a2, a3, a4, a5, a6, a7, a8, a9, b1 and 2 more`)
	})
	t.Run("a test for absence holds where nothing is [P12]", func(t *testing.T) {
		_, err := jsonPatch(t, `[{op: test, path: /spec/nope, value: null}]`).Evaluate(object(t, deployment))
		assert.NoError(t, err)
	})
	t.Run("a list with null in it can be tested [P12]", func(t *testing.T) {
		_, err := jsonPatch(t, `[{op: test, path: /a, value: [null]}]`).Evaluate(object(t, `{a: [null]}`))
		assert.NoError(t, err)
	})
}

func TestAPatchWithUnknownPartsIsNotEvaluated(t *testing.T) {
	for name, operations := range map[string]any{
		"all":         values.Unknown{},
		"a operation": []any{values.Unknown{}},
		"the path":    []any{map[string]any{"op": "remove", "path": values.Unknown{}}},
		"a value":     []any{map[string]any{"op": "add", "path": "/a", "value": []any{values.Unknown{}}}},
	} {
		t.Run(name, func(t *testing.T) {
			patch, problems := ParseJSONPatch(operations)
			require.Empty(t, problems)
			assert.Empty(t, patch.CheckContent())
			_, err := patch.Evaluate(object(t, deployment))
			var operation *OperationError
			require.ErrorAs(t, err, &operation)
			_, err = patch.Encode("uid", "1")
			require.ErrorContains(t, err, "known only after the apply")
			_, held := patch.Held(object(t, deployment))
			assert.False(t, held)
		})
	}
}

func TestTextOfAPatchIsReadByTheRulesOfManifests(t *testing.T) {
	_, err := manifest.ParseDocument("- op: add\n  path: /a\n  path: /b\n")
	assert.ErrorContains(t, err, `the key "path" is there twice, in lines 2 and 3`, "[P2]")
}

func TestListItemsAreNamedOnlyByWhatLeadsToThem(t *testing.T) {
	for _, test := range []struct {
		name, patch, want string
	}{
		{"of two items with one key, the second is named by its position", `[{op: add, path: /l/1/x, value: 1}]`, "l[1].x"},
		{"the first is found by the key", `[{op: add, path: /l/0/x, value: 1}]`, "l[name=a].x"},
		{"an item without the key is named by its position", `[{op: add, path: /l/2/x, value: 1}]`, "l[2].x"},
		{"the first of two equal items of a set is named by its value", `[{op: replace, path: /s/0, value: b}]`, `s[="b"]`},
		{"a new value is one of the set", `[{op: replace, path: /s/1, value: c}]`, `s[="c"]`},
		{"an object in a set is named by its position", `[{op: replace, path: /s/1, value: {}}]`, `s[1]`},
		{"what an item was added with is done once, what is set in it later is tracked [P13]",
			`[{op: add, path: /l/-, value: {name: d, x: 1}}, {op: replace, path: /l/3/x, value: 2}]`, "l[name=d].x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			live := object(t, `
metadata: {managedFields: [{manager: m, operation: Update, fieldsV1: {f:l: {'k:{"name":"a"}': {f:name: {}}}, f:s: {'v:"a"': {}, 'v:"b"': {}}}}]}
l: [{name: a}, {name: a}, {}]
s: [a, b]
`)
			patch := jsonPatch(t, test.patch)
			effect, err := patch.Evaluate(live)
			require.NoError(t, err)
			last := effect.Operations[len(effect.Operations)-1]
			assert.Equal(t, test.want, ownership.Format(last.Path))
			assert.True(t, effect.Set.Has(last.Path), "it is tracked")
		})
	}
}

func TestTheEffectSharesNothingWithTheLiveObject(t *testing.T) {
	live := object(t, deployment)
	effect, err := jsonPatch(t, `[{op: test, path: /spec/replicas, value: 3}]`).Evaluate(live)
	require.NoError(t, err)
	effect.Object["spec"].(map[string]any)["replicas"] = int64(7)
	assert.Equal(t, object(t, deployment), live)
}
