package ownership

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// entriesOf writes managedFields, one line for each entry.
func entriesOf(object *unstructured.Unstructured) (lines []string) {
	for _, entry := range object.GetManagedFields() {
		lines = append(lines, fmt.Sprintf("%s %s %s %s", entry.Manager, entry.Operation, entry.Subresource, entry.FieldsV1.GetRawString()))
	}
	return lines
}

func TestHandOverMovesEntries(t *testing.T) {
	const managed = `
metadata:
  resourceVersion: "7"
  managedFields:
  - {manager: ours, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:a": {}}}}
  - {manager: helm, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:a": {}, "f:b": {}, "f:theirs": {}}}}
  - {manager: helm, operation: Update, subresource: scale, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:replicas": {}}}}
  - {manager: helm, operation: Update, subresource: status, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:status": {"f:z": {}}}}
spec: {a: 1}
`
	taking := func(wanted string) func(metav1.ManagedFieldsEntry, *fieldpath.Set) Handover {
		return func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) Handover {
			if entry.Manager != "helm" {
				return Handover{}
			}
			return Handover{Moved: Shared(fields(t, wanted))(owned)}
		}
	}
	for name, test := range map[string]struct {
		decide func(metav1.ManagedFieldsEntry, *fieldpath.Set) Handover
		want   []string
	}{
		"what is wanted moves, also from the subresource that sets a field, and not what is reported": {
			taking(`{"f:spec": {"f:a": {}, "f:b": {}, "f:replicas": {}}}`), []string{
				`ours Apply  {"f:spec":{"f:a":{},"f:b":{},"f:replicas":{}}}`, `helm Apply  {"f:spec":{"f:theirs":{}}}`, `helm Update status {"f:status":{"f:z":{}}}`,
			},
		},
		"nothing wanted moves nothing":                                 {taking(`{}`), nil},
		"a map that is wanted empty moves nothing that is in it [O82]": {taking(`{"f:spec": {}}`), nil},
		"a name is changed in every entry that sets fields, and joins the entry that is there": {
			renaming("helm", "ours"), []string{
				`ours Apply  {"f:spec":{"f:a":{},"f:b":{},"f:theirs":{}}}`, `ours Update scale {"f:spec":{"f:replicas":{}}}`,
				`helm Update status {"f:status":{"f:z":{}}}`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			live := &unstructured.Unstructured{Object: object(t, managed)}
			patch, err := HandOver("ours", test.decide).Patch(live)
			require.NoError(t, err)
			handed, err := HandOver("ours", test.decide)(live)
			require.NoError(t, err)
			assert.Equal(t, object(t, managed), live.Object, "the object is not changed")
			if test.want == nil {
				assert.Nil(t, patch)
				assert.Equal(t, entriesOf(live), entriesOf(handed))
				return
			}
			assert.Equal(t, test.want, entriesOf(patched(t, live, patch)))
			assert.Equal(t, test.want, entriesOf(handed), "a preview sees what the patch does")
		})
	}
}

func TestReclaimTakesWhatWeHaveAppliedFromNobody(t *testing.T) {
	const managed = `
metadata:
  resourceVersion: "7"
  managedFields:
  - {manager: ours, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:a": {}, "f:b": {}}}}
  - {manager: helm, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:a": {}}}}
  - {manager: k8sconnect.released, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:b": {}, "f:c": {}}}}
  - {manager: released-by-k8sconnect, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:b": {}}}}
`
	live := &unstructured.Unstructured{Object: object(t, managed)}
	patch, err := Reclaim("ours").Patch(live)
	require.NoError(t, err)
	after := patched(t, live, patch)
	assert.Equal(t, []string{
		`ours Apply  {"f:data":{"f:a":{},"f:b":{}}}`, `helm Apply  {"f:data":{"f:a":{}}}`, `k8sconnect.released Apply  {"f:data":{"f:c":{}}}`,
	}, entriesOf(after))
	again, err := Reclaim("ours").Patch(after)
	require.NoError(t, err)
	assert.Nil(t, again)
	none, err := Reclaim("stranger").Patch(live)
	require.NoError(t, err)
	assert.Nil(t, none, "who has applied nothing has nothing to take")
}
