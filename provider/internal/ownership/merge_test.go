package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// liveOf is an object of apiVersion v1 with these entries in managedFields.
func liveOf(t testing.TB, content, entries string) *unstructured.Unstructured {
	t.Helper()
	live := object(t, "apiVersion: v1\nkind: Thing\nmetadata: {name: it, resourceVersion: \"7\"}\n"+content)
	live["metadata"].(map[string]any)["managedFields"] = object(t, "entries:\n"+entries)["entries"]
	return &unstructured.Unstructured{Object: live}
}

const (
	ourEntry   = `- {manager: ours, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: `
	theirEntry = `- {manager: theirs, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: `
)

func TestAnApplyIsForeseenFromManagedFieldsAlone(t *testing.T) {
	for _, c := range []struct {
		name, live, entries, applied, sent, want string
		ignore                                   string
		doubts                                   []string
	}{
		{
			name: "what is sent goes beside what others and defaults have set [D1]",
			live: `spec: {strategy: {type: Rolling, rolling: {max: 1}}, requests: 2}`, entries: ourEntry + `{"f:spec": {"f:strategy": {"f:type": {}}}}}
` + theirEntry + `{"f:spec": {"f:requests": {}}}}`,
			applied: `spec: {strategy: {type: Rolling}}`, sent: `spec: {strategy: {type: Recreate}}`,
			want: `spec: {strategy: {type: Recreate, rolling: {max: 1}}, requests: 2}`,
		}, {
			name: "what only we own goes, and what nobody owns with the last of it",
			live: `spec: {get: {path: /, scheme: HTTP}, both: 1, keep: 1}`, entries: ourEntry + `{"f:spec": {"f:get": {"f:path": {}}, "f:both": {}}}}
` + theirEntry + `{"f:spec": {"f:both": {}}}}`,
			applied: `spec: {get: {path: /}, both: 1}`, sent: `spec: {tcp: {port: 1}}`,
			want: `spec: {tcp: {port: 1}, both: 1, keep: 1}`,
		}, {
			name: "items are found by their keys, with the defaults of those that are left out",
			live: `spec: {ports: [{port: 53, protocol: UDP, node: 1}, {port: 53, protocol: TCP, node: 2}, {port: 9, protocol: TCP}]}`,
			entries: ourEntry + `{"f:spec": {"f:ports": {'k:{"port":53,"protocol":"TCP"}': {".": {}, "f:port": {}}, 'k:{"port":9,"protocol":"TCP"}': {".": {}, "f:port": {}}}}}}
` + theirEntry + `{"f:spec": {"f:ports": {'k:{"port":53,"protocol":"UDP"}': {".": {}, "f:port": {}, "f:protocol": {}, "f:node": {}}}}}}`,
			applied: `spec: {ports: [{port: 53}, {port: 9}]}`, sent: `spec: {ports: [{port: 53, name: dns}, {port: 80}]}`,
			want: `spec: {ports: [{port: 53, protocol: UDP, node: 1}, {port: 53, protocol: TCP, node: 2, name: dns}, {port: 80}]}`,
		}, {
			name: "an item that others own a part of stays, with its keys",
			live: `spec: {containers: [{name: a, image: x, env: 1}, {name: b, image: w}]}`,
			entries: ourEntry + `{"f:spec": {"f:containers": {'k:{"name":"a"}': {".": {}, "f:name": {}, "f:image": {}}, 'k:{"name":"b"}': {".": {}, "f:name": {}, "f:image": {}}}}}}
` + theirEntry + `{"f:spec": {"f:containers": {'k:{"name":"a"}': {"f:env": {}}}}}}`,
			applied: `spec: {containers: [{name: a, image: x}, {name: b, image: w}]}`, sent: `spec: {containers: [{name: b, image: z}]}`,
			want: `spec: {containers: [{name: a, env: 1}, {name: b, image: z}]}`,
		}, {
			name: "sets are united, and lose what only we put in",
			live: `metadata: {name: it, finalizers: [a/a, b/b]}`, entries: ourEntry + `{"f:metadata": {"f:finalizers": {'v:"a/a"': {}}}}}
` + theirEntry + `{"f:metadata": {"f:finalizers": {'v:"b/b"': {}}}}}`,
			applied: `metadata: {finalizers: [a/a]}`, sent: `metadata: {finalizers: [c/c]}`,
			want: `metadata: {name: it, finalizers: [b/b, c/c]}`,
		}, {
			name:    "atomic maps and lists are replaced as a whole",
			live:    `spec: {selector: {app: a}, args: [a, b]}`,
			entries: ourEntry + `{"f:spec": {"f:selector": {}, "f:args": {}}}}`,
			applied: `spec: {selector: {app: a}, args: [a, b]}`, sent: `spec: {selector: {tier: b}, args: [c]}`,
			want: `spec: {selector: {tier: b}, args: [c]}`,
		}, {
			name:    "a map that was applied empty is not taken for an atomic one [D1]",
			live:    `spec: {strategy: {type: Rolling, rolling: {max: 1}}}`,
			entries: ourEntry + `{"f:spec": {"f:strategy": {}}}}`,
			applied: `spec: {strategy: {}}`, sent: `spec: {strategy: {type: Recreate}}`,
			want: `spec: {strategy: {type: Recreate, rolling: {max: 1}}}`, doubts: []string{"spec.strategy"},
		}, {
			name:    "a map or list that nobody owns a part of is in doubt",
			live:    `spec: {a: {x: 1, o: 1}, b: [1], c: {x: 1}, d: [1], e: {}, f: []}`,
			entries: ourEntry + `{"f:spec": {"f:z": {}}}}`,
			applied: `spec: {z: 1}`, sent: `spec: {z: 1, a: {x: 2}, b: [2], c: {x: 2}, d: [1], e: {x: 1}, f: [1]}`,
			want: `spec: {a: {x: 2, o: 1}, b: [2], c: {x: 2}, d: [1], e: {x: 1}, f: [1], z: 1}`, doubts: []string{"spec.a", "spec.b"},
		}, {
			name: "metadata and labels are merged one by one, whoever owns them",
			live: `metadata: {name: it, resourceVersion: "7"}
spec: {template: {metadata: {labels: {job: x}}}}`,
			entries: ourEntry + `{"f:spec": {"f:z": {}}}}`,
			applied: `spec: {z: 1}`, sent: `{metadata: {labels: {a: b}}, spec: {z: 1, template: {metadata: {labels: {app: w}}}}}`,
			want: `{metadata: {name: it, labels: {a: b}}, spec: {template: {metadata: {labels: {job: x, app: w}}}, z: 1}}`,
		}, {
			name:    "the default of a key that nobody has left out is not known",
			live:    `spec: {ports: [{port: 53, protocol: UDP}]}`,
			entries: theirEntry + `{"f:spec": {"f:ports": {'k:{"port":53,"protocol":"UDP"}': {".": {}, "f:port": {}, "f:protocol": {}}}}}}`,
			sent:    `spec: {ports: [{port: 80}]}`,
			want:    `spec: {ports: [{port: 53, protocol: UDP}, {port: 80}]}`, doubts: []string{"spec.ports"},
		}, {
			name:    "ignored fields stay where they are",
			live:    `spec: {replicas: 5, image: x}`,
			entries: ourEntry + `{"f:spec": {"f:replicas": {}, "f:image": {}}}}`,
			applied: `spec: {image: x}`, sent: `spec: {image: w}`, ignore: "spec.replicas",
			want: `spec: {replicas: 5, image: w}`,
		}, {
			name: "what a manager has released belongs to nobody, and null is nothing",
			live: `spec: {a: 1, b: null}`, entries: ourEntry + `{"f:spec": {"f:a": {}}}}
- {manager: released-by-k8sconnect, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:a": {}}}}`,
			applied: `spec: {a: 1}`, sent: `spec: {c: 1}`, want: `spec: {c: 1}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			live := liveOf(t, c.live, c.entries)
			var ignore Ignore
			if c.ignore != "" {
				pattern, err := ParsePattern(c.ignore)
				require.NoError(t, err)
				ignore = Ignore{pattern}
			}
			before := live.DeepCopy()
			merged, err := Merge(live, "ours", object(t, c.applied), object(t, c.sent), ignore)
			require.NoError(t, err)
			assert.Equal(t, before, live)
			got := merged.Object
			want := object(t, c.want)
			for key := range want {
				if key == "metadata" {
					delete(got[key].(map[string]any), "managedFields")
					delete(got[key].(map[string]any), "resourceVersion")
				}
				assert.True(t, Equal(want[key], got[key]), "want %v\ngot  %v", want[key], got[key])
			}
			var doubts []string
			for _, path := range merged.Doubts {
				doubts = append(doubts, Format(path))
			}
			assert.ElementsMatch(t, c.doubts, doubts)
		})
	}
}

func TestWhatTheManifestDoesNotSetIsListedWithItsOwners(t *testing.T) {
	const content = `
status: {ready: 1}
spec: {strategy: {type: Rolling, rolling: {max: 1}}, containers: [{name: web, image: x, pull: Always}, {name: side, image: w}], args: [a]}`
	const entries = ourEntry + `{"f:spec": {"f:strategy": {"f:type": {}}, "f:args": {}, "f:containers": {'k:{"name":"web"}': {".": {}, "f:name": {}, "f:image": {}}}}}}
` + theirEntry + `{"f:metadata": {"f:labels": {"f:a": {}}}, "f:spec": {"f:containers": {'k:{"name":"side"}': {".": {}, "f:name": {}, "f:image": {}}}}}}`
	sent := object(t, `{metadata: {name: it}, spec: {strategy: {type: Recreate}, args: [b], containers: [{name: web, image: x}]}}`)
	list := func(t *testing.T, entries string) map[string][]string {
		merged, err := Merge(liveOf(t, content, entries), "ours", object(t, `{spec: {args: [a]}}`), sent, nil)
		require.NoError(t, err)
		unsent, err := merged.Unsent()
		require.NoError(t, err)
		result := map[string][]string{}
		for _, field := range unsent {
			result[Format(field.Path)] = field.Owners
		}
		return result
	}
	t.Run("and what nobody owns without", func(t *testing.T) {
		assert.Equal(t, map[string][]string{
			"spec.strategy.rolling": nil, "spec.containers[name=web].pull": nil, "spec.containers[name=side]": {"theirs"},
		}, list(t, entries))
	})
	t.Run("and an entry in another version may own anything", func(t *testing.T) {
		assert.Equal(t, []string{"elsewhere"}, list(t, entries+`
- {manager: elsewhere, operation: Update, apiVersion: v2, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:plan": {}}}}`)["spec.strategy.rolling"])
	})
}

