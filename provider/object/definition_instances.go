package object

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

const (
	// instancesTimeout is how long the deletion of a definition waits for the objects of its kind to go: those in the
	// same stack are being deleted at the same time.
	instancesTimeout  = 30 * time.Second
	instancesInterval = time.Second
	// maxInstancesNamed is how many objects an error names.
	maxInstancesNamed = 10
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

// instances are the objects of a kind that would be deleted with its definition and by nothing else.
type instances struct {
	found []string
	more  bool // there may be others that were not counted
}

// String returns their number as text.
func (i instances) String() string {
	switch {
	case i.more:
		return fmt.Sprintf("at least %d objects", len(i.found))
	case len(i.found) == 1:
		return "1 object"
	default:
		return fmt.Sprintf("%d objects", len(i.found))
	}
}

// spareInstances refuses to delete a CustomResourceDefinition while objects of its kind, whoever made them, would go
// with it, unless the user has allowed that. live is nil if the definition is gone or has been replaced by another
// one. If it is already being deleted, there is nothing left to decide.
func (t target) spareInstances(ctx context.Context, in inputs, live *unstructured.Unstructured) error {
	if in.deleteInstances || live == nil || !manifest.IsDefinition(t.Identity().GroupKind()) ||
		live.GetDeletionTimestamp() != nil || !isEstablished(live) {
		return nil
	}
	kind, _, _ := manifest.Defined(live.Object)
	resource, served := instancesOf(live)
	if !served {
		return failure.Errorf(failure.ReasonInstancesRemain, "%s was not deleted: it serves no version, so it is not known which objects of kind %s would be deleted "+
			"with it.\nServe a version of it; %s", t.Ref, kind.Kind, otherWays)
	}
	left, err := t.awaitInstances(ctx, resource, kind.Kind)
	switch {
	case err != nil:
		return failure.Errorf(failure.ReasonInstancesRemain, "%s was not deleted: it is not known which objects of kind %s would be deleted with it.\n%w\n"+
			"Make it possible to list them; %s", t.Ref, kind.Kind, withoutNext(t.Explain("list the objects of", err, in.sensitive())), otherWays)
	case len(left.found) > 0:
		return failure.Errorf(failure.ReasonInstancesRemain, "%s was not deleted: %s of kind %s would be deleted with it, and nothing else deletes them:\n  %s\n"+
			"Delete them first, if nobody needs them; %s", t.Ref, left, kind,
			strings.Join(left.found[:min(len(left.found), maxInstancesNamed)], "\n  "), otherWays)
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

// instancesOf returns where to list the objects of a defined kind: in the storage version, which needs the conversion
// webhook least, or in any served version.
func instancesOf(definition *unstructured.Unstructured) (resource schema.GroupVersionResource, served bool) {
	resource.Group, _, _ = unstructured.NestedString(definition.Object, "spec", "group")
	resource.Resource, _, _ = unstructured.NestedString(definition.Object, "spec", "names", "plural")
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	for _, version := range versions {
		version, _ := version.(map[string]any)
		if version["served"] != true {
			continue
		}
		if name, _ := version["name"].(string); !served || version["storage"] == true {
			resource.Version, served = name, true
		}
	}
	return resource, served
}

// awaitInstances waits until no objects are left that would go with the definition, and returns those that remain. It
// retries a failed list: the conversion webhook may be starting, or the objects may be going. Only a permission error
// is returned at once.
func (t target) awaitInstances(ctx context.Context, resource schema.GroupVersionResource, kind string) (left instances, err error) {
	patience, cancel := context.WithTimeout(ctx, instancesTimeout)
	defer cancel()
	defer p.GetLogger(ctx).InfoStatus("")
	looked := false
	// Ignore why polling ended: the last look has set left and err.
	_ = wait.PollUntilContextCancel(patience, instancesInterval, true, func(patience context.Context) (bool, error) {
		found, failed := t.listInstances(patience, resource, kind)
		if looked && patience.Err() != nil {
			return true, nil // a look that was cut short says less than the previous one
		}
		looked, left, err = true, found, failed
		switch {
		case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
			return true, nil
		case err != nil:
			p.GetLogger(ctx).InfoStatusf("Waiting up to %s for a list of the objects of kind %s", instancesTimeout, kind)
		case len(left.found) > 0:
			p.GetLogger(ctx).InfoStatusf("Waiting up to %s for the deletion of %s of kind %s", instancesTimeout, left, kind)
		default:
			return true, nil
		}
		return false, nil
	})
	return left, err
}

// listInstances lists what would be deleted with the definition. It leaves out objects that are being deleted, which
// go anyway, and objects with an owner, which a controller makes from something that is not lost.
func (t target) listInstances(ctx context.Context, resource schema.GroupVersionResource, kind string) (instances, error) {
	var left instances
	err := t.Cluster.ListMetadata(ctx, resource, func(page []metav1.PartialObjectMetadata, last bool) bool {
		for _, object := range page {
			if object.DeletionTimestamp == nil && len(object.OwnerReferences) == 0 {
				left.found = append(left.found, cluster.Ref{Kind: kind, Namespace: object.Namespace, Name: object.Name}.String())
			}
		}
		left.more = !last
		return len(left.found) < maxInstancesNamed
	})
	return left, err
}
