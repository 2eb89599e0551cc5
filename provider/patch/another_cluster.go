package patch

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// requireSame resolves a read that may not have found the patched object. An object that was recreated in its place
// is patched again. If the object is in another cluster, a preview says so, and the resource is replaced.
func (r run) requireSame(ctx context.Context, live *unstructured.Unstructured, look error) error {
	if r.old.Ref.UID == "" {
		return look
	}
	err := r.old.Origin.Located(ctx, r.source, r.target.Target, r.old.Ref.UID, live, look)
	if !r.preview && (tracked.IsElsewhere(err) || tracked.IsForgotten(err)) {
		r.old.Origin.WarnLeft(ctx, r.source)
		return look
	}
	return err
}
