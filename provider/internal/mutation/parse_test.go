package mutation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

func TestMalformedJSONPatchesAreRefused(t *testing.T) {
	for _, test := range []struct{ name, patch, path, reason string }{
		{"no operation [P2]", `[]`, "", "The list of operations is empty"},
		{"an object instead of a list [P2]", `{op: add}`, "", "A JSON patch is a list of operations, not an object."},
		{"an operation that is text [P2]", `[x]`, "[0]", "An operation is an object with op, path"},
		{"no op [P2]", `[{path: /a, value: 1}]`, "[0].op", "The operation has no op."},
		{"an empty op [P2]", `[{op: "", path: /a}]`, "[0].op", "The op is empty."},
		{"an op that is no text [P2]", `[{op: 1, path: /a}]`, "[0].op", "must be text, not a number"},
		{"an unknown op [P2]", `[{op: test, path: /a, value: 1}, {op: Add, path: /a, value: 1}]`, "[1].op", `There is no operation "Add".`},
		{"no path [P2]", `[{op: remove}]`, "[0].path", "The operation has no path."},
		{"a path that is null [P2]", `[{op: remove, path: null}]`, "[0].path", "must be text, not null"},
		{"the whole object [P2]", `[{op: replace, path: "", value: {}}]`, "[0].path", "The empty pointer means the whole object"},
		{"dots instead of slashes [P2]", `[{op: remove, path: spec.replicas}]`, "[0].path", `"spec.replicas" is not a JSON pointer`},
		{"an empty name [P2]", `[{op: remove, path: /spec//x}]`, "[0].path", `A name in "/spec//x" is empty.`},
		{"a slash at the end [P2]", `[{op: remove, path: /spec/}]`, "[0].path", `A name in "/spec/" is empty.`},
		{"a tilde that stands alone [P2] [P14]", `[{op: remove, path: /a/b~c}]`, "[0].path", `has a "~" that stands alone`},
		{"a tilde at the end [P2] [P14]", `[{op: remove, path: /a~0/b~}]`, "[0].path", `has a "~" that stands alone`},
		{"no value [P2]", `[{op: add, path: /a}]`, "[0].value", "The operation add has no value."},
		{"a test without a value [P2]", `[{op: test, path: /a}]`, "[0].value", "The operation test has no value."},
		{"a value to remove [P2]", `[{op: remove, path: /a, value: x}]`, "[0].value", "it does not look at a value"},
		{"no from [P2]", `[{op: copy, path: /a}]`, "[0].from", "The operation copy needs it"},
		{"a malformed from [P2]", `[{op: move, path: /a, from: b}]`, "[0].from", `"b" is not a JSON pointer`},
		{"a move into itself [P2]", `[{op: move, path: /a/b, from: /a}]`, "[0].path", "A value cannot be moved into itself."},
	} {
		t.Run(test.name, func(t *testing.T) {
			document, err := manifest.ParseDocument(test.patch)
			require.NoError(t, err)
			_, problems := ParseJSONPatch(document)
			require.Len(t, problems, 1)
			assert.Equal(t, test.path, problems[0].Path)
			assert.Contains(t, problems[0].Reason, test.reason)
		})
	}
}

func TestMalformedMergePatchesAreRefused(t *testing.T) {
	for _, test := range []struct {
		name         string
		patch        any
		path, reason string
	}{
		{"empty [P2]", map[string]any{}, "", "The merge patch is empty"},
		{"a list [P2]", []any{}, "", "not a list of 0 item(s)"},
		{"null [P2]", nil, "", "not null"},
		{"a null in a list [P2]", map[string]any{"a": []any{"x", nil}}, "a[1]", "removes nothing"},
		{"a null in an object in a list [P2]", map[string]any{"a": []any{map[string]any{"b.c": nil}}}, `a[0]["b.c"]`, "removes nothing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, problems := ParseMergePatch(test.patch)
			require.Len(t, problems, 1)
			assert.Equal(t, test.path, problems[0].Path)
			assert.Contains(t, problems[0].Reason, test.reason)
		})
	}
}

func TestOnceOperationsAreNamed(t *testing.T) {
	patch := jsonPatch(t, `[{op: add, path: /a/-, value: 1}, {op: add, path: /a/0, value: 1}, {op: add, path: /a/01, value: 1}, {op: add, path: /a/b, value: 1},
		{op: replace, path: /a/0, value: 1}, {op: test, path: /a/0, value: 1}, {op: remove, path: /a~1b}, {op: move, from: /a, path: /b}, {op: copy, from: /a, path: /b}]`)
	assert.Equal(t, []string{"add /a/-", "add /a/0", "remove /a~1b", "move /a to /b", "copy /a to /b"}, patch.OnceOperations(func(int) bool { return false }), "[P13]")
	assert.Equal(t, []string{"add /a/-", "add [secret] (operation 2)", "remove /a~1b", "move [secret] (operation 8)", "copy /a to /b"},
		patch.OnceOperations(func(index int) bool { return index == 1 || index == 7 }), "[D4]")
}

func TestTheBodyOfAJSONPatchIsGuarded(t *testing.T) {
	body, err := jsonPatch(t, `[{op: add, path: /a~1b, value: null}, {op: move, from: /a, path: /b}, {op: remove, path: /c}]`).Encode("6c7a", "41")
	require.NoError(t, err)
	assert.Equal(t, `[{"op":"replace","path":"/metadata/uid","value":"6c7a"},{"op":"replace","path":"/metadata/resourceVersion","value":"41"},`+
		`{"op":"add","path":"/a~1b","value":null},{"op":"move","path":"/b","from":"/a"},{"op":"remove","path":"/c"}]`, string(body))
}

func TestTheBodyOfAMergePatchIsGuarded(t *testing.T) {
	patch := mergePatch(t, `{metadata: {labels: {a: null}}, spec: {x: 1}}`)
	for range 2 { // the patch itself is not changed
		body, err := patch.Encode("6c7a", "41")
		require.NoError(t, err)
		assert.JSONEq(t, `{"metadata":{"labels":{"a":null},"uid":"6c7a","resourceVersion":"41"},"spec":{"x":1}}`, string(body))
	}
	body, err := mergePatch(t, `{spec: {x: 1}}`).Encode("6c7a", "41")
	require.NoError(t, err)
	assert.JSONEq(t, `{"metadata":{"uid":"6c7a","resourceVersion":"41"},"spec":{"x":1}}`, string(body))
	_, err = mergePatch(t, `{metadata: null}`).Encode("6c7a", "41")
	assert.ErrorContains(t, err, "metadata is null")
}

func TestAMergePatchWithUnknownPartsIsNotEvaluated(t *testing.T) {
	for _, document := range []any{values.Unknown{}, map[string]any{"a": values.Unknown{}}, map[string]any{"a": []any{values.Unknown{}}}} {
		patch, problems := ParseMergePatch(document)
		require.Empty(t, problems)
		_, err := patch.Evaluate(object(t, deployment))
		require.ErrorContains(t, err, "known only after the apply")
		_, err = patch.Encode("uid", "1")
		require.ErrorContains(t, err, "known only after the apply")
	}
}
