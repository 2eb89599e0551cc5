package patch

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/mutation"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// operations are a JSON patch as a whole.
type operations struct {
	patch mutation.JSONPatch
}

func newOperations(document any) (method, error) {
	patch, problems := mutation.ParseJSONPatch(document)
	return operations{patch}, firstProblem(keyJSONPatch, problems)
}

func (o operations) foresee(
	_ context.Context, _ target, live *unstructured.Unstructured,
) (touched, *unstructured.Unstructured, error) {
	effect, err := o.patch.Evaluate(live)
	return effects(effect), nil, refusedBy(err)
}

func (o operations) send(
	ctx context.Context, t target, live *unstructured.Unstructured, dryRun bool,
) (*unstructured.Unstructured, error) {
	body, err := o.patch.Encode(live.GetUID(), live.GetResourceVersion())
	if err != nil {
		return nil, err
	}
	return t.sendJSON(ctx, body, dryRun)
}

func (operations) sees() bool { return false }

func (operations) touched(_ *unstructured.Unstructured, _ string, foreseen touched) (touched, error) {
	return foreseen, nil
}

func (operations) kept(t touched) ownership.Kept { return ownership.Kept{Updated: t.all()} }

// restoration sets the values again that a JSON patch has set, where they have drifted.
type restoration struct {
	wanted map[string]any
	fields touched
}

func (r restoration) foresee(
	context.Context, target, *unstructured.Unstructured,
) (touched, *unstructured.Unstructured, error) {
	return r.fields, nil, nil
}

func (r restoration) send(
	ctx context.Context, t target, live *unstructured.Unstructured, dryRun bool,
) (*unstructured.Unstructured, error) {
	body, err := mutation.Restore(live, r.wanted, r.fields.set, live.GetUID(), live.GetResourceVersion())
	if err != nil {
		return nil, refused("%s: %v.\nThe operation that set it cannot be carried out again. Change jsonPatch to what is there now.",
			t.ref, err)
	}
	if body == nil {
		return live, nil
	}
	return t.sendJSON(ctx, body, dryRun)
}

func (restoration) sees() bool { return false }

func (restoration) touched(_ *unstructured.Unstructured, _ string, foreseen touched) (touched, error) {
	return foreseen, nil
}

func (restoration) kept(t touched) ownership.Kept { return ownership.Kept{Updated: t.all()} }

// sendJSON sends a JSON patch under our field manager.
func (t target) sendJSON(ctx context.Context, body []byte, dryRun bool) (*unstructured.Unstructured, error) {
	return t.cluster.Patch(ctx, t.ref, body, cluster.PatchOptions{
		Type: types.JSONPatchType, FieldManager: t.manager, DryRun: dryRun,
	})
}
