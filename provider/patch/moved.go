package patch

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// moved reports whether the program wants to patch in another cluster than the object is in. Where that cannot be told
// without a look at the object, the state is marked, so that Diff looks.
func (r *patchResource) moved(ctx context.Context, clu *cluster.Cluster, urn resource.URN, old *state) (bool, error) {
	t := target{tracked.Target{Cluster: clu, Ref: tracked.RefOf(old.Ref.Identity)}}
	moved, undecided, err := old.Origin.Moved(ctx, r.source, t.Target, old.Pending)
	switch {
	case moved:
		r.moves.Note(urn, old.State)
	case undecided && !old.Pending:
		old.Stale = true
		return false, nil
	case err != nil:
		return false, t.explain("read", err, inputs{})
	}
	return moved, nil
}

// elsewhere makes a replacement of a look or a dry-run that has found another cluster than that of the object. Any other
// error stays one.
func (r *patchResource) elsewhere(ctx context.Context, urn resource.URN, old state, err error) (p.DiffResponse, error) {
	if !tracked.IsElsewhere(err) && !tracked.IsForgotten(err) {
		return p.DiffResponse{}, err
	}
	tracked.WarnMoved(ctx, r.source, err)
	r.moves.Note(urn, old.State)
	return tracked.ElsewhereDiff(), nil
}

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
