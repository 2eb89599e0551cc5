package drift

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// managerPrefix begins the field managers of the provider.
const managerPrefix = "k8sconnect-"

// digest is short: an equal one of other fields costs a look that comes at the interval.
type digest [8]byte

// entry is what is kept of an object.
type entry struct {
	uid types.UID
	// fields is of what the provider's field managers own.
	fields digest
	// touched is when others last changed what is not status.
	touched time.Time
}

// entryOf reads the metadata of an object.
func entryOf(object *metav1.PartialObjectMetadata) entry {
	var ours []metav1.ManagedFieldsEntry
	kept := entry{uid: object.UID}
	for _, fields := range object.ManagedFields {
		switch {
		case strings.HasPrefix(fields.Manager, managerPrefix):
			ours = append(ours, fields)
		case fields.Subresource != "status" && fields.Time != nil && fields.Time.After(kept.touched):
			kept.touched = fields.Time.Time
		}
	}
	if ours == nil { // It has no field that could be owned, or it is of others, who may change it.
		return entry{uid: object.UID}
	}
	slices.SortFunc(ours, func(a, b metav1.ManagedFieldsEntry) int {
		return cmp.Or(strings.Compare(a.Manager, b.Manager), cmp.Compare(a.Operation, b.Operation), strings.Compare(a.Subresource, b.Subresource))
	})
	sum := sha256.New()
	for _, fields := range ours {
		for _, text := range []string{fields.Manager, string(fields.Operation), fields.Subresource} {
			_, _ = sum.Write(append([]byte(text), 0))
		}
		if fields.FieldsV1 != nil {
			_, _ = sum.Write(fields.FieldsV1.GetRawBytes())
		}
	}
	kept.fields = digest(sum.Sum(nil))
	return kept
}
