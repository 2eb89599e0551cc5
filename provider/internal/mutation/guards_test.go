package mutation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

func unchanged(List) bool { return true }

func placesOf(effect Effect) []fieldpath.Path {
	places := make([]fieldpath.Path, len(effect.Operations))
	for i, touch := range effect.Operations {
		places[i] = touch.Place
	}
	return places
}

// TestWhichTestsGuard carries out a patch, changes the object, and checks whether the tests of the patch hold.
func TestWhichTestsGuard(t *testing.T) {
	const args, env = "/spec/template/spec/containers/0/args", "/spec/template/spec/containers/0/env"
	for _, test := range []struct {
		name, patch, change string
		// fails is the test that no longer holds; unkept is the same for a state without places.
		fails, unkept string
	}{
		{
			name: "a test of what is left alone", patch: `[{op: test, path: /spec/paused, value: false}, {op: replace, path: /spec/replicas, value: 5}]`,
			change: `[{op: replace, path: /spec/paused, value: true}]`,
			fails:  "jsonPatch[0]: test /spec/paused: there is a boolean, but another one", unkept: "jsonPatch[0]: test /spec/paused",
		},
		{
			name: "not one of what is replaced after it", patch: `[{op: test, path: /spec/replicas, value: 3}, {op: replace, path: /spec/replicas, value: 5}]`,
			change: `[{op: replace, path: /spec/replicas, value: 7}]`,
		},
		{
			name: "not one of what was set before it", patch: `[{op: replace, path: /spec/replicas, value: 5}, {op: test, path: /spec/replicas, value: 5}]`,
			change: `[{op: replace, path: /spec/replicas, value: 7}]`,
		},
		{
			name: "not one of what is removed or moved away", patch: `[{op: test, path: /spec/paused, value: false}, {op: remove, path: /spec/paused},
				{op: test, path: /metadata/labels/app, value: web}, {op: move, from: /metadata/labels/app, path: /metadata/labels/was}]`,
			change: `[{op: add, path: /spec/paused, value: true}]`,
		},
		{
			name: "one of what is only copied", patch: `[{op: test, path: /metadata/labels/app, value: web}, {op: copy, from: /metadata/labels/app, path: /metadata/labels/was}]`,
			change: `[{op: replace, path: /metadata/labels/app, value: other}]`,
			fails:  "jsonPatch[0]: test /metadata/labels/app", unkept: "jsonPatch[0]: test /metadata/labels/app",
		},
		{
			name: "one of a map counts but for what the patch sets and removes in it",
			patch: `[{op: test, path: /metadata/labels, value: {app: web}}, {op: add, path: /metadata/labels/x, value: "1"},
				{op: test, path: /metadata/annotations, value: {example.com/a~b: x}}, {op: remove, path: /metadata/annotations/example.com~1a~0b}]`,
			change: `[{op: replace, path: /metadata/labels/x, value: "2"}]`,
		},
		{
			name:   "one of a map counts for what else is in it",
			patch:  `[{op: test, path: /metadata/labels, value: {app: web}}, {op: add, path: /metadata/labels/x, value: "1"}]`,
			change: `[{op: replace, path: /metadata/labels/app, value: other}]`, fails: "jsonPatch[0]: test /metadata/labels: there is an object, but another one",
		},
		{
			name:   "one of a list counts but for the item that is replaced",
			patch:  `[{op: test, path: ` + args + `, value: [serve, -v, --all]}, {op: replace, path: ` + args + `/1, value: -vv}]`,
			change: `[{op: replace, path: ` + args + `/1, value: -q}]`,
		},
		{
			name:   "one of a list counts for its length",
			patch:  `[{op: test, path: ` + args + `, value: [serve, -v, --all]}, {op: replace, path: ` + args + `/1, value: -vv}]`,
			change: `[{op: add, path: ` + args + `/0, value: first}]`, fails: "jsonPatch[0]: test " + args,
		},
		{
			name:   "not one of a list that gets an item",
			patch:  `[{op: test, path: ` + args + `, value: [serve, -v, --all]}, {op: add, path: ` + args + `/-, value: -vv}]`,
			change: `[{op: add, path: ` + args + `/0, value: first}]`,
		},
		{
			name:   "one of an item before the end to which one is added",
			patch:  `[{op: test, path: ` + args + `/0, value: serve}, {op: add, path: ` + args + `/-, value: -vv}]`,
			change: `[{op: add, path: ` + args + `/0, value: first}]`, fails: "jsonPatch[0]: test " + args + "/0", unkept: "jsonPatch[0]: test " + args + "/0",
		},
		{
			name:   "one of an item goes with it when the patch moves it",
			patch:  `[{op: test, path: ` + args + `/0, value: serve}, {op: add, path: ` + args + `/0, value: first}, {op: remove, path: ` + args + `/2}]`,
			change: `[{op: replace, path: /spec/replicas, value: 1}]`,
		},
		{
			name:   "one of an item that the patch has moved fails where another is there now",
			patch:  `[{op: test, path: ` + args + `/0, value: serve}, {op: add, path: ` + args + `/0, value: first}]`,
			change: `[{op: remove, path: ` + args + `/0}]`, fails: "jsonPatch[0]: test " + args + "/0",
		},
		{
			name:   "one of an item with a key is made where the item is now",
			patch:  `[{op: test, path: /spec/template/spec/containers/0/name, value: web}, {op: replace, path: /spec/replicas, value: 5}]`,
			change: `[{op: add, path: /spec/template/spec/containers/0, value: {name: sidecar}}]`, unkept: "jsonPatch[0]: test /spec/template/spec/containers/0/name",
		},
		{
			name:   "one of an item with a key that is gone fails",
			patch:  `[{op: test, path: ` + env + `/0/value, value: "1"}, {op: replace, path: /spec/replicas, value: 5}]`,
			change: `[{op: remove, path: ` + env + `/0}]`, fails: "jsonPatch[0]: test " + env + "/0/value: what it is about is gone", unkept: "jsonPatch[0]: test " + env,
		},
		{
			name:   "one that something is not there",
			patch:  `[{op: test, path: /metadata/labels/x, value: null}, {op: replace, path: /spec/replicas, value: 5}]`,
			change: `[{op: add, path: /metadata/labels/x, value: "1"}]`,
			fails:  "jsonPatch[0]: test /metadata/labels/x: there is text, not null", unkept: "jsonPatch[0]: test /metadata/labels/x",
		},
		{
			name:   "one that something is not there, and its map is gone by now",
			patch:  `[{op: test, path: /metadata/labels/x, value: null}, {op: replace, path: /spec/replicas, value: 5}]`,
			change: `[{op: remove, path: /metadata/labels}]`, unkept: "jsonPatch[0]: test /metadata/labels/x",
		},
		{
			name:   "not one inside of what is set as a whole",
			patch:  `[{op: add, path: /spec/tree, value: {a: 1}}, {op: test, path: /spec/tree/a, value: 1}, {op: test, path: /metadata/labels/app, value: web}, {op: add, path: /metadata/labels, value: {}}]`,
			change: `[{op: replace, path: /spec/tree/a, value: 2}]`,
		},
	} {
		t.Run(test.name+" [D7]", func(t *testing.T) {
			live := object(t, deployment)
			patch := jsonPatch(t, test.patch)
			effect, err := patch.Evaluate(live)
			require.NoError(t, err)
			after := &unstructured.Unstructured{Object: effect.Object}
			require.NoError(t, patch.CheckTests(after, placesOf(effect)), "nothing fails because of the patch itself")
			require.NoError(t, patch.CheckTests(after, nil), "nor where the places were not kept")

			changed, err := jsonPatch(t, test.change).Evaluate(after)
			require.NoError(t, err)
			now := &unstructured.Unstructured{Object: changed.Object}
			requireTests(t, patch.CheckTests(now, placesOf(effect)), test.fails)
			requireTests(t, patch.CheckTests(now, nil), test.unkept)
		})
	}
}

