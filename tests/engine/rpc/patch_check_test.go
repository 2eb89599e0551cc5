package rpc_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPatchCheck(t *testing.T) {
	t.Parallel()
	// Check must not need a cluster: there is none at this address.
	p := start(t, m{"host": closedHost(t), "token": "t", "insecure": true})
	target := m{"apiVersion": "v1", "kind": "ConfigMap", "name": "it", "namespace": "prod"}
	ok := data("a", "9")
	op := func(more ...any) []any {
		operation := m{}
		for i := 0; i < len(more); i += 2 {
			operation[more[i].(string)] = more[i+1]
		}
		return []any{operation}
	}
	type refusal struct {
		name   string
		inputs m
		// property is where the failure is told, says what it must say.
		property, says string
	}
	of := func(inputs m) m { // complete but for these
		whole := m{"target": target, "takeOwnership": true}
		for key, value := range inputs {
			whole[key] = value
			if value == nil {
				delete(whole, key)
			}
		}
		return whole
	}
	withTarget := func(key string, value any) m {
		other := m{"apiVersion": "v1", "kind": "ConfigMap", "name": "it", "namespace": "prod"}
		other[key] = value
		if value == nil {
			delete(other, key)
		}
		return of(m{"target": other, "patch": ok})
	}
	cases := []refusal{
		{"no patch [P2]", of(m{}), "", "patch"},
		{"two kinds [P2]", of(m{"patch": ok, "mergePatch": ok}), "mergePatch", "one of"},
		{"three kinds [P2]", of(m{"patch": ok, "mergePatch": ok, "jsonPatch": op("op", "add", "path", "/data/a", "value", "9")}), "", "one of"},
		{"an empty patch [P2]", of(m{"patch": m{}}), "patch", "no field"},
		{"an empty mergePatch [P2]", of(m{"mergePatch": m{}}), "mergePatch", "no field"},
		{"an empty jsonPatch [P2]", of(m{"jsonPatch": []any{}}), "jsonPatch", "empty"},
		{"empty text [P2]", of(m{"patch": ""}), "patch", "no object or list"},
		{"empty text of a jsonPatch [P2]", of(m{"jsonPatch": ""}), "jsonPatch", "no object or list"},
		{"empty text of a mergePatch [P2]", of(m{"mergePatch": ""}), "mergePatch", "no object or list"},
		{"text with only a comment [P2]", of(m{"patch": "# nothing"}), "patch", "no object or list"},
		{"malformed YAML [P2]", of(m{"patch": "a: [b"}), "patch", ""},
		{"malformed JSON [P2]", of(m{"jsonPatch": `[{"op":`}), "jsonPatch", ""},
		{"two documents [P2]", of(m{"patch": "a: b\n---\nc: d\n"}), "patch", ""},
		{"a duplicate key in the text [P2]", of(m{"mergePatch": "data: {a: '1'}\ndata: {b: '2'}\n"}), "mergePatch", ""},
		{"a patch that is a list [P2]", of(m{"patch": []any{ok}}), "patch", ""},
		{"a mergePatch that is a list [P2]", of(m{"mergePatch": []any{ok}}), "mergePatch", ""},
		{"a jsonPatch that is an object [P2]", of(m{"jsonPatch": ok}), "jsonPatch", "list"},
		{"a patch that is a number [P2]", of(m{"patch": 5}), "patch", ""},
		{"a jsonPatch of texts [P2]", of(m{"jsonPatch": []any{"add"}}), "jsonPatch[0]", ""},
		{"takeOwnership is missing [P3]", of(m{"patch": ok, "takeOwnership": nil}), "takeOwnership", "true"},
		{"takeOwnership is false [P3]", of(m{"patch": ok, "takeOwnership": false}), "takeOwnership", "true"},
		{"takeOwnership is text [P3]", of(m{"patch": ok, "takeOwnership": "maybe"}), "takeOwnership", ""},
		{"no target", of(m{"patch": ok, "target": nil}), "target", ""},
		{"a target without apiVersion", withTarget("apiVersion", nil), "target.apiVersion", ""},
		{"a target without kind", withTarget("kind", nil), "target.kind", ""},
		{"a target without name", withTarget("name", nil), "target.name", ""},
		{"a target with an empty name", withTarget("name", ""), "target.name", ""},
		{"a target with a malformed apiVersion", withTarget("apiVersion", "a/b/c"), "target.apiVersion", ""},
		{"a target with more", withTarget("labels", "x"), "target.labels", ""},
		{"an unknown input", of(m{"patch": ok, "force": true}), "force", ""},
		{"an unknown member of waitFor", of(m{"patch": ok, "waitFor": m{"fields": "data.a"}}), "waitFor.fields", ""},
		{"a waitFor that asks for nothing", of(m{"patch": ok, "waitFor": m{}}), "waitFor", ""},
		{"a null in a patch [P11]", of(m{"patch": data("a", nil)}), "patch.data.a", "mergePatch"},
		{"a null in the text of a patch [P11]", of(m{"patch": "data: {a: null}"}), "patch.data.a", "mergePatch"},
		{"a null in a list of a patch", of(m{"patch": m{"spec": m{"list": []any{m{"a": nil}}}}}), "patch.spec.list[0].a", "mergePatch"},
		{"an unknown operation [P12]", of(m{"jsonPatch": op("op", "increment", "path", "/data/a", "value", "9")}), "jsonPatch[0].op", "increment"},
		{"no operation [P12]", of(m{"jsonPatch": op("path", "/data/a", "value", "9")}), "jsonPatch[0].op", ""},
		{"no path [P12]", of(m{"jsonPatch": op("op", "add", "value", "9")}), "jsonPatch[0].path", ""},
		{"an add without value [P12]", of(m{"jsonPatch": op("op", "add", "path", "/data/a")}), "jsonPatch[0].value", ""},
		{"a replace without value [P12]", of(m{"jsonPatch": op("op", "replace", "path", "/data/a")}), "jsonPatch[0].value", ""},
		{"a test without value [P12]", of(m{"jsonPatch": op("op", "test", "path", "/data/a")}), "jsonPatch[0].value", ""},
		{"a move without from [P12]", of(m{"jsonPatch": op("op", "move", "path", "/data/a")}), "jsonPatch[0].from", ""},
		{"a copy without from [P12]", of(m{"jsonPatch": op("op", "copy", "path", "/data/a")}), "jsonPatch[0].from", ""},
		{"a pointer without a slash [P14]", of(m{"jsonPatch": op("op", "add", "path", "data/a", "value", "9")}), "jsonPatch[0].path", ""},
		{"a pointer with a wrong escape [P14]", of(m{"jsonPatch": op("op", "add", "path", "/data/a~2", "value", "9")}), "jsonPatch[0].path", "~"},
		{"a from with a wrong escape [P14]", of(m{"jsonPatch": op("op", "move", "from", "/data/~", "path", "/data/a")}), "jsonPatch[0].from", "~"},
		{"the root as a path", of(m{"jsonPatch": op("op", "replace", "path", "", "value", ok)}), "jsonPatch[0].path", ""},
		{"a path that is a number", of(m{"jsonPatch": op("op", "add", "path", 5, "value", ok)}), "jsonPatch[0].path", ""},
	}
	tree := func(path string, value any) m {
		steps := strings.Split(path, ".")
		for _, step := range slices.Backward(steps) {
			value = m{step: value}
		}
		return value.(m)
	}
	for path, value := range map[string]any{
		"status": m{"phase": "Ready"}, "metadata.uid": "x", "metadata.resourceVersion": "1", "metadata.generation": 1,
		"metadata.creationTimestamp": "2024-01-01T00:00:00Z", "metadata.deletionTimestamp": "2024-01-01T00:00:00Z",
		"metadata.deletionGracePeriodSeconds": 1, "metadata.managedFields": []any{}, "metadata.selfLink": "/x",
		"apiVersion": "v2", "kind": "Secret", "metadata.name": "other", "metadata.namespace": "other",
	} {
		for _, kind := range patchKinds {
			property := kind + "." + path
			if kind == "jsonPatch" {
				property = "jsonPatch[0].path"
			}
			inputs := setting(kind, tree(path, value))
			if fields, ok := inputs[kind].(m); ok {
				fields["data"] = m{"a": "9"}
			}
			cases = append(cases, refusal{kind + " of " + path, of(inputs), property, ""})
		}
		if value, ok := value.(m); ok {
			cases = append(cases, refusal{"a jsonPatch below " + path, of(setting("jsonPatch", tree(path, value))), "jsonPatch[0].path", path})
		}
	}
	cases = append(cases,
		refusal{"a jsonPatch of the name that is equal", of(m{"jsonPatch": op("op", "add", "path", "/metadata/name", "value", "it")}), "jsonPatch[0].path", ""},
		refusal{"a jsonPatch of all metadata", of(m{"jsonPatch": op("op", "replace", "path", "/metadata", "value", m{"name": "it"})}), "jsonPatch[0].path", ""},
		refusal{"a removal of the name", of(m{"jsonPatch": op("op", "remove", "path", "/metadata/name")}), "jsonPatch[0].path", ""},
		refusal{"a move of the uid", of(m{"jsonPatch": op("op", "move", "from", "/metadata/uid", "path", "/data/a")}), "jsonPatch[0].from", ""},
		refusal{"a null for the status", of(m{"mergePatch": m{"status": nil, "data": m{"a": "1"}}}), "mergePatch.status", ""},
	)
	for _, kind := range []string{"patch", "mergePatch"} {
		for key, value := range map[string]any{
			"$patch": "delete", "$retainKeys": []any{"a"}, "$setElementOrder/containers": []any{m{"name": "a"}}, "$deleteFromPrimitiveList/finalizers": []any{"x"},
		} {
			name, _, _ := strings.Cut(key, "/")
			cases = append(cases, refusal{
				"the directive " + key + " in a " + kind, of(m{kind: m{"spec": m{"template": m{key: value}}}}), kind, name,
			})
			cases = append(cases, refusal{
				"the directive " + key + " in a list of a " + kind, of(m{kind: m{"spec": m{"list": []any{m{"name": "a", key: value}}}}}), kind, name,
			})
		}
	}
	for _, c := range cases {
		t.Run("refused: "+c.name, func(t *testing.T) {
			_, err := (&session{t: t, process: p, urn: urnOfType(patchType, "it")}).check(resource.NewPropertyMapFromMap(c.inputs), false)
			var refused invalid
			require.True(t, errors.As(err, &refused), "%v", err)
			told, at := false, []string{}
			for _, failure := range refused.failures {
				path, reason := named(t, failure)
				at = append(at, path+": "+reason)
				told = told || (strings.HasPrefix(path, c.property) && strings.Contains(reason, c.says))
			}
			assert.True(t, told, "%s must be told of %q, and is of %q", c.says, c.property, at)
		})
	}
	t.Run("what is equal to the target's identity is dropped", func(t *testing.T) {
		for _, kind := range []string{"patch", "mergePatch"} {
			in, err := (&session{t: t, process: p, urn: urnOfType(patchType, "it")}).check(resource.NewPropertyMapFromMap(of(m{kind: m{
				"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "it", "namespace": "prod"}, "data": m{"a": "9"},
			}})), false)
			require.NoError(t, err)
			assert.Equal(t, data("a", "9"), plain(in[resource.PropertyKey(kind)]))
		}
	})
	t.Run("what is only the target's identity is empty [P2]", func(t *testing.T) {
		for _, kind := range []string{"patch", "mergePatch"} {
			_, err := (&session{t: t, process: p, urn: urnOfType(patchType, "it")}).check(resource.NewPropertyMapFromMap(of(m{kind: m{
				"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "it", "namespace": "prod"},
			}})), false)
			require.ErrorContains(t, err, "no field", kind)
		}
	})
	t.Run("secrets are not told", func(t *testing.T) {
		for _, inputs := range []m{
			of(m{"patch": secret("a: [" + hush)}),
			of(m{"patch": m{"data": m{"a": secret(hush), "$patch": secret(hush)}}}),
			of(m{"jsonPatch": []any{m{"op": secret(hush), "path": secret(hush), "value": secret(hush)}}}),
			of(m{"mergePatch": m{"metadata": m{"name": secret(hush)}, "data": m{"a": "9"}}}),
		} {
			s := &session{t: t, process: p, urn: urnOfType(patchType, "it")}
			_, err := s.check(resource.NewPropertyMapFromMap(inputs), false)
			require.Error(t, err)
			requireHidden(t, s)
		}
	})
	t.Run("what is unknown is not refused, and known neighbours are", func(t *testing.T) {
		s := &session{t: t, process: p, urn: urnOfType(patchType, "it")}
		for _, kind := range patchKinds {
			_, err := s.check(resource.NewPropertyMapFromMap(of(m{kind: unknown()})), true)
			require.NoError(t, err)
			_, err = s.check(resource.NewPropertyMapFromMap(of(setting(kind, data("a", unknown())))), true)
			require.NoError(t, err)
			_, err = s.check(resource.NewPropertyMapFromMap(of(setting(kind, m{"data": m{"a": unknown()}, "status": m{"a": "b"}}))), true)
			require.Error(t, err)
		}
		_, err := s.check(resource.NewPropertyMapFromMap(withTarget("name", unknown())), true)
		require.NoError(t, err)
		_, err = s.check(resource.NewPropertyMapFromMap(of(m{"target": unknown(), "patch": ok})), true)
		require.NoError(t, err)
	})
}
