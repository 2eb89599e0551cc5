package object

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// release gives up fields of the live object and leaves their values, so that the next apply, which does not send
// them, does not delete them.
func (t target) release(ctx context.Context, in inputs, fields *fieldpath.Set, uid types.UID) error {
	return t.edit(ctx, in, uid, func(live *unstructured.Unstructured) ([]byte, error) {
		return ownership.Release(live, t.Manager, fields)
	})
}