func TestTheFieldsOfAnApplyAreForeseen(t *testing.T) {
	live := liveOf(t, `spec: {selector: {app: a}, ports: [{port: 1, protocol: TCP}], args: [a]}`, ourEntry+
		`{"f:spec": {"f:selector": {}, "f:args": {}, "f:ports": {'k:{"port":1,"protocol":"TCP"}': {".": {}, "f:port": {}}}}}}`)
	applied := object(t, `{spec: {selector: {app: a}, ports: [{port: 1}], args: [a]}}`)
	sent := object(t, `{apiVersion: v1, kind: Thing, metadata: {name: it, labels: {}}, spec: {selector: {b: c}, ports: [{port: 2, name: x}], args: [b], new: [{name: x}], empty: []}}`)
	merged, err := Merge(live, "ours", applied, sent, nil)
	require.NoError(t, err)
	assert.Equal(t, fields(t, `{"f:metadata": {"f:labels": {}}, "f:spec": {"f:selector": {}, "f:args": {}, "f:new": {}, "f:empty": {},
		"f:ports": {"k:{\"port\":2,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}, "f:name": {}}}}}`).String(), merged.Fields().String())

	answer, err := AsApplied(live, "ours", merged.Fields())
	require.NoError(t, err)
	owned, ok, err := Applied(answer, "ours")
	require.NoError(t, err)
	assert.True(t, ok)
	assert.True(t, owned.Equals(merged.Fields()))
}

