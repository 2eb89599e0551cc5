package patch

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// probe is the field manager of dry-runs. Under our own name, the API server would delete what the patch no longer
// names, and would refuse the dry-run if that is required. In the real run, such fields are released first and stay.
// Nothing is ever written under this name.
const probe = ownership.PatchManagerPrefix + "preview"

// ssaPatch is a patch by server-side apply.
type ssaPatch struct {
	body map[string]any
}

func (a ssaPatch) predict(
	ctx context.Context, t target, live *unstructured.Unstructured,
) (patchedFields, *unstructured.Unstructured, error) {
	answer, err := a.try(ctx, t, live)
	if err != nil {
		return nothing(), nil, err
	}
	found, err := a.touched(answer, probe, nothing())
	return found, answer, err
}

func (a ssaPatch) send(ctx context.Context, t target, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return a.apply(ctx, t, live, cluster.ApplyOptions{FieldManager: t.Manager})
}

func (a ssaPatch) try(ctx context.Context, t target, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return a.apply(ctx, t, live, cluster.ApplyOptions{FieldManager: probe, DryRun: true})
}

// apply applies the patch by force to live, and to no other state of the object.
func (a ssaPatch) apply(
	ctx context.Context, t target, live *unstructured.Unstructured, options cluster.ApplyOptions,
) (*unstructured.Unstructured, error) {
	options.Force, options.UID = true, live.GetUID()
	object := a.object(t)
	guarded := object.DeepCopy()
	guarded.SetResourceVersion(live.GetResourceVersion())
	result, err := t.Cluster.Apply(ctx, guarded, options)
	if err != nil {
		return nil, t.Diagnose(ctx, object, err)
	}
	return result.Object, nil
}

// object is the body of the apply.
func (a ssaPatch) object(t target) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: values.DeepCopy(a.body).(map[string]any)}
	object.SetAPIVersion(t.Ref.APIVersion)
	object.SetKind(t.Ref.Kind)
	object.SetNamespace(t.Ref.Namespace)
	object.SetName(t.Ref.Name)
	return object
}

func (ssaPatch) reportsFields() bool { return true }

func (a ssaPatch) touched(answer *unstructured.Unstructured, manager string, _ patchedFields) (patchedFields, error) {
	applied, ok, err := ownership.Applied(answer, manager)
	if err != nil {
		return nothing(), err
	}
	if !ok {
		return nothing(), failure.Errorf(failure.ReasonManagedFieldsMissing, "the API server's answer does not name %q among its field managers", manager)
	}
	found := nothing()
	found.dropped = ownership.Dropped(answer.Object, ownership.In(a.body), applied)
	applied.Iterate(func(path fieldpath.Path) {
		// The API server did not keep the others (dropped or empty), so there is nothing to watch.
		if _, _, ok := ownership.Locate(answer.Object, path); ok {
			found.set.Insert(path.Copy())
		}
	})
	return found, nil
}

func (ssaPatch) kept(t patchedFields) ownership.Kept { return ownership.Kept{Applied: t.set} }
