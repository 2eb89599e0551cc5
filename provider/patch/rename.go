package patch

import (
	"context"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// rename changes field managers before the patch: our fields move to the manager of the resource's URN, and the
// fields of a KubeObject that the program takes the object over from move to an unowned manager name. It returns the
// object after that; a preview returns what it would be. No value changes, and no field loses its owner.
func (r run) rename(ctx context.Context, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	var former []string
	for _, manager := range tracked.KubeObjectsOn(live, r.target.Own()...) {
		if r.in.takeOver.Names(manager) {
			former = append(former, manager)
		}
	}
	decide := func(entry metav1.ManagedFieldsEntry, _ *fieldpath.Set) (decided ownership.Handover) {
		switch {
		case slices.Contains(former, entry.Manager):
			decided.Rest = ownership.LeftManager
		case entry.Manager == r.target.Also && entry.Manager != "":
			decided.Rest = r.target.Manager
		}
		return decided
	}
	if r.preview {
		for _, manager := range former {
			p.GetLogger(ctx).Infof("%s is taken over from the KubeObject %s (field manager %q). A program that still has it takes its fields back.",
				r.target.Ref, ownership.DescribeManager(manager), manager)
		}
		return ownership.HandedOver(live, r.target.Manager, decide)
	}
	body, err := ownership.HandOver(live, r.target.Manager, decide)
	if err != nil || body == nil {
		return live, err
	}
	return r.target.send(ctx, types.JSONPatchType, body, false)
}
