package object

import (
	"context"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// target is the object that the resource applies.
type target struct{ tracked.Target }

// managerOf is the field manager of the resource urn.
func managerOf(urn resource.URN) string {
	return ownership.Manager(string(urn.Project()), string(urn.Stack()), urn.Name(), string(urn))
}

// resolve finds out where the object with this identity goes.
func resolve(ctx context.Context, clu *cluster.Cluster, id manifest.Identity, manager string) (target, error) {
	t, err := tracked.Resolve(ctx, clu, id, manager)
	return target{t}, err
}

// look reads the object with this identity once.
func look(
	ctx context.Context, source *connection.Source, in property.Map, id manifest.Identity, manager string,
) (target, *unstructured.Unstructured, error) {
	t, live, err := tracked.Look(ctx, source, in, id, manager)
	return target{t}, live, err
}

// object is the body of an apply: a manifest in the namespace it goes to.
func (t target) object(body map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: values.DeepCopy(body).(map[string]any)}
	object.SetNamespace(t.Ref.Namespace)
	if isBare(body) {
		// Owning that there are labels, though none of them, writes nothing on the
		// object and keeps our field manager on it: without any field of its own the
		// object would not be recognised as ours after a lost reply.
		_ = unstructured.SetNestedMap(object.Object, map[string]any{}, "metadata", "labels")
	}
	return object
}

// explain turns an error of the API server into one for the user.
func (t target) explain(verb string, err error, in inputs) error {
	return t.Explain(verb, err, in.sensitive())
}

// settle makes the state out of the API server's answer to an apply. It fails
// where the answer does not say what we own, which leaves the apply unconfirmed.
func (t target) settle(answer *unstructured.Unstructured, in inputs, hashKey string) (state, error) {
	fields, ok, err := ownership.Applied(answer, t.Manager)
	if err != nil {
		return state{}, err
	}
	if !ok {
		return state{}, failure.Errorf(failure.ReasonManagedFieldsMissing, "%s: the API server's answer does not name %q among its field managers", t.Ref, t.Manager)
	}
	fields, ignored := in.ignore.Split(stored(answer, fields))
	owners, err := ownership.Owners(answer, fields, t.Manager, t.Also)
	if err != nil {
		return state{}, err
	}
	sum, err := tracked.Hash(hashKey, in.sent())
	if err != nil {
		return state{}, fmt.Errorf("manifest: %w", err)
	}
	s := state{State: tracked.State{
		Live:      t.project(answer, fields, t.object(in.applied).Object),
		Ownership: owners,
		Ref:       reference.Object{Identity: t.Identity(), UID: string(answer.GetUID()), Revision: tracked.RevisionOf(sum, "")},
		Manager:   t.Manager,
		Foreign:   tracked.KubeObjectOf(answer, t.Own()...),
		Hash:      sum,
		HashKey:   hashKey,
	}, fields: fields, ignored: ignored, takenOver: in.takeOver.String(), kept: saysKeep(answer.Object)}
	s.Secrets, s.NamesSecret = tracked.SecretPlaces(s.Live, fields, in.marked())
	s.ignoredSecret = in.namesSecret(ignored)
	return s, nil
}

// stored leaves out the fields of which the answer has nothing. They are empty maps
// that the API server does not keep. Whoever fills one later changes nothing of ours.
func stored(answer *unstructured.Unstructured, fields *fieldpath.Set) *fieldpath.Set {
	missing := fieldpath.NewSet()
	fields.Leaves().Iterate(func(path fieldpath.Path) {
		if _, _, ok := ownership.Locate(answer.Object, path); !ok {
			missing.Insert(path.Copy())
		}
	})
	return fields.Difference(missing)
}

// project cuts the live object down to fields and adds its identity, which the
// API server leaves out of all field sets.
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

// unconfirmed is the state of an apply whose effect is not known.
func (t target) unconfirmed(uid, hashKey string) state {
	return state{State: tracked.State{
		Live:    map[string]any{},
		Ref:     reference.Object{Identity: t.Identity(), UID: uid},
		Manager: t.Manager,
		HashKey: hashKey,
		Pending: true,
	}}
}

// pendingFailure is how the engine is told of an unconfirmed apply: the state is
// saved, the operation fails, and what depends on it is not created.
func pendingFailure(t target, cause error) (*p.InitializationFailed, error) {
	return tracked.Unfinished(failure.Errorf(failure.ReasonNotConfirmed, "%s: it is not known whether the API server applied the object.\n"+
		"Nothing needs to be repaired by hand: the state remembers it, and the next `pulumi up` continues in place.\n"+
		"Cause: %w", t.Ref, cause))
}

// unknownOutputs are the outputs of a preview that cannot ask the API server.
// The identity is shown as far as it is known; uid is empty for a new object.
func unknownOutputs(id manifest.Identity, complete bool, uid string) property.Map {
	unknown := property.New(property.Computed)
	ref := reference.Object{Identity: id, UID: uid}.Encode().AsMap().Set("revision", unknown)
	if uid == "" {
		ref = ref.Set("uid", unknown)
	}
	for _, key := range []string{"apiVersion", "kind", "namespace", "name"} {
		if !complete && ref.Get(key).IsNull() {
			ref = ref.Set(key, unknown)
		}
	}
	return property.NewMap(map[string]property.Value{
		keyManifest:               unknown,
		tracked.KeyFieldOwnership: unknown,
		tracked.KeyResourceRef:    property.New(ref),
	})
}