func requireTests(t *testing.T, err error, fails string) {
	t.Helper()
	if fails == "" {
		require.NoError(t, err)
		return
	}
	var failed *OperationError
	require.ErrorAs(t, err, &failed)
	assert.True(t, failed.Test)
	assert.ErrorContains(t, err, fails)
}

func TestAPositionIsTrustedOnlyInTheListThatItWasIn(t *testing.T) {
	const args = "/spec/template/spec/containers/0/args"
	set := func(tests string) string { return `[` + tests + `{op: replace, path: ` + args + `/1, value: -vv}]` }
	for _, test := range []struct{ name, patch, change, want string }{
		{"the value alone has changed", set(""), `[{op: replace, path: ` + args + `/1, value: -q}]`, args + "/1"},
		{"an item came before it", set(""), `[{op: add, path: ` + args + `/0, value: first}]`, ""},
		{"an item came behind it, and its value has changed", set(""), `[{op: replace, path: ` + args + `/1, value: -q}, {op: add, path: ` + args + `/-, value: last}]`, ""},
		{"another item has changed, and its value too", set(""), `[{op: replace, path: ` + args + `, value: [a, b, c]}]`, ""},
		{"the list ends before it", set(""), `[{op: replace, path: ` + args + `, value: [serve]}]`, ""},
		{"a test of another item holds", set(`{op: test, path: ` + args + `/0, value: serve}, `), `[{op: replace, path: ` + args + `, value: [serve, b, c, d]}]`, args + "/1"},
		{"a test of another item does not hold", set(`{op: test, path: ` + args + `/0, value: serve}, `), `[{op: add, path: ` + args + `/0, value: first}]`, ""},
		{"a test of something else says nothing of the list", set(`{op: test, path: /spec/replicas, value: 3}, `), `[{op: add, path: ` + args + `/0, value: first}]`, ""},
		{
			"a test of the item itself says nothing", set(`{op: test, path: ` + args + `/1, value: -v}, `),
			`[{op: replace, path: ` + args + `, value: [serve, -v, c, d]}]`, "",
		},
		{
			"an item with a key may go anywhere", `[{op: replace, path: /spec/template/spec/containers/0/image, value: "web:2"}]`,
			`[{op: replace, path: /spec/template/spec/containers/0/image, value: "web:3"}, {op: add, path: /spec/template/spec/containers/0, value: {name: sidecar}}]`,
			"/spec/template/spec/containers/1/image",
		},
		{
			"of an item without a key another field has changed", `[{op: replace, path: /spec/template/spec/tolerations/1/operator, value: Equal}]`,
			`[{op: replace, path: /spec/template/spec/tolerations/1, value: {key: c, operator: Exists}}]`, "",
		},
		{
			"of an item without a key only the field has changed, or is gone", `[{op: add, path: /spec/template/spec/tolerations/1/effect, value: NoExecute}]`,
			`[{op: remove, path: /spec/template/spec/tolerations/1/effect}]`, "/spec/template/spec/tolerations/1/effect",
		},
	} {
		t.Run(test.name+" [D7]", func(t *testing.T) {
			patch := jsonPatch(t, test.patch)
			effect, err := patch.Evaluate(object(t, deployment))
			require.NoError(t, err)
			kept := map[string]any{}
			for _, list := range Beside(effect.Object, effect.Set) {
				kept[ownership.Format(list.Path)] = list.Rest
			}
			after := object(t, deployment)
			after.Object = effect.Object
			changed, err := jsonPatch(t, test.change).Evaluate(after)
			require.NoError(t, err)
			after.Object = changed.Object

			left := Left{
				Values: ownership.Project(effect.Object, effect.Set, nil), Fields: effect.Set, Places: placesOf(effect),
				Unchanged: func(list List) bool {
					return assert.ObjectsAreEqual(kept[ownership.Format(list.Path)], list.Rest)
				},
			}
			restored, err := patch.Restore(after, left, "6c7a", "41")
			if test.want == "" {
				var failed *OperationError
				require.ErrorAs(t, err, &failed)
				assert.Nil(t, restored.Body)
				assert.Contains(t, err.Error(), "jsonPatch[")
				left.Places, left.Unchanged = nil, nil
				_, err = patch.Restore(after, left, "6c7a", "41")
				require.Error(t, err, "what is not known is not guessed")
				return
			}
			require.NoError(t, err)
			assert.Contains(t, string(restored.Body), `"path":"`+test.want+`"`)
		})
	}
}
