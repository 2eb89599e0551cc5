package object

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// refusePatched refuses the first write to an object with fields that Patches own, by an adoption or after an import.
// The write would take these fields, and a Patch never writes an object of ours, so it could not get them back. is
// describes the object: "already exists and is managed by".
func (t target) refusePatched(is string, live *unstructured.Unstructured) error {
	patches := tracked.PatchesOn(live, t.Own()...)
	if len(patches) == 0 {
		return nil
	}
	return tracked.Refused(failure.ReasonManagedElsewhere, "%s %s %s (field manager %q). It was not touched.\n"+
		"Two resources cannot manage one object. Remove the Patch, which hands its fields back with their values, and run again; "+
		"or remove this resource from the program: the object stays.", t.Ref, is, ownership.DescribeManager(patches[0]), patches[0])
}

// warnPatched warns at an import about what the first update will refuse.
func (t target) warnPatched(ctx context.Context, live *unstructured.Unstructured) {
	for _, manager := range tracked.PatchesOn(live) {
		p.GetLogger(ctx).Warningf("%s is managed by %s (field manager %q). This resource does not write it until that Patch is removed, "+
			"which hands its fields back with their values.", t.Ref, ownership.DescribeManager(manager), manager)
	}
}
