package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestEditsAreCarriedOutInOrderByOnePatch(t *testing.T) {
	const managed = `
metadata:
  resourceVersion: "7"
  managedFields:
  - {manager: former, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:a": {}, "f:b": {}}}}
  - {manager: helm, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:a": {}}}}
`
	live := &unstructured.Unstructured{Object: object(t, managed)}
	b := fieldpath.NewSet(fieldpath.MakePathOrDie("data", "b"))
	plan := InOrder(Rename("former", "ours"), nil, Release("ours", b), Shield(b))
	edited, err := plan(live)
	require.NoError(t, err)
	want := []string{
		`ours Apply  {"f:data":{"f:a":{}}}`, `helm Apply  {"f:data":{"f:a":{}}}`, `released-by-k8sconnect Update  {"f:data":{"f:b":{}}}`,
	}
	assert.Equal(t, want, entriesOf(edited), "each edit sees what the one before it has left")
	assert.Equal(t, object(t, managed), live.Object, "the object that was read is not changed")
	patch, err := plan.Patch(live)
	require.NoError(t, err)
	assert.Equal(t, want, entriesOf(patched(t, live, patch)), "the patch does what the edit shows")

	reverted, err := InOrder(Unshield())(edited)
	require.NoError(t, err)
	assert.Equal(t, want[:2], entriesOf(reverted))
	same, err := plan(reverted)
	require.NoError(t, err)
	assert.NotSame(t, reverted, same, "the shield is up again")
	nothing := InOrder(Rename("former", "ours"), Release("ours", b))
	same, err = nothing(reverted)
	require.NoError(t, err)
	assert.Same(t, reverted, same, "what changes nothing gives the object back")
	patch, err = nothing.Patch(reverted)
	require.NoError(t, err)
	assert.Nil(t, patch)
}
