package object

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// target is the object that the resource applies.
type target struct{ tracked.Target }

// resolve finds out where the object with this identity belongs.
func resolve(ctx context.Context, clu *cluster.Cluster, id manifest.Identity, manager string) (target, error) {
	t, err := tracked.Resolve(ctx, clu, id, manager)
	return target{t}, err
}

// observeLive reads the object with this identity once.
func observeLive(
	ctx context.Context, source *connection.Source, in property.Map, id manifest.Identity, manager string,
) (target, *unstructured.Unstructured, error) {
	t, live, err := tracked.ObserveLive(ctx, source, in, id, manager)
	return target{t}, live, err
}

// asOn returns the target with whichever of our field managers is on an object. An apply under a manager that is not on
// the object removes nothing. So an update of an object that has only the former one, and every preview, applies under
// that one; the update renames it afterwards ([write.cleanUp]). A creation that finds the object renames it first
// ([target.resolveExisting]).
func (t target) asOn(live *unstructured.Unstructured) target { return target{t.AsOn(live)} }

// asRenamed converts the result of an attempt under our former field manager to one under the field manager of the URN.
func (t target) asRenamed(a applyResult) applyResult {
	if a.err != nil {
		return a
	}
	a.answer, a.err = t.Renamed(a.answer)
	return a
}
