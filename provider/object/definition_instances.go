package object

import (
	"context"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// checkDeleteInstances refuses the input where it would do nothing.
func checkDeleteInstances(v property.Value, written map[string]any, fail func(path, reason string)) {
	if written == nil || !values.Flag(v) {
		return
	}
	id := manifest.IdentityOf(written)
	if id.Kind != "" && !values.IsUnknown(written["kind"]) && !manifest.IsDefinition(id.GroupKind()) {
		fail(keyDeleteInstances, "The input is for manifests of kind CustomResourceDefinition only: nothing else has instances.")
	}
}

// spareInstances refuses to delete a CustomResourceDefinition while objects of its kind, made by anyone, would go with
// it, unless the user has allowed that. live is nil if the definition is gone or another object has its name. If the
// definition is already being deleted, there is nothing left to decide.
func (t target) spareInstances(ctx context.Context, in inputs, live *unstructured.Unstructured) error {
	if in.deleteInstances || live == nil || !manifest.IsDefinition(t.Identity().GroupKind()) ||
		live.GetDeletionTimestamp() != nil || !isEstablished(live) {
		return nil
	}
	kind, _, _ := manifest.Defined(live.Object)
	resource, served := manifest.ResourceOf(live.Object)
	if !served {
		return failure.Errorf(failure.ReasonInstancesRemain, "%s was not deleted: it serves no version, so it is not known which objects of kind %s would be deleted "+
			"with it.\nServe a version of it; %s", t.Ref, kind.Kind, otherWays)
	}
	left, err := tracked.AwaitNoInstances(ctx, t.Cluster, resource, kind.Kind, tracked.IsLostWithDefinition)
	switch {
	case err != nil:
		return failure.Errorf(failure.ReasonInstancesRemain, "%s was not deleted: it is not known which objects of kind %s would be deleted with it.\n%w\n"+
			"Make it possible to list them; %s", t.Ref, kind.Kind, withoutNext(t.Explain("list the objects of", err, in.sensitive())), otherWays)
	case !left.None():
		return failure.Errorf(failure.ReasonInstancesRemain, "%s was not deleted: %s of kind %s would be deleted with it, and nothing else deletes them:\n  %s\n"+
			"Delete them first, if nobody needs them; %s", t.Ref, left, kind, left.Named(), otherWays)
	}
	return nil
}

// otherWays tells the user what else to do when objects block a deletion.
const otherWays = "or keep the definition, with the resource option `retainOnDelete: true`; or, if all objects of the kind may be deleted " +
	"with it, set `deleteInstances: true`. Run `pulumi up` with either of the two, which saves it, before this command."

// isEstablished reports whether objects of a kind can exist. A definition stays established once it has been.
func isEstablished(definition *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(definition.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(condition any) bool {
		fields, _ := condition.(map[string]any)
		return fields["type"] == "Established" && fields["status"] == "True"
	})
}
