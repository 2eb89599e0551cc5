package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func path(t testing.TB, text string) fieldpath.Path {
	t.Helper()
	parsed, err := ParsePath(text)
	require.NoError(t, err)
	return parsed
}

func TestOwnersOfOneField(t *testing.T) {
	live := &unstructured.Unstructured{Object: object(t, `
metadata:
  managedFields:
  - {manager: kubectl, operation: Apply, fieldsV1: {"f:spec": {"f:a": {}, "f:selector": {}, "f:c": {"k:{\"name\":\"web\"}": {".": {}, "f:name": {}}}}}}
  - {manager: kubectl, operation: Update, apiVersion: v1, fieldsV1: {"f:spec": {"f:a": {}}}}
  - {manager: kubectl, operation: Update, apiVersion: v2, fieldsV1: {"f:spec": {"f:a": {}, "f:b": {}}}}
  - {manager: hpa, operation: Update, subresource: scale, fieldsV1: {"f:spec": {"f:a": {}, "f:c": {"k:{\"name\":\"web\"}": {"f:image": {}}}}}}
  - {manager: released-by-k8sconnect, operation: Update, fieldsV1: {"f:metadata": {"f:name": {}}}}
`)}
	applied := Owner{"kubectl", metav1.ManagedFieldsOperationApply, ""}
	updated := Owner{"kubectl", metav1.ManagedFieldsOperationUpdate, ""}
	scaled := Owner{"hpa", metav1.ManagedFieldsOperationUpdate, "scale"}
	ownership, err := NewOwnership(live)
	require.NoError(t, err)
	for _, test := range []struct {
		name, path string
		want       []Owner
	}{
		{"a field of several is each one's once, in the order of the object [P22]", "spec.a", []Owner{applied, updated, scaled}},
		{"a field of one", "spec.b", []Owner{updated}},
		{"what is in an atomic value belongs to the value's owner", "spec.selector.matchLabels.app", []Owner{applied}},
		{"a map belongs to all who own something in it", "spec", []Owner{applied, updated, scaled}},
		{"an item belongs to all who own something in it", "spec.c[name=web]", []Owner{applied, scaled}},
		{"to own that an item is there is not to own its fields", "spec.c[name=web].image", []Owner{scaled}},
		{"another item is nobody's", "spec.c[name=other]", nil},
		{"nobody's", "spec.x", nil},
		{"a field below a field that someone owns with others below", "spec.c[name=web].env", nil},
		{"the entry that stands in for nobody owns nothing", "metadata.name", nil},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, ownership.Of(path(t, test.path))) })
	}

	t.Run("what cannot be read is an error", func(t *testing.T) {
		_, err := NewOwnership(&unstructured.Unstructured{Object: object(t, `{metadata: {managedFields: [{manager: x, fieldsV1: {"f": {}}}]}}`)})
		assert.ErrorContains(t, err, `managed fields of "x"`)
	})
}

func TestKeyFields(t *testing.T) {
	for text, want := range map[string]bool{
		"c[name=web].name":              true,
		"c[name=web].image":             false,
		"c[name=web].env[name=X].name":  true,
		"c[name=web].env.name":          false,
		"c[name=web].env[name=X].value": false,
		"p[port=80,protocol=TCP].port":  true,
		"p[port=80].protocol":           false,
		"name":                          false,
		"c[name=web]":                   false,
		"c.name":                        false,
		`f[="name"].name`:               false,
	} {
		t.Run(text, func(t *testing.T) { assert.Equal(t, want, IsKeyField(path(t, text))) })
	}
}

