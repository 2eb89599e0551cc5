package patch

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/mutation"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// merge is a JSON merge patch.
type merge struct {
	patch mutation.MergePatch
}

func newMerge(document any) (method, error) {
	patch, problems := mutation.ParseMergePatch(document)
	return merge{patch}, firstProblem(keyMergePatch, problems)
}

func (m merge) foresee(
	_ context.Context, _ target, live *unstructured.Unstructured,
) (touched, *unstructured.Unstructured, error) {
	effect, err := m.patch.Evaluate(live)
	return effects(effect), nil, refusedBy(err)
}

func (m merge) send(
	ctx context.Context, t target, live *unstructured.Unstructured, dryRun bool,
) (*unstructured.Unstructured, error) {
	body, err := m.patch.Encode(live.GetUID(), live.GetResourceVersion())
	if err != nil {
		return nil, err
	}
	return t.cluster.Patch(ctx, t.ref, body, cluster.PatchOptions{
		Type: types.MergePatchType, FieldManager: t.manager, DryRun: dryRun,
	})
}

func (merge) sees() bool { return false }

func (merge) touched(_ *unstructured.Unstructured, _ string, foreseen touched) (touched, error) {
	return foreseen, nil
}

func (merge) kept(t touched) ownership.Kept { return ownership.Kept{Updated: t.all()} }

// effects are the fields that an evaluation has touched.
func effects(effect mutation.Effect) touched {
	found := nothing()
	if effect.Set != nil {
		found.set = effect.Set
	}
	if effect.Removed != nil {
		found.removed = effect.Removed
	}
	if effect.Once != nil {
		found.once = effect.Once
	}
	for _, touch := range effect.Operations {
		path := touch.Path
		if touch.Once {
			path = nil
		}
		found.operations = append(found.operations, path)
	}
	return found
}

// refusedBy makes an evaluation that fails a refusal of our own: nothing was sent.
func refusedBy(err error) error {
	if operation := (*mutation.OperationError)(nil); errors.As(err, &operation) {
		return refused("%v.\nNothing was changed.", err)
	}
	return err
}

// firstProblem is for a patch that Check has passed and that is wrong all the same,
// because a value was not known then.
func firstProblem(input string, problems []mutation.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return refused("%s: %s", joinPath(input, problems[0].Path), problems[0].Reason)
}
