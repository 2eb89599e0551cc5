package patch

import (
	"context"
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// target is the object to patch.
type target struct{ tracked.Target }

// managerOf is the field manager of the resource urn.
func managerOf(urn resource.URN) string {
	return ownership.PatchManager(string(urn.Project()), string(urn.Stack()), urn.Name(), string(urn))
}

// find finds out where the object is. With an error, the target still names it.
func find(ctx context.Context, clu *cluster.Cluster, id manifest.Identity, manager string) (target, error) {
	t, err := tracked.Find(ctx, clu, id, manager)
	return target{t}, err
}

// missing reports that there is no object to patch.
func (t target) missing(cause error) error {
	notServed := (*failure.KindNotServedError)(nil)
	switch {
	case !errors.As(cause, &notServed):
	case notServed.IsDefined():
		return t.Explain("patch", cause, nil)
	default:
		return tracked.Refused(failure.ReasonKindNotServed, "%s not found: %v. A Patch changes existing objects.\n"+
			"If its CustomResourceDefinition is created in the same run, let the Patch depend on it and on the object.", t.Ref, cause)
	}
	return tracked.Refused(failure.ReasonNotFound, "%s not found. A Patch changes existing objects; to create one, use KubeObject.\n"+
		"If another resource creates it in the same run, let the Patch depend on that resource, or on a Wait for the object.", t.Ref)
}