func TestAClaimMakesOursWhatNobodyOwns(t *testing.T) {
	rolling := []fieldpath.Path{fieldpath.MakePathOrDie("spec", "strategy", "rolling")}
	const content, own = `spec: {strategy: {type: A, rolling: {max: 1}}}`, ourEntry + `{"f:spec": {"f:strategy": {"f:type": {}}}}}`
	t.Run("guarded by the resourceVersion [D1]", func(t *testing.T) {
		live := liveOf(t, content, own)
		patch, err := Claim("ours", rolling).Patch(live)
		require.NoError(t, err)
		assert.Contains(t, string(patch), `{"op":"replace","path":"/metadata/resourceVersion","value":"7"}`)
		owned, _, err := Applied(patched(t, live, patch), "ours")
		require.NoError(t, err)
		assert.Equal(t, fields(t, `{"f:spec": {"f:strategy": {"f:type": {}, "f:rolling": {}}}}`).String(), owned.String())
	})
	t.Run("and nothing that someone owns a part of by now", func(t *testing.T) {
		patch, err := Claim("ours", rolling).Patch(liveOf(t, content, own+"\n"+theirEntry+`{"f:spec": {"f:strategy": {"f:rolling": {"f:max": {}}}}}}`))
		require.NoError(t, err)
		assert.Nil(t, patch)
	})
	t.Run("also of an object that we have not applied yet [D1]", func(t *testing.T) {
		live := liveOf(t, content, theirEntry+`{"f:spec": {"f:other": {}}}}`)
		patch, err := Claim("ours", rolling).Patch(live)
		require.NoError(t, err)
		owned, _, err := Applied(patched(t, live, patch), "ours")
		require.NoError(t, err)
		assert.Equal(t, fields(t, `{"f:spec": {"f:strategy": {"f:rolling": {}}}}`).String(), owned.String())
	})
	t.Run("and nothing where they are ours already", func(t *testing.T) {
		patch, err := Claim("ours", rolling).Patch(liveOf(t, content, ourEntry+`{"f:spec": {"f:strategy": {"f:type": {}, "f:rolling": {}}}}}`))
		require.NoError(t, err)
		assert.Nil(t, patch)
	})
}

func TestFieldsOfMessagesComparePathsWhateverTheirPositions(t *testing.T) {
	for text, want := range map[string][]string{
		"spec.strategy.rollingUpdate":          {"spec", "strategy", "rollingUpdate"},
		"spec.template.spec.volumes[0].secret": {"spec", "template", "spec", "volumes", "*", "secret"},
		"data[a.b]":                            {"data", "a.b"},
		"metadata.annotations[x/y].z":          {"metadata", "annotations", "x/y", "z"},
		"spec.clusterIPs[0]":                   {"spec", "clusterIPs", "*"},
		"spec":                                 {"spec"},
		"":                                     nil,
		"[":                                    {""},
	} {
		assert.Equal(t, want, FieldNames(text), text)
	}
	name := "web"
	assert.Equal(t, []string{"spec", "containers", "*", "image"},
		Generic(fieldpath.MakePathOrDie("spec", "containers", fieldpath.KeyByFields("name", name), "image")))
}
