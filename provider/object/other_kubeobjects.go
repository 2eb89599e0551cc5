package object

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// foreign returns the field manager of another KubeObject on the object, unless the program names it in takeOverFrom;
// otherwise "".
func (t target) foreign(in inputs, live *unstructured.Unstructured) string {
	for _, manager := range tracked.KubeObjectsOn(live, t.Own()...) {
		if !in.takeOver.Names(manager) {
			return manager
		}
	}
	return ""
}

// mayWrite refuses a write to an object that another KubeObject manages. However the object got into the state, two
// resources on it would undo each other's changes, and one would delete the other's object.
//
// Each writer passes its latest view of the object: a preview the answer of its dry-run, an edit the object it is
// built from, and an update the Read before it, which the state remembers. If another stack takes the object between
// that Read and the apply, whichever of the two looks next notices it.
func (t target) mayWrite(in inputs, live *unstructured.Unstructured) error {
	if manager := t.foreign(in, live); manager != "" {
		return t.refuseForeign(in, "is", manager)
	}
	return nil
}

// refuseForeign explains who owns the object. is describes the object further: "already exists and is".
func (t target) refuseForeign(in inputs, is, manager string) error {
	renamed, ofChart := "resource was renamed, give it the old name as an alias (the resource option `aliases`)", ""
	if in.makesInSet {
		renamed = "component of the resource " + tracked.RenameOfSet
	}
	if t.Identity().GroupKind() == kinds.CustomResourceDefinition {
		ofChart = " A chart that is installed again leaves its definitions to the first release with `crds: skip`."
	}
	return tracked.Refused(failure.ReasonManagedElsewhere, "%s %s managed by the KubeObject %s (field manager %q). It was not touched.\n"+
		"Two resources cannot manage one object. If the %s. To manage the object with this resource, take it over: %s. Otherwise remove the "+
		"resource from this program: the object stays.%s", t.Ref, is, ownership.DescribeManager(manager), manager, renamed, in.takeOver.Line(manager), ofChart)
}

// warnForeign warns what happens to an object that was read and that another KubeObject manages.
func (t target) warnForeign(ctx context.Context, in inputs, live *unstructured.Unstructured) {
	if manager := t.foreign(in, live); manager != "" {
		p.GetLogger(ctx).Warningf("%s is managed by the KubeObject %s (field manager %q). This resource does not write it, and its "+
			"deletion leaves the object alone, unless it takes the object over: %s.",
			t.Ref, ownership.DescribeManager(manager), manager, in.takeOver.Line(manager))
	}
}

// leave leaves an object to the KubeObject that manages it, and releases what this resource owns of it, which would
// otherwise block the other KubeObject's writes.
func (t target) leave(ctx context.Context, in inputs, uid types.UID, manager string) error {
	release := func(*unstructured.Unstructured) (ownership.Edit, error) { return t.ReleaseAll(), nil }
	if err := t.Edit(ctx, uid, release); err != nil {
		return t.Explain("release fields of", err, in.sensitive())
	}
	p.GetLogger(ctx).Warningf("%s is left alone: it is managed by the KubeObject %s (field manager %q). What this resource owned "+
		"of it is released, with the values that it has.", t.Ref, ownership.DescribeManager(manager), manager)
	return nil
}

// warnShared warns that another resource of the program has the same object.
func (t target) warnShared(ctx context.Context, other resource.URN) {
	p.GetLogger(ctx).Warningf("%s is left alone: the resource %q of this stack is about the same object.", t.Ref, other.Name())
}
