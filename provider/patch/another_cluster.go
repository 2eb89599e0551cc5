package patch

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// requireSame settles a look that may not have found the object that was patched. One that was made again in its place is
// patched; of one in another cluster a preview says so, which makes a replacement of it.
func (w work) requireSame(ctx context.Context, live *unstructured.Unstructured, look error) error {
	if w.old.Ref.UID == "" {
		return look
	}
	err := w.old.Origin.Located(ctx, w.source, w.target.Target, w.old.Ref.UID, live, look)
	if !w.preview && (tracked.IsElsewhere(err) || tracked.IsForgotten(err)) {
		w.old.Origin.WarnLeft(ctx, w.source)
		return look
	}
	return err
}
