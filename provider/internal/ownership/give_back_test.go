package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestFieldsAreGivenBackToTheOwnersThatAreStillThere(t *testing.T) {
	managed := func(entries string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: object(t, `{metadata: {resourceVersion: "7", managedFields: [`+entries+`]}}`)}
	}
	const (
		eks     = `{manager: eks, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {".": {}, "f:a": {}, "f:b": {}}}},`
		less    = `{manager: eks, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {".": {}, "f:b": {}}}},`
		version = `{manager: eks, operation: Apply, apiVersion: v2, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:b": {}}}},`
		edit    = `{manager: edit, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:a": {}}}},`
		ours    = `{manager: ours, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:a": {}}}},`
		nobody  = `{manager: released-by-k8sconnect, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:metadata": {"f:name": {}}}},`
		other   = `{manager: other, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:c": {}}}},`
	)
	path, err := ParsePath("data.a")
	require.NoError(t, err)
	own := func(manager string) bool { return manager == "ours" }
	for name, c := range map[string]struct {
		before, after, live string
		want                []string
	}{
		"an owner of other fields":                                        {eks + other, less + ours + other, less + ours, []string{`eks Apply  {"f:data":{".":{},"f:a":{},"f:b":{}}}`, `ours Apply  {"f:data":{"f:a":{}}}`}},
		"an owner of nothing else":                                        {edit + other, ours + other, other, []string{`edit Update  {"f:data":{"f:a":{}}}`, `other Update  {"f:data":{"f:c":{}}}`}},
		"an owner of nothing else, of an object that would have no entry": {edit, ours, nobody, []string{`edit Update  {"f:data":{"f:a":{}}}`}},
		"an owner that went later":                                        {eks + other, less + ours + other, other, []string{`other Update  {"f:data":{"f:c":{}}}`}},
		"an owner that applies another version":                           {eks, less + ours, version, []string{`eks Apply  {"f:data":{"f:b":{}}}`}},
		"what was ours, and what others own beside that":                  {ours + other, ours + other, other, []string{`other Update  {"f:data":{"f:c":{}}}`}},
	} {
		t.Run(name+" [P33]", func(t *testing.T) {
			owners, err := FormerOwners(managed(c.before), path, own)
			require.NoError(t, err)
			owners, err = Emptied(owners, managed(c.before), managed(c.after))
			require.NoError(t, err)
			given, err := GiveBack(owners)(managed(c.live))
			require.NoError(t, err)
			assert.ElementsMatch(t, c.want, entriesOf(given))
		})
	}
}
