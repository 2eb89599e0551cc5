package tracked

import (
	"context"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// OutdatedError means that the API server cannot apply onto an object: its managed fields are recorded in API
// versions that do not know all its current fields, or that no longer exist. This happens when a
// CustomResourceDefinition gains a version with defaults, or drops the version that something was applied in, and
// affects every applier until the managed fields are in one version.
type OutdatedError struct {
	versions []string
	cause    error
}

func (e *OutdatedError) Error() string {
	return fmt.Sprintf("managers have noted their fields in %s: %v", strings.Join(e.versions, ", "), e.cause)
}

// Unwrap returns the refusal of the API server.
func (e *OutdatedError) Unwrap() error { return e.cause }

// Diagnose finds out why an apply onto the object was refused. body is what was applied.
func (t Target) Diagnose(ctx context.Context, body *unstructured.Unstructured, refusal error) error {
	if failure.IsUnconvertible(refusal) {
		live, err := t.Cluster.Get(ctx, t.Ref)
		if err == nil && len(ownership.OtherVersions(live)) > 0 {
			return &OutdatedError{ownership.OtherVersions(live), refusal}
		}
	}
	return t.Cluster.Diagnose(ctx, body, refusal)
}

// WarnOutdated explains in a preview why the API server cannot try the planned write.
func (t Target) WarnOutdated(ctx context.Context, outdated *OutdatedError) {
	p.GetLogger(ctx).Warningf("%s: the API server cannot try this update, because managers of the object have noted their fields in %s, "+
		"to which it cannot convert the object: the version was dropped, or does not know all fields that the object has. "+
		"The update first notes them in %s. Values are known only after it.",
		t.Ref, strings.Join(outdated.versions, ", "), t.Ref.APIVersion)
}

// PutInOneVersion rewrites the managed fields of the object in the version that we apply. Nothing else in the object
// changes.
func (t Target) PutInOneVersion(ctx context.Context) error {
	live, err := t.Cluster.Get(ctx, t.Ref)
	if err != nil {
		return err
	}
	return t.Cluster.Edit(ctx, t.Ref, live.GetUID(), t.Manager, ownership.Edit(ownership.InOneVersion).Patch)
}

// Convertible returns the edit that must precede a write other than an apply: at such a write, the API server drops all
// managed fields of an object that it cannot convert. It is nil if the API server can convert the object.
func (t Target) Convertible(ctx context.Context, live *unstructured.Unstructured) ownership.Edit {
	if kinds.OwnGroup(live.GroupVersionKind().Group) || len(ownership.OtherVersions(live)) == 0 || !t.Cluster.IsUnconvertible(ctx, live) {
		return nil
	}
	return ownership.InOneVersion
}
