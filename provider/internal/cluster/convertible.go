package cluster

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// IsUnconvertible reports whether the API server cannot convert an object to all versions in which managers have
// recorded their fields. It then refuses every apply onto the object, and drops all managed fields at any other write.
// A dry-run that applies no field finds this out. If that dry-run is not possible, IsUnconvertible returns false.
func (c *Cluster) IsUnconvertible(ctx context.Context, live *unstructured.Unstructured) bool {
	nothing := &unstructured.Unstructured{Object: map[string]any{}}
	nothing.SetAPIVersion(live.GetAPIVersion())
	nothing.SetKind(live.GetKind())
	nothing.SetNamespace(live.GetNamespace())
	nothing.SetName(live.GetName())
	_, err := c.Apply(ctx, nothing, ApplyOptions{FieldManager: diagnosisManager, DryRun: true, UID: live.GetUID()})
	return err != nil && failure.IsUnconvertible(err)
}
