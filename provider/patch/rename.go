package patch

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// rename changes field managers before the patch. Our fields move to the manager of the resource's URN and to the API
// version of the target. If the program takes the object over from a KubeObject, the fields of that KubeObject move to
// the manager [ownership.LeftManager]. rename returns the resulting object, in a preview without writing it. No value
// changes, and a field loses its owner only if the target's API version has another name for it.
func (r run) rename(ctx context.Context, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	var former []string
	for _, manager := range tracked.KubeObjectsOn(live, r.target.Own()...) {
		if r.in.takeOver.Names(manager) {
			former = append(former, manager)
		}
	}
	edits := []ownership.Edit{r.target.Rename(), ownership.InThisVersion(r.target.Manager)}
	for _, manager := range former {
		edits = append(edits, ownership.Rename(manager, ownership.LeftManager))
	}
	rename := ownership.InOrder(edits...)
	if r.preview {
		for _, manager := range former {
			p.GetLogger(ctx).Infof("%s is taken over from the KubeObject %s (field manager %q). A program that still has it takes its fields back.",
				r.target.Ref, ownership.DescribeManager(manager), manager)
		}
		return rename(live)
	}
	return r.edit(ctx, live, ownership.InOrder(r.target.Convertible(ctx, live), rename))
}

// edit changes who owns what before the patch, and remembers how to revert that.
func (r run) edit(ctx context.Context, live *unstructured.Unstructured, edit ownership.Edit) (*unstructured.Unstructured, error) {
	body, err := edit.Patch(live)
	if err != nil || body == nil {
		return live, err
	}
	edited, err := r.target.send(ctx, types.JSONPatchType, body)
	if err == nil {
		*r.undo = ownership.InOrder(ownership.Undo(live, edited), *r.undo)
	}
	return edited, err
}

// takeBack reverts what was changed for a refused patch: the program may give the patch up, and the state does not know
// of the changes.
func (r run) takeBack(ctx context.Context, live *unstructured.Unstructured, refusal error) {
	if live == nil || *r.undo == nil || !tracked.HadNoEffect(refusal) {
		return
	}
	if err := r.target.CleanUp(ctx, live.GetUID(), *r.undo); err != nil {
		p.GetLogger(ctx).Debugf("%s: who owns what is as the refused patch needed it: %v", r.target.Ref, err)
	}
}
