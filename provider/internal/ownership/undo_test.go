package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestAnEditIsTakenBackUnlessItsEntriesHaveChanged(t *testing.T) {
	managed := func(entries string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: object(t, `{metadata: {resourceVersion: "7", managedFields: [`+entries+`]}}`)}
	}
	const (
		ours     = `{manager: ours, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:a": {}}}},`
		helm     = `{manager: helm, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:b": {}}}},`
		status   = `{manager: controller, operation: Update, subresource: status, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:status": {"f:c": {}}}},`
		moreHelm = `{manager: helm, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:d": {}}}},`
	)
	before := managed(ours + helm)
	after, err := HandOver("ours", func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) Handover {
		if entry.Manager == "helm" {
			return Handover{Moved: owned}
		}
		return Handover{}
	})(before)
	require.NoError(t, err)
	require.Equal(t, []string{`ours Apply  {"f:data":{"f:a":{},"f:b":{}}}`}, entriesOf(after))

	undo := Undo(before, after)
	undone, err := undo(after)
	require.NoError(t, err)
	assert.ElementsMatch(t, entriesOf(before), entriesOf(undone))

	// A controller has reported status meanwhile.
	later := after.DeepCopy()
	later.SetManagedFields(append(later.GetManagedFields(), managed(status).GetManagedFields()...))
	undone, err = undo(later)
	require.NoError(t, err)
	assert.ElementsMatch(t, append(entriesOf(before), entriesOf(managed(status))...), entriesOf(undone))

	// Its manager has written meanwhile.
	later = after.DeepCopy()
	later.SetManagedFields(append(later.GetManagedFields(), managed(moreHelm).GetManagedFields()...))
	undone, err = undo(later)
	require.NoError(t, err)
	assert.Same(t, later, undone)

	// The patch was never carried out.
	undone, err = undo(before)
	require.NoError(t, err)
	assert.Same(t, before, undone)

	same, err := Undo(before, before)(before)
	require.NoError(t, err)
	assert.Same(t, before, same)
}
