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
