package patch

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// rename changes field managers before the patch: our fields move to the manager of the resource's URN and to the API
// version of the target, and the fields of a KubeObject that the program takes the object over from move to an unowned
// manager name. It returns the object after that; a preview returns what it would be. No value changes, and no field
// loses its owner.
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

// edit changes who owns what before the patch, and remembers how to take that back.
func (r run) edit(ctx context.Context, live *unstructured.Unstructured, edit ownership.Edit) (*unstructured.Unstructured, error) {
	body, err := edit.Patch(live)
	if err != nil || body == nil {
		return live, err
	}
	edited, err := r.target.send(ctx, types.JSONPatchType, body, false)
	if err == nil {
		*r.undo = ownership.InOrder(ownership.Undo(live, edited), *r.undo)
	}
	return edited, err
}

// takeBack takes back what was changed for a patch that was refused: the program may give it up, and the state knows nothing of it.
func (r run) takeBack(ctx context.Context, live *unstructured.Unstructured, refusal error) {
	if live == nil || *r.undo == nil || !tracked.HadNoEffect(refusal) {
		return
	}
	if err := r.target.CleanUp(ctx, live.GetUID(), *r.undo); err != nil {
		p.GetLogger(ctx).Debugf("%s: who owns what is as the refused patch needed it: %v", r.target.Ref, err)
	}
}
