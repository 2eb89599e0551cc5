package object

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// newState builds the state from the API server's answer to an apply. It fails if the answer does not say what we
// own, which leaves the apply unconfirmed.
func (t target) newState(answer *unstructured.Unstructured, in inputs, hashKey string) (state, error) {
	fields, ok, err := ownership.Applied(answer, t.Manager)
	if err != nil {
		return state{}, err
	}
	if !ok {
		return state{}, failure.Errorf(failure.ReasonManagedFieldsMissing, "%s: the API server's answer does not name %q among its field managers", t.Ref, t.Manager)
	}
	dropped, _ := in.named.Split(ownership.Dropped(answer.Object, ownership.In(in.applied), fields))
	ours, ignored := in.named.Split(fields)
	absent := ownership.OnlyAbsent(answer.Object, ours)
	fields = unionOf(stored(answer, ours), in.theirs)
	owners, err := ownership.Owners(answer, fields, t.Manager, t.Also)
	if err != nil {
		return state{}, err
	}
	sum, err := tracked.Hash(hashKey, in.asked())
	if err != nil {
		return state{}, fmt.Errorf("manifest: %w", err)
	}
	s := state{State: tracked.State{
		Live:      asApplied(t.project(answer, fields, t.object(in.applied).Object), in.theirs, in.applied),
		Ownership: owners,
		Ref:       reference.Object{Identity: t.Identity(), UID: string(answer.GetUID()), Revision: tracked.RevisionOf(sum, "")},
		Manager:   t.Manager,
		Foreign:   tracked.KubeObjectOf(answer, t.Own()...),
		Hash:      sum,
		HashKey:   hashKey,
		WrittenAt: ownership.WrittenAt(answer, t.Manager),
	}, fields: fields, ignored: ignored, dropped: dropped, absent: absent,
		takenOver: in.takeOver.String(), kept: manifest.SaysKeep(answer.Object), job: shortLivedOf(answer, in.applied)}
	s.Secrets, s.NamesSecret = tracked.SecretPlaces(s.Live, fields, in.marked())
	s.ignoredSecret = in.namesSecret(ignored)
	return s, nil
}

// stored returns fields without those that are missing from the answer. The API server has dropped these, or they are
// empty maps, which it does not keep. If someone fills such a map later, nothing of ours changes.
func stored(answer *unstructured.Unstructured, fields *fieldpath.Set) *fieldpath.Set {
	missing := fieldpath.NewSet()
	fields.Leaves().Iterate(func(path fieldpath.Path) {
		if _, _, ok := ownership.Locate(answer.Object, path); !ok {
			missing.Insert(path.Copy())
		}
	})
	return fields.Difference(missing)
}

// project reduces the live object to the given fields and adds its identity, which the API server leaves out of all
// field sets.
func (t target) project(live *unstructured.Unstructured, fields *fieldpath.Set, template map[string]any) map[string]any {
	projection := ownership.Project(live.Object, fields, template)
	projection["apiVersion"], projection["kind"] = t.Ref.APIVersion, t.Ref.Kind
	metadata, _ := projection["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		projection["metadata"] = metadata
	}
	metadata["name"] = t.Ref.Name
	if t.Ref.Namespace != "" {
		metadata["namespace"] = t.Ref.Namespace
	}
	return projection
}

// apply sends the object under our field manager.
func (t target) apply(
	ctx context.Context, body map[string]any, options cluster.ApplyOptions,
) (*unstructured.Unstructured, error) {
	options.FieldManager = t.Manager
	object := t.object(body)
	result, err := t.Cluster.Apply(ctx, object, options)
	if err != nil {
		return nil, t.Diagnose(ctx, object, err)
	}
	return result.Object, nil
}

// object builds the body of an apply: a manifest in its namespace.
func (t target) object(body map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: values.DeepCopy(body).(map[string]any)}
	object.SetNamespace(t.Ref.Namespace)
	if isBare(body) {
		// Owning metadata.labels, but none of the labels, writes nothing to the object and keeps our field manager on
		// it: without any field of its own, the object would not be recognised as ours after a lost reply.
		_ = unstructured.SetNestedMap(object.Object, map[string]any{}, "metadata", "labels")
	}
	return object
}
