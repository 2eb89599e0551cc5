package patch

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/mutation"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// computedPatch is a JSON patch or a merge patch. Evaluating it finds the fields that it touches.
type computedPatch struct {
	untraced
	in    inputs
	kind  types.PatchType
	patch interface {
		Evaluate(live *unstructured.Unstructured) (mutation.Effect, error)
		Encode(uid types.UID, resourceVersion string) ([]byte, error)
	}
}

func newMerge(in inputs) (patchType, error) {
	patch, problems := mutation.ParseMergePatch(in.document)
	return computedPatch{in: in, kind: types.MergePatchType, patch: patch}, firstProblem(keyMergePatch, problems)
}

func newOperations(in inputs) (patchType, error) {
	patch, problems := mutation.ParseJSONPatch(in.document)
	return computedPatch{in: in, kind: types.JSONPatchType, patch: patch}, firstProblem(keyJSONPatch, problems)
}

func (e computedPatch) predict(
	_ context.Context, _ target, live *unstructured.Unstructured,
) (patchedFields, *unstructured.Unstructured, error) {
	effect, err := e.patch.Evaluate(live)
	if operation := (*mutation.OperationError)(nil); errors.As(err, &operation) {
		err = tracked.Refused(failure.ReasonPatchNotApplicable, "%v.\nNothing was changed.", e.in.withoutSecrets(err))
	}
	if err != nil {
		return nothing(), nil, err
	}
	return effects(effect), nil, nil
}

func (e computedPatch) send(ctx context.Context, t target, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return e.by(ctx, t.send, live)
}

func (e computedPatch) try(ctx context.Context, t target, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return e.by(ctx, t.try, live)
}

// by encodes the patch for live, and sends it.
func (e computedPatch) by(ctx context.Context, send sender, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	body, err := e.patch.Encode(live.GetUID(), live.GetResourceVersion())
	if err != nil {
		return nil, err
	}
	return send(ctx, e.kind, body)
}

// nonIdempotentOperations returns the operations that run once for every change of the patch.
func (e computedPatch) nonIdempotentOperations() []string {
	patch, _ := e.patch.(mutation.JSONPatch)
	return patch.OnceOperations(e.in.hidesPlace)
}

// untraced is the common part of patch types whose requests leave no reliable trace on the object: the fields that they
// touch must be predicted.
type untraced struct{}

func (untraced) reportsFields() bool { return false }

func (untraced) touched(_ *unstructured.Unstructured, _ string, foreseen patchedFields) (patchedFields, error) {
	return foreseen, nil
}

func (untraced) kept(t patchedFields) ownership.Kept { return ownership.Kept{Updated: t.all()} }

// sender is [target.send] or [target.try].
type sender func(ctx context.Context, kind types.PatchType, body []byte) (*unstructured.Unstructured, error)

// send sends a patch under our field manager.
func (t target) send(ctx context.Context, kind types.PatchType, body []byte) (*unstructured.Unstructured, error) {
	return t.Cluster.Patch(ctx, t.Ref, body, cluster.PatchOptions{Type: kind, FieldManager: t.Manager})
}

// try sends a patch under our field manager, as a dry-run.
func (t target) try(ctx context.Context, kind types.PatchType, body []byte) (*unstructured.Unstructured, error) {
	return t.Cluster.Patch(ctx, t.Ref, body, cluster.PatchOptions{Type: kind, FieldManager: t.Manager, DryRun: true})
}

// effects returns the fields that an evaluation has touched.
func effects(effect mutation.Effect) patchedFields {
	found := patchedFields{set: effect.Set, removed: effect.Removed, nonIdempotent: effect.Once}
	for _, touch := range effect.Operations {
		path := touch.Path
		if touch.Once {
			path = nil
		}
		found.operations = append(found.operations, path)
		found.places = append(found.places, touch.Place)
	}
	return found
}

// firstProblem reports a patch that passed Check but is invalid, because a value was unknown then.
func firstProblem(input string, problems []mutation.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return tracked.Refused(failure.ReasonInvalid, "%s: %s", values.JoinPath(input, problems[0].Path), problems[0].Reason)
}
