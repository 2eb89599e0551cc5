package tracked

import (
	"context"
	"fmt"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
)

const (
	// instancesTimeout is how long a deletion waits for the objects of a defined kind to go: those in the same stack
	// are deleted at the same time.
	instancesTimeout  = 30 * time.Second
	instancesInterval = time.Second
	// maxInstancesNamed is how many objects an error names.
	maxInstancesNamed = 10
)

// Instances are objects of a kind that a CustomResourceDefinition defines.
type Instances struct {
	found []string
	more  bool // there may be others that were not counted
}

// None reports whether there are none.
func (i Instances) None() bool { return len(i.found) == 0 }

// Named returns the names of the first objects, one per line.
func (i Instances) Named() string {
	return strings.Join(i.found[:min(len(i.found), maxInstancesNamed)], "\n  ")
}

// String returns their number as text.
func (i Instances) String() string {
	switch {
	case i.more:
		return fmt.Sprintf("at least %d objects", len(i.found))
	case len(i.found) == 1:
		return "1 object"
	default:
		return fmt.Sprintf("%d objects", len(i.found))
	}
}

// IsLostWithDefinition reports whether an object would be deleted only because the definition of its kind is. This
// excludes objects that are being deleted anyway, and objects with an owner, because a controller makes them from
// something that is not lost.
func IsLostWithDefinition(object metav1.PartialObjectMetadata) bool {
	return object.DeletionTimestamp == nil && len(object.OwnerReferences) == 0
}

// AwaitNoInstances waits until no objects of a defined kind that count are left, and returns the remaining ones. It
// retries a failed list: the conversion webhook may be starting, or the objects may be going. It returns only a
// permission error at once.
func AwaitNoInstances(
	ctx context.Context, clu *cluster.Cluster, resource schema.GroupVersionResource, kind string, counts func(metav1.PartialObjectMetadata) bool,
) (left Instances, err error) {
	patience, cancel := context.WithTimeout(ctx, instancesTimeout)
	defer cancel()
	defer p.GetLogger(ctx).InfoStatus("")
	looked := false
	// Ignore why polling ended: the last look has set left and err.
	_ = wait.PollUntilContextCancel(patience, instancesInterval, true, func(patience context.Context) (bool, error) {
		found, failed := ListInstances(patience, clu, resource, kind, counts)
		if looked && patience.Err() != nil {
			return true, nil // a look that was cut short says less than the previous one
		}
		looked, left, err = true, found, failed
		switch {
		case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
			return true, nil
		case err != nil:
			p.GetLogger(ctx).InfoStatusf("Waiting up to %s for a list of the objects of kind %s", instancesTimeout, kind)
		case !left.None():
			p.GetLogger(ctx).InfoStatusf("Waiting up to %s for the deletion of %s of kind %s", instancesTimeout, left, kind)
		default:
			return true, nil
		}
		return false, nil
	})
	return left, err
}

// ListInstances lists the objects of a defined kind that count.
func ListInstances(
	ctx context.Context, clu *cluster.Cluster, resource schema.GroupVersionResource, kind string, counts func(metav1.PartialObjectMetadata) bool,
) (Instances, error) {
	var left Instances
	err := clu.ListMetadata(ctx, resource, func(page []metav1.PartialObjectMetadata, last bool) bool {
		for _, object := range page {
			if counts(object) {
				left.found = append(left.found, cluster.Ref{Kind: kind, Namespace: object.Namespace, Name: object.Name}.String())
			}
		}
		left.more = !last
		return len(left.found) < maxInstancesNamed
	})
	return left, err
}
