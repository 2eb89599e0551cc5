package mutation

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

var target = manifest.Identity{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "prod", Name: "web"}

func TestWhatATreeMayNotSet(t *testing.T) {
	for _, test := range []struct {
		name, document string
		allowNull      bool
		target         manifest.Identity
		want           map[string]string // path to a part of the reason
	}{
		{name: "a plain patch is fine", document: `{spec: {replicas: 3, list: [{a: {}}]}, metadata: {labels: {status: x, uid: y}}}`},
		{name: "the target itself may be named", document: `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: prod}}`},
		{name: "another object may not be named", document: `{apiVersion: v1, kind: Pod, metadata: {name: api, namespace: test}}`, want: map[string]string{
			"apiVersion":         `the apiVersion "v1", the target has "apps/v1"`,
			"kind":               `correct target.kind`,
			"metadata.name":      `the name "api", the target has "web"`,
			"metadata.namespace": `correct target.namespace`,
		}},
		{name: "an identity that is no text", document: `{apiVersion: 1, kind: null, metadata: {name: [], namespace: {}}}`, want: map[string]string{
			"apiVersion": "is text, not a number", "kind": "is text, not null", "metadata.name": "is text, not a list", "metadata.namespace": "is text, not an object",
		}},
		{name: "a namespace where the target has none", document: `{metadata: {namespace: prod}}`,
			target: manifest.Identity{APIVersion: "v1", Kind: "Node", Name: "a"}, want: map[string]string{"metadata.namespace": "the target has no namespace"}},
		{name: "a target that is not known yet is not compared", document: `{apiVersion: v1, kind: Pod, metadata: {name: api}}`, target: manifest.Identity{Namespace: "x"}},
		{name: "status", document: `{status: {replicas: 3}}`, want: map[string]string{"status": "The status cannot be patched here"}},
		{name: "what the server writes, also null", allowNull: true,
			document: `{metadata: {uid: a, resourceVersion: "1", generation: 1, creationTimestamp: null, deletionTimestamp: x, deletionGracePeriodSeconds: 1, managedFields: [], selfLink: a}}`,
			want: map[string]string{
				"metadata.uid": "Only the API server writes metadata.uid.", "metadata.resourceVersion": "", "metadata.generation": "", "metadata.creationTimestamp": "Only",
				"metadata.deletionTimestamp": "", "metadata.deletionGracePeriodSeconds": "", "metadata.managedFields": "", "metadata.selfLink": "",
			}},
		{name: "metadata that is not an object", document: `{metadata: null}`, allowNull: true, want: map[string]string{"metadata": "must be an object"}},
		{name: "directives at any depth", document: `{$patch: replace, spec: {a: [{$patch: delete, name: x}], $retainKeys: [x], $setElementOrder/a: [], $deleteFromPrimitiveList/b: []}}`,
			want: map[string]string{
				`["$patch"]`: "use mergePatch with null", `spec.a[0]["$patch"]`: "jsonPatch", `spec["$retainKeys"]`: "mergePatch",
				`spec["$setElementOrder/a"]`: "operation move", `spec["$deleteFromPrimitiveList/b"]`: "operation remove",
			}},
		{name: "null where it removes nothing [P11]", document: `{a: null, spec: {b: null, c: [null, {d: null}]}}`, want: map[string]string{
			"a": "A null cannot remove a field here", "spec.b": "mergePatch with null", "spec.c[0]": "jsonPatch", "spec.c[1].d": "leave it out",
		}},
		{name: "null where it removes", document: `{a: null, spec: {b: null}}`, allowNull: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			about := test.target
			if about == (manifest.Identity{}) {
				about = target
			}
			assertProblems(t, test.want, CheckContent(object(t, test.document).Object, about, test.allowNull))
		})
	}
	t.Run("what is unknown is not judged", func(t *testing.T) {
		for _, document := range []map[string]any{
			{"metadata": values.Unknown{}, "kind": values.Unknown{}},
			{"metadata": map[string]any{"name": values.Unknown{}}, "spec": []any{values.Unknown{}}},
		} {
			assert.Empty(t, CheckContent(document, target, false))
		}
	})
}

