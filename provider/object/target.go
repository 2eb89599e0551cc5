package object

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
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

// object builds the body of an apply: a manifest in its namespace.
func (t target) object(body map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: values.DeepCopy(body).(map[string]any)}
	object.SetNamespace(t.Ref.Namespace)
	if isBare(body) {
		// Owning metadata.labels, but none of the labels, writes nothing to the object and keeps our field manager on
		// it: without any field of its own, the object would not be recognised as ours after a lost reply.
		_ = unstructured.SetNestedMap(object.Object, map[string]any{}, "metadata", "labels")
	}
	return object
}
