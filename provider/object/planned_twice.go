package object

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

type plannedObject struct {
	cluster         *cluster.Cluster
	kind            schema.GroupKind
	namespace, name string
}

// refuseTwice refuses, in a preview, to create an object that another resource of the same program also creates. An
// update would create it for whichever comes first, and fail for the other.
func (r *kubeObject) refuseTwice(ctx context.Context, clu *cluster.Cluster, id manifest.Identity, urn resource.URN) error {
	ref := tracked.RefOf(id)
	if !r.planned.defines(clu, id) { // otherwise it may not be served yet
		if t, err := resolve(ctx, clu, id, ""); err == nil {
			ref = t.Ref
		}
	}
	of, twice := r.planned.objects.LoadOrStore(plannedObject{clu, id.GroupKind(), ref.Namespace, ref.Name}, urn)
	if !twice || of == urn {
		return nil
	}
	other := of.(resource.URN)
	return tracked.Refused(failure.ReasonManagedElsewhere, "%s is in this program twice: the KubeObject %q creates it as well. One object belongs to one resource.\n"+
		"Next: remove one of them.", ref, other.Name())
}