func TestWhatAJSONPatchMayNotSet(t *testing.T) {
	for _, test := range []struct {
		name, patch string
		want        map[string]string
	}{
		{name: "a plain patch is fine", patch: `[{op: add, path: /metadata/labels/uid, value: null}, {op: move, from: /spec/status, path: /data/kind}]`},
		{name: "a test may look at anything", patch: `[{op: test, path: /status/x, value: 1}, {op: test, path: /metadata/uid, value: x}, {op: test, path: /kind, value: {$patch: x}}]`},
		{name: "a copy may read anything", patch: `[{op: copy, from: /metadata/uid, path: /metadata/labels/uid}]`},
		{name: "another identity, also an equal one", patch: `[{op: replace, path: /apiVersion, value: apps/v1}, {op: add, path: /kind, value: x}, {op: replace, path: /metadata/name, value: x}, {op: remove, path: /metadata/namespace}]`,
			want: map[string]string{"[0].path": "cannot change the apiVersion", "[1].path": "the kind", "[2].path": "the name", "[3].path": "the namespace"}},
		{name: "status", patch: `[{op: add, path: /status, value: {}}, {op: replace, path: /status/replicas, value: 1}]`,
			want: map[string]string{"[0].path": "The status cannot be patched", "[1].path": "The status"}},
		{name: "what the server writes", patch: `[{op: remove, path: /metadata/managedFields/0}, {op: add, path: /metadata/uid, value: x}, {op: move, from: /metadata/selfLink, path: /spec/x}]`,
			want: map[string]string{"[0].path": "metadata.managedFields", "[1].path": "metadata.uid", "[2].from": "metadata.selfLink"}},
		{name: "the metadata as a whole", patch: `[{op: replace, path: /metadata, value: {}}]`, want: map[string]string{"[0].path": "as a whole"}},
		{name: "directives in pointers and values", patch: `[{op: add, path: /spec/$patch, value: delete}, {op: add, path: /spec/x, value: [{$retainKeys: []}]}]`,
			want: map[string]string{"[0].path": "strategic merge", "[1].value[0][\"$retainKeys\"]": "strategic merge"}},
	} {
		t.Run(test.name, func(t *testing.T) { assertProblems(t, test.want, jsonPatch(t, test.patch).CheckContent()) })
	}
}

func TestTheIdentityIsDropped(t *testing.T) {
	for before, after := range map[string]string{
		`{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b}, spec: {}}`: `{spec: {}}`,
		`{metadata: {name: a, labels: {name: x}}}`:                                 `{metadata: {labels: {name: x}}}`,
		`{metadata: {}}`:    `{metadata: {}}`,
		`{spec: {kind: x}}`: `{spec: {kind: x}}`,
	} {
		document := object(t, before).Object
		assert.Equal(t, object(t, after).Object, WithoutIdentity(document))
		assert.Equal(t, object(t, before).Object, document, "the document is not changed")
	}
	unknown := map[string]any{"kind": values.Unknown{}, "metadata": values.Unknown{}, "spec": values.Unknown{}}
	assert.Equal(t, map[string]any{"metadata": values.Unknown{}, "spec": values.Unknown{}}, WithoutIdentity(unknown))
}

func assertProblems(t *testing.T, want map[string]string, problems []Problem) {
	t.Helper()
	found := map[string]string{}
	for _, problem := range problems {
		found[problem.Path] = problem.Reason
		assert.Contains(t, problem.Reason, want[problem.Path])
	}
	assert.Len(t, problems, len(found), "one problem at each path")
	assert.Len(t, found, len(want))
	for path := range want {
		assert.Contains(t, found, path)
	}
}
