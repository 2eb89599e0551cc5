package object

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// isReplacing reports whether the resource represents this object until it is replaced.
func (c creation) isReplacing(live *unstructured.Unstructured) bool {
	return c.stands != nil && c.stands(string(live.GetUID()))
}

// isKept reports whether the state records the old object of a replacement as deleted although it was kept. With
// retainOnDelete, the engine records that without a deletion. From then on it only asks for the new object, even if the
// program reverts the change. The engine does not read such a resource.
func (c creation) isKept() bool { return c.unread && c.readsFirst }

// continuesKept reports whether a creation takes up the old object of a replacement again: the program says so, and the
// engine is not about to delete the object.
func (c creation) continuesKept(in inputs) bool {
	return in.adopt && (c.isKept() || c.unread && !c.preview)
}

// refuseSameNameReplacement handles a new object with the same name as the one it replaces. In a preview the old one
// still exists, although it may be deleted first. In the real run it must be gone: if we adopted it here, the engine
// would delete it next.
func (t target) refuseSameNameReplacement(ctx context.Context, in inputs, c creation, live *unstructured.Unstructured) applyResult {
	if c.preview {
		if c.isKept() {
			p.GetLogger(ctx).Warningf("%s still exists, although the state says that it was deleted. With retainOnDelete, Pulumi does not delete "+
				"what it replaces, and the update will fail.\n%s", t.Ref, waysOutOfReplacement)
		}
		answer, err := t.tryAsNew(ctx, in, live)
		return applyResult{answer: answer, err: err}
	}
	return applyResult{err: tracked.Refused(failure.ReasonAlreadyExists, "%s was not replaced: the old object still exists and has the same name. It was not touched.\n"+
		"If Pulumi creates before it deletes, set the resource option deleteBeforeReplace to true. If retainOnDelete keeps the old object:\n%s",
		t.Ref, waysOutOfReplacement)}
}

// waysOutOfReplacement says what to do if a retained object and its replacement have the same name.
const waysOutOfReplacement = "To keep the object, take the change back and set `adopt: true`. To replace it, give the new object another name, " +
	"or delete the old one yourself, with all that it holds."
