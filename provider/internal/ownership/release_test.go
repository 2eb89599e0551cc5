package ownership

import (
	"encoding/json"
	"fmt"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestHandBackEditsEveryEntryOfAManager(t *testing.T) {
	const managed = `
metadata:
  resourceVersion: "7"
  managedFields:
  - {manager: ours, operation: Apply, apiVersion: v1, time: "2026-01-01T00:00:00Z", fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:a": {}, "f:b": {}}}}
  - {manager: other, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:b": {}}}}
  - {manager: ours, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:c": {".": {}, "f:x": {}}}}}
  - {manager: ours, operation: Update, apiVersion: v2, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:c": {"f:y": {}}}}}
  - {manager: ours, operation: Update, subresource: status, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:status": {"f:z": {}}}}
spec: {a: 1}
`
	for _, test := range []struct {
		name, manager    string
		applied, updated string
		want             []string
	}{
		{"everything", "ours", `{}`, `{}`, []string{
			`other Apply v1  {"f:spec":{"f:b":{}}}`, `ours Update v1 status {"f:status":{"f:z":{}}}`,
		}},
		{"part of an apply [P24]", "ours", `{"f:spec":{"f:a":{},"f:not-there":{}}}`, `{}`, []string{
			`ours Apply v1  {"f:spec":{"f:a":{}}}`, `other Apply v1  {"f:spec":{"f:b":{}}}`, `ours Update v1 status {"f:status":{"f:z":{}}}`,
		}},
		{"an update is kept by a leaf above its fields, in every apiVersion", "ours", `{}`, `{"f:spec":{"f:c":{}}}`, []string{
			`other Apply v1  {"f:spec":{"f:b":{}}}`, `ours Update v1  {"f:spec":{"f:c":{".":{},"f:x":{}}}}`,
			`ours Update v2  {"f:spec":{"f:c":{"f:y":{}}}}`, `ours Update v1 status {"f:status":{"f:z":{}}}`,
		}},
		{"a field above those that are kept is not", "ours", `{}`, `{"f:spec":{"f:c":{"f:x":{}}}}`, []string{
			`other Apply v1  {"f:spec":{"f:b":{}}}`, `ours Update v1  {"f:spec":{"f:c":{"f:x":{}}}}`, `ours Update v1 status {"f:status":{"f:z":{}}}`,
		}},
		{"a value that is owned as a whole is kept by a part of it", "ours", `{"f:spec":{"f:a":{"i:1":{}}}}`, `{}`, []string{
			`ours Apply v1  {"f:spec":{"f:a":{}}}`, `other Apply v1  {"f:spec":{"f:b":{}}}`, `ours Update v1 status {"f:status":{"f:z":{}}}`,
		}},
		{"nothing of a stranger", "stranger", `{}`, `{}`, nil},
		{"nothing where all is kept", "ours", `{"f:spec":{}}`, `{"f:spec":{}}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			live := &unstructured.Unstructured{Object: object(t, managed)}
			patch, err := ReleaseExcept(test.manager, Kept{fields(t, test.applied), fields(t, test.updated)}).Patch(live)
			require.NoError(t, err)
			if test.want == nil {
				assert.Nil(t, patch)
				return
			}
			after := patched(t, live, patch)
			var got []string
			for _, entry := range after.GetManagedFields() {
				got = append(got, fmt.Sprintf("%s %s %s %s %s", entry.Manager, entry.Operation, entry.APIVersion, entry.Subresource, entry.FieldsV1.GetRawString()))
			}
			assert.Equal(t, test.want, got)
			assert.Equal(t, object(t, managed), live.Object, "the object is not changed")
		})
	}
	t.Run("what cannot be guarded is refused", func(t *testing.T) {
		for _, version := range []string{"", "0"} {
			live := &unstructured.Unstructured{Object: object(t, managed)}
			live.SetResourceVersion(version)
			_, err := ReleaseExcept("ours", Kept{}).Patch(live)
			assert.ErrorContains(t, err, "resourceVersion")
			live.SetFinalizers([]string{"a/b"})
			_, err = WithoutFinalizers(live, live.GetFinalizers())
			assert.ErrorContains(t, err, "resourceVersion")
		}
	})
	t.Run("managed fields that cannot be read are an error and not nothing to do", func(t *testing.T) {
		for _, text := range []string{
			`{metadata: {resourceVersion: "1", managedFields: [1]}}`, `{metadata: {resourceVersion: "1", managedFields: {}}}`,
			`{metadata: {resourceVersion: "1", managedFields: [{manager: ours, operation: Apply, fieldsV1: {"f": {}}}]}}`,
		} {
			_, err := ReleaseExcept("ours", Kept{}).Patch(&unstructured.Unstructured{Object: object(t, text)})
			assert.Error(t, err, text)
		}
	})
}

func patched(t require.TestingT, live *unstructured.Unstructured, patch []byte) *unstructured.Unstructured {
	before, err := json.Marshal(live.Object)
	require.NoError(t, err)
	operations, err := jsonpatch.DecodePatch(patch)
	require.NoError(t, err)
	text, err := operations.Apply(before)
	require.NoError(t, err)
	after := map[string]any{}
	require.NoError(t, json.Unmarshal(text, &after))
	return &unstructured.Unstructured{Object: normalized(after).(map[string]any)}
}

func handBackAnything(t *rapid.T) {
	const ours = "ours"
	live := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "X", "spec": map[string]any{"a": []any{int64(1), "x", nil}},
		"metadata": map[string]any{"name": "x", "resourceVersion": "42", "labels": map[string]any{"a/b": "c"}},
	}}
	set := someFields()
	entries := []any{}
	for range rapid.IntRange(0, 5).Draw(t, "entries") {
		text, err := Encode(set.Draw(t, "fields"))
		require.NoError(t, err)
		var raw map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &raw))
		entry := map[string]any{
			"manager":    rapid.SampledFrom([]string{ours, ours, "other"}).Draw(t, "manager"),
			"operation":  rapid.SampledFrom([]string{"Apply", "Update"}).Draw(t, "operation"),
			"apiVersion": rapid.SampledFrom([]string{"v1", "v2"}).Draw(t, "apiVersion"),
			"fieldsType": "FieldsV1", "fieldsV1": raw, "unknown": "kept",
		}
		if rapid.Bool().Draw(t, "status") {
			entry["subresource"] = "status"
		}
		entries = append(entries, entry)
	}
	require.NoError(t, unstructured.SetNestedSlice(live.Object, entries, "metadata", "managedFields"))
	keep := Kept{set.Draw(t, "applied"), set.Draw(t, "updated")}
	if rapid.Bool().Draw(t, "nothing") {
		keep = Kept{}
	}
	before := live.DeepCopy()
	patch, err := ReleaseExcept(ours, keep).Patch(live)
	require.NoError(t, err)
	require.Equal(t, before.Object, live.Object)
	after := live
	if patch != nil {
		after = patched(t, live, patch)
	}

	mine := func(entry map[string]any) bool { return entry["manager"] == ours && entry["subresource"] == nil }
	var want, got []any // entries of others
	var owned, left []string
	for _, entry := range entries {
		entry := entry.(map[string]any)
		if !mine(entry) {
			want = append(want, entry)
			continue
		}
		kept := keep.Updated
		if entry["operation"] == "Apply" {
			kept = keep.Applied
		}
		all := fieldsOf(t, entry)
		all.Iterate(func(path fieldpath.Path) {
			if isKept(kept, all.Leaves().Has(path), path) {
				owned = append(owned, fmt.Sprint(entry["operation"], entry["apiVersion"], path))
			}
		})
	}
	rest, _, err := unstructured.NestedSlice(after.Object, "metadata", "managedFields")
	require.NoError(t, err)
	for _, entry := range rest {
		entry := entry.(map[string]any)
		if !mine(entry) {
			got = append(got, entry)
			continue
		}
		require.Equal(t, "kept", entry["unknown"])
		require.False(t, fieldsOf(t, entry).Empty())
		fieldsOf(t, entry).Iterate(func(path fieldpath.Path) {
			left = append(left, fmt.Sprint(entry["operation"], entry["apiVersion"], path))
		})
	}
	require.Equal(t, owned, left, "exactly what is kept is left")
	if patch != nil && len(want) == 0 && len(left) == 0 {
		require.Len(t, got, 1, "someone stands in")
		require.Equal(t, releasedManager, got[0].(map[string]any)["manager"])
	} else {
		require.Equal(t, want, got, "the entries of others are as they were")
	}
	again, err := ReleaseExcept(ours, keep).Patch(after)
	require.NoError(t, err)
	require.Nil(t, again, "handing back twice changes nothing")

	for _, o := range []*unstructured.Unstructured{before, after} {
		unstructured.RemoveNestedField(o.Object, "metadata", "managedFields")
	}
	require.Equal(t, before.Object, after.Object, "values stay")
}

func fieldsOf(t require.TestingT, entry map[string]any) *fieldpath.Set {
	text, err := json.Marshal(entry["fieldsV1"])
	require.NoError(t, err)
	set, err := Decode(string(text))
	require.NoError(t, err)
	return set
}

// isKept is what Kept means, in the words of its documentation.
func isKept(keep *fieldpath.Set, whole bool, path fieldpath.Path) bool {
	if keep == nil {
		return false
	}
	kept := keep.Has(path)
	keep.Iterate(func(part fieldpath.Path) {
		kept = kept || whole && len(part) > len(path) && part[:len(path)].Equals(path)
	})
	for n := 1; n < len(path); n++ {
		kept = kept || keep.Leaves().Has(path[:n])
	}
	return kept
}

func TestHandingBackLeavesEverythingElseAsItIs(t *testing.T) { rapid.Check(t, handBackAnything) }

func FuzzHandBack(f *testing.F) {
	f.Add([]byte("HandBack"))
	f.Fuzz(rapid.MakeFuzz(handBackAnything))
}
