package object

import (
	"context"
	"errors"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracking"
)

// target is one object in one cluster, and who we are there.
type target struct {
	cluster *cluster.Cluster
	ref     cluster.Ref
	manager string
	// namespaceIgnored says that a namespace is named for a kind that has none.
	namespaceIgnored bool
}

// managerOf is the field manager of the resource urn.
func managerOf(urn resource.URN) string {
	return ownership.Manager(string(urn.Project()), string(urn.Stack()), urn.Name(), string(urn))
}

// managerFor is the field manager of a resource with a state. It stays what it was
// when the resource was created: a resource that was renamed by an alias goes on
// under its old name, or it would leave the fields of that behind.
func managerFor(urn resource.URN, old state) string {
	if old.manager != "" {
		return old.manager
	}
	return managerOf(urn)
}

// resolve finds out where the object with this identity lives. It asks the API
// server for the kinds of one group-version, once a process.
func resolve(ctx context.Context, clu *cluster.Cluster, id manifest.Identity, manager string) (target, error) {
	resolved, err := clu.Resolve(ctx, id.APIVersion, id.Kind, id.Namespace, id.Name)
	return targetAt(clu, resolved, manager), err
}

// find is resolve for an object that exists already. Where a version of an API is no
// longer served, its objects live on in the others.
func find(ctx context.Context, clu *cluster.Cluster, id manifest.Identity, manager string) (target, error) {
	resolved, err := clu.Find(ctx, id.APIVersion, id.Kind, id.Namespace, id.Name)
	return targetAt(clu, resolved, manager), err
}

func targetAt(clu *cluster.Cluster, resolved cluster.Resolved, manager string) target {
	return target{
		cluster: clu, ref: resolved.Ref, manager: manager, namespaceIgnored: resolved.NamespaceIgnored,
	}
}

// refOf names an object as it is written, for messages about one that cannot be
// resolved.
func refOf(id manifest.Identity) cluster.Ref {
	return cluster.Ref{APIVersion: id.APIVersion, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}
}

// object is the body of an apply: a manifest in the namespace it goes to.
func (t target) object(body map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: values.DeepCopy(body).(map[string]any)}
	object.SetNamespace(t.ref.Namespace)
	if isBare(body) {
		// Owning that there are labels, though none of them, writes nothing on the
		// object and keeps our field manager on it: without any field of its own the
		// object would not be recognised as ours after a lost reply.
		_ = unstructured.SetNestedMap(object.Object, map[string]any{}, "metadata", "labels")
	}
	return object
}

// identity is where the object is, with the namespace that it goes to.
func (t target) identity() manifest.Identity {
	return manifest.Identity{
		APIVersion: t.ref.APIVersion, Kind: t.ref.Kind, Namespace: t.ref.Namespace, Name: t.ref.Name,
	}
}

// explain turns an error of the API server into one for the user.
func (t target) explain(verb string, err error, in inputs) error {
	if refusal := (refusal{}); errors.As(err, &refusal) {
		return err
	}
	return failure.Explain(err, failure.Operation{
		Verb: verb, Subject: t.ref.String(), Server: t.cluster.Server(), Sensitive: in.sensitive(),
	})
}

// settle makes the state out of the API server's answer to an apply. It fails
// where the answer does not say what we own, which leaves the apply unconfirmed.
func (t target) settle(answer *unstructured.Unstructured, in inputs, hashKey string) (state, error) {
	fields, ok, err := ownership.Applied(answer, t.manager)
	if err != nil {
		return state{}, err
	}
	if !ok {
		return state{}, fmt.Errorf("%s: the API server's answer does not name %q among its field managers", t.ref, t.manager)
	}
	fields, ignored := in.ignore.Split(stored(answer, fields))
	owners, err := ownership.Owners(answer, fields, t.manager)
	if err != nil {
		return state{}, err
	}
	sum, err := tracking.Hash(hashKey, in.sent())
	if err != nil {
		return state{}, fmt.Errorf("manifest: %w", err)
	}
	s := state{
		live:      t.project(answer, fields, t.object(in.applied).Object),
		ownership: owners,
		ref:       objectRef{identity: t.identity(), uid: string(answer.GetUID()), revision: sum[:revisionLength]},
		manager:   t.manager,
		hash:      sum,
		hashKey:   hashKey,
		fields:    fields,
		ignored:   ignored,
	}
	s.secrets, s.namesSecret = tracking.SecretPlaces(s.live, fields, in.marked())
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
	projection["apiVersion"], projection["kind"] = t.ref.APIVersion, t.ref.Kind
	metadata, _ := projection["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		projection["metadata"] = metadata
	}
	metadata["name"] = t.ref.Name
	if t.ref.Namespace != "" {
		metadata["namespace"] = t.ref.Namespace
	}
	return projection
}

// unconfirmed is the state of an apply whose effect is not known.
func (t target) unconfirmed(uid, hashKey string) state {
	return state{
		live:    map[string]any{},
		ref:     objectRef{identity: t.identity(), uid: uid},
		manager: t.manager,
		hashKey: hashKey,
		pending: true,
	}
}

// pendingFailure is how the engine is told of an unconfirmed apply: the state is
// saved, the operation fails, and what depends on it is not created.
func pendingFailure(t target, cause error) (*p.InitializationFailed, error) {
	err := fmt.Errorf("%s: it is not known whether the API server applied the object.\n"+
		"Nothing needs to be repaired by hand: the state remembers it, and the next `pulumi up` continues in place.\n"+
		"Cause: %w", t.ref, cause)
	return &p.InitializationFailed{Reasons: []string{err.Error()}}, err
}

// unknownOutputs are the outputs of a preview that cannot ask the API server.
// The identity is shown as far as it is known; uid is empty for a new object.
func unknownOutputs(id manifest.Identity, complete bool, uid string) property.Map {
	ref := objectRef{identity: id, uid: uid}.encode()
	if uid == "" {
		ref["uid"] = property.New(property.Computed)
	}
	ref["revision"] = property.New(property.Computed)
	for _, key := range []string{"apiVersion", "kind", "namespace", "name"} {
		if v, ok := ref[key]; !complete && (!ok || v.AsString() == "") {
			ref[key] = property.New(property.Computed)
		}
	}
	return property.NewMap(map[string]property.Value{
		keyManifest:       property.New(property.Computed),
		keyFieldOwnership: property.New(property.Computed),
		keyResourceRef:    property.New(ref),
	})
}