func TestLeavesAreWithoutWhatOnlySelectsItems(t *testing.T) {
	for _, test := range []struct{ name, set, want string }{
		{"the key field of an item with content is left out",
			`{"f:c":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:image":{}}}}`, `{"f:c":{"k:{\"name\":\"a\"}":{"f:image":{}}}}`},
		{"and stays where there is nothing else of the item",
			`{"f:c":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}}`, `{"f:c":{"k:{\"name\":\"a\"}":{"f:name":{}}}}`},
		{"content may be in a list of the item",
			`{"f:c":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:env":{"k:{\"name\":\"X\"}":{".":{},"f:name":{}}}}}}`,
			`{"f:c":{"k:{\"name\":\"a\"}":{"f:name":{},"f:env":{"k:{\"name\":\"X\"}":{"f:name":{}}}}}}`},
		{"and of two key fields both stay",
			`{"f:p":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:protocol":{}}}}`,
			`{"f:p":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{"f:port":{},"f:protocol":{}}}}`},
		{"an item of which nothing is known but that it is there is a leaf",
			`{"f:c":{"k:{\"name\":\"a\"}":{}},"f:f":{"v:\"x\"":{}}}`, `{"f:c":{"k:{\"name\":\"a\"}":{}},"f:f":{"v:\"x\"":{}}}`},
		{"maps are not", `{"f:m":{".":{},"f:a":{}}}`, `{"f:m":{"f:a":{}}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			set := fields(t, test.set)
			assert.Equal(t, fields(t, test.want).String(), Leaves(set).String())
			assert.Equal(t, fields(t, test.set).String(), set.String(), "the set is not changed")
		})
	}
}

func TestOverlap(t *testing.T) {
	const item = `{"f:c":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:image":{}}}}`
	for _, test := range []struct{ name, a, b, want string }{
		{"the same field", `{"f:a":{},"f:b":{}}`, `{"f:b":{},"f:c":{}}`, `{"f:b":{}}`},
		{"nothing", `{"f:a":{}}`, `{"f:b":{}}`, `{}`},
		{"maps in common are nothing", `{"f:m":{".":{},"f:a":{}}}`, `{"f:m":{".":{},"f:b":{}}}`, `{}`},
		{"a field in an atomic value", `{"f:m":{"f:a":{}}}`, `{"f:m":{}}`, `{"f:m":{"f:a":{}}}`},
		{"an atomic value around a field", `{"f:m":{}}`, `{"f:m":{"f:a":{"f:b":{}}}}`, `{"f:m":{}}`},
		{"items and their keys in common are nothing", item, `{"f:c":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:args":{}}}}`, `{}`},
		{"also if there is nothing else", `{"f:c":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}}`, `{"f:c":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}}`, `{}`},
		{"fields of an item", item, item, `{"f:c":{"k:{\"name\":\"a\"}":{"f:image":{}}}}`},
		{"a field of an item that the other has as a whole", item, `{"f:c":{"k:{\"name\":\"a\"}":{}}}`, `{"f:c":{"k:{\"name\":\"a\"}":{"f:image":{}}}}`},
		{"an item as a whole", `{"f:c":{"k:{\"name\":\"a\"}":{}}}`, item, `{"f:c":{"k:{\"name\":\"a\"}":{}}}`},
		{"an item as a whole, of which the other has but the key", `{"f:c":{"k:{\"name\":\"a\"}":{}}}`, `{"f:c":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}}`, `{}`},
		{"the same value of a set", `{"f:f":{"v:\"x\"":{},"v:\"y\"":{}}}`, `{"f:f":{"v:\"x\"":{}}}`, `{"f:f":{"v:\"x\"":{}}}`},
	} {
		t.Run(test.name+" [P8]", func(t *testing.T) {
			assert.Equal(t, fields(t, test.want).String(), Overlap(fields(t, test.a), fields(t, test.b)).String())
		})
	}
	t.Run("is mutual", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a, b := someFields().Draw(t, "a"), someFields().Draw(t, "b")
			assert.Equal(t, Overlap(a, b).Empty(), Overlap(b, a).Empty())
			assert.True(t, Overlap(a, b).Difference(Leaves(a)).Empty())
		})
	})
}

// someFields are sets of few names, so that two of them have something in common.
func someFields() *rapid.Generator[*fieldpath.Set] {
	element := rapid.SampledFrom([]fieldpath.PathElement{
		fieldpath.FieldNameElement("a"), fieldpath.FieldNameElement("name"), fieldpath.FieldNameElement("b.c/d"),
		fieldpath.KeyElementByFields("name", "x"), fieldpath.KeyElementByFields("name", "y", "port", 80), valueElement("x"),
	})
	return rapid.Map(rapid.SliceOfN(rapid.SliceOfN(element, 1, 4), 0, 6), func(paths [][]fieldpath.PathElement) *fieldpath.Set {
		set := fieldpath.NewSet()
		for _, path := range paths {
			set.Insert(path)
		}
		return set
	})
}
