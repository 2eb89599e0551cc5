package sets

import (
	"context"
	"maps"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/raw"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// GuardToken is the type of the guard of a set that defines kinds. It is not in the schema: only a component makes one.
const GuardToken = "k8sconnect:index:ManifestsGuard"

// The inputs of a guard, which are its outputs, too.
const (
	keyDefinitions = "definitions"
	keyInstances   = "instances"
)

// Guard is deleted before the set. It refuses the deletion while objects of the defined kinds exist that are not in
// the set: without their operator, nothing would remove their finalizers, and without the rest of the set, they would be useless.
// The guard only makes the user find out early; whether a definition is deleted is decided by its own KubeObject. So if the guard
// cannot find out, it allows the deletion.
//
// The objects of these kinds that are in the set do not wait for the guard to be deleted, because the guard waits for the objects
// that their operator removes with them.
type Guard struct {
	raw.Resource[GuardArgs, GuardArgs]
}

// Annotate names the type.
func (g *Guard) Annotate(a infer.Annotator) { a.SetToken("index", "ManifestsGuard") }

// GuardArgs are the inputs of a guard.
type GuardArgs struct {
	// Definitions are the guarded definitions in the set.
	Definitions []map[string]string `pulumi:"definitions"`
	// Instances are the objects in the set that are of these kinds.
	Instances []map[string]string `pulumi:"instances"`
}

// definition is a CustomResourceDefinition, and the URN of its KubeObject.
type definition struct{ urn, name, group, version, resource, kind string }

// instance is an object of a defined kind. Without a namespace it is cluster-scoped, or in the default namespace.
type instance struct{ kind, namespace, name string }

// NewGuard returns the resource.
func NewGuard(source *connection.Source) infer.InferredResource {
	return &guard{remembering: remembering{InferredResource: infer.Resource(&Guard{}), keys: []string{keyDefinitions, keyInstances}}, source: source}
}

type guard struct {
	remembering

	source *connection.Source
}

// Delete fails while objects of the defined kinds exist that are not in the set.
func (g *guard) Delete(ctx context.Context, req p.DeleteRequest) error {
	clu, err := g.source.Cluster(req.OldInputs)
	if err != nil {
		return nil //nolint:nilerr // the objects say so
	}
	instances := instancesIn(req.OldInputs.Get(keyInstances), clu.Namespace())
	for _, d := range definitionsIn(req.OldInputs.Get(keyDefinitions)) {
		switch left, err := d.instances(ctx, clu, instances); {
		case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		case err != nil:
			return nil //nolint:nilerr // no answer came for half a minute, and none will come for the others
		case !left.None():
			return d.spared(req.Urn.Name(), left)
		}
	}
	return nil
}

// instances are the objects of a kind that would be lost with its definition and that still exist after half a minute. If the API
// server does not answer, the request is repeated for half a minute.
func (d definition) instances(ctx context.Context, clu *cluster.Cluster, own map[instance]bool) (tracked.Instances, error) {
	others := func(object metav1.PartialObjectMetadata) bool {
		return len(object.OwnerReferences) == 0 && !own[instance{kind: d.groupKind().String(), namespace: object.Namespace, name: object.Name}]
	}
	served := schema.GroupVersionResource{Group: d.group, Version: d.version, Resource: d.resource}
	await := func() (tracked.Instances, error) { return tracked.AwaitNoInstances(ctx, clu, served, d.kind, others) }
	left, err := tracked.ListInstances(ctx, clu, served, d.kind, others)
	if err != nil && !failure.Gone(err) {
		left, err = await()
	}
	switch {
	case failure.Gone(err): // the objects went with their definition
		return tracked.Instances{}, nil
	case err != nil:
		return left, err
	case left.None() || !d.isDeleted(ctx, clu):
		return tracked.Instances{}, nil
	}
	return await()
}

// isDeleted reports whether a definition will, or may, be deleted with the set.
func (d definition) isDeleted(ctx context.Context, clu *cluster.Cluster) bool {
	live, err := clu.Get(ctx, cluster.Ref{APIVersion: kinds.CustomResourceDefinition.Group + "/v1", Kind: kinds.CustomResourceDefinition.Kind, Name: d.name})
	if err != nil {
		return !failure.Gone(err)
	}
	return live.GetDeletionTimestamp() == nil && !manifest.SaysKeep(live.Object) &&
		tracked.KubeObjectOf(live, tracked.ManagerOf(resource.URN(d.urn))) == ""
}

// spared says why a set was not taken down.
func (d definition) spared(set string, left tracked.Instances) error {
	return failure.Errorf(failure.ReasonInstancesRemain, "%q was not taken down: %s of kind %s would be deleted with the definition of the kind, "+
		"and before that would lose what looks after them:\n  %s\n"+
		"Delete them first, while it still runs; or keep the definition, with the annotation `%s: keep`; or, if all objects of the kind may be "+
		"deleted with it, set `deleteInstances: true` in an override. Run `pulumi up` with either of the two, which saves it, before this command.",
		set, left, d.groupKind(), left.Named(), manifest.ResourcePolicy)
}

func (d definition) groupKind() schema.GroupKind {
	return schema.GroupKind{Group: d.group, Kind: d.kind}
}

func definitionsIn(v property.Value) (definitions []definition) {
	for _, item := range listOf(v) {
		text := func(name string) string { return values.Text(item.Get(name)) }
		definitions = append(definitions, definition{
			urn: text("urn"), name: text("name"), group: text("group"), version: text("version"), resource: text("resource"), kind: text("kind"),
		})
	}
	return definitions
}

// instancesIn are objects as they are in a cluster, including what their manifests leave out.
func instancesIn(v property.Value, defaultNamespace string) map[instance]bool {
	instances := map[instance]bool{}
	for _, item := range listOf(v) {
		text := func(name string) string { return values.Text(item.Get(name)) }
		named := instance{kind: text("kind"), namespace: text("namespace"), name: text("name")}
		instances[named] = true
		if named.namespace == "" {
			named.namespace = defaultNamespace
			instances[named] = true
		}
	}
	return instances
}

func listOf(v property.Value) (items []property.Map) {
	if !v.IsArray() {
		return nil
	}
	for _, item := range v.AsArray().All {
		if item.IsMap() {
			items = append(items, item.AsMap())
		}
	}
	return items
}

// guarded are the definitions that a guard guards, by their keys, and the objects of their kinds, by their keys. If the set has
// nothing else, it needs no guard: a definition checks for itself.
func (s *Set) guarded() (definitions map[string]definition, instances map[string]instance) {
	definitions, instances = map[string]definition{}, map[string]instance{}
	guardedKinds := map[schema.GroupKind]bool{}
	for _, o := range s.Objects {
		kind, _, ok := manifest.Defined(o.Manifest)
		served, isServed := manifest.ResourceOf(o.Manifest)
		if !ok || !isServed || o.Retained || manifest.SaysKeep(o.Manifest) || values.Flag(o.Options[keyDeleteInstances]) {
			continue
		}
		guardedKinds[kind] = true
		definitions[o.Key] = definition{
			name: manifest.IdentityOf(o.Manifest).Name, group: kind.Group, version: served.Version, resource: served.Resource, kind: kind.Kind,
		}
	}
	alone := true
	for _, o := range s.Objects {
		id := manifest.IdentityOf(o.Manifest)
		if guardedKinds[id.GroupKind()] {
			instances[o.Key] = instance{kind: id.GroupKind().String(), namespace: id.Namespace, name: id.Name}
		} else if _, _, defines := manifest.Defined(o.Manifest); !defines {
			alone = false
		}
	}
	if alone {
		return nil, nil
	}
	return definitions, instances
}

// registerGuard registers the guard of a set that defines kinds. The guard comes after all objects except the objects of these
// kinds and the objects that come after those, and so it is deleted before all the rest.
func (r *Registration) registerGuard() error {
	if len(r.leftOut) == 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(r.registered)), isDefinition) {
		return nil
	}
	definitions, instances := r.guarded()
	listed, own := pulumi.Array{}, pulumi.Array{}
	for _, key := range slices.Sorted(maps.Keys(definitions)) {
		d := definitions[key]
		listed = append(listed, pulumi.Map{
			"urn": r.registered[key].URN(), "name": pulumi.String(d.name), "group": pulumi.String(d.group), "version": pulumi.String(d.version),
			"resource": pulumi.String(d.resource), "kind": pulumi.String(d.kind),
		})
	}
	for _, key := range slices.Sorted(maps.Keys(instances)) {
		i := instances[key]
		own = append(own, pulumi.StringMap{"kind": pulumi.String(i.kind), "namespace": pulumi.String(i.namespace), "name": pulumi.String(i.name)})
	}
	inputs := r.Connected(pulumi.Map{keyDefinitions: listed, keyInstances: own})
	if r.Incomplete {
		inputs = r.Connected(pulumi.Map{keyDefinitions: pulumi.UnsafeUnknownOutput(nil), keyInstances: pulumi.UnsafeUnknownOutput(nil)})
	}
	var after []pulumi.Resource
	if len(definitions) > 0 || r.Incomplete {
		comesAfter := r.comesAfterOne(instances)
		for _, key := range slices.Sorted(maps.Keys(r.registered)) {
			if !comesAfter(key) {
				after = append(after, r.registered[key])
			}
		}
	}
	r.guard = &pulumi.CustomResourceState{}
	return r.register(GuardToken, r.parent.Name(), inputs, r.guard, r.internal(pulumi.DependsOn(after))...)
}

// comesAfterOne reports whether an object is one of these instances or comes after one, for any reason: in that case it is deleted
// before the instance.
func (r *Registration) comesAfterOne(instances map[string]instance) func(key string) bool {
	known := map[string]bool{}
	var comesAfter func(key string) bool
	comesAfter = func(key string) bool {
		if after, is := known[key]; is {
			return after
		}
		_, is := instances[key]
		known[key] = is // for an object that comes after itself
		for _, edge := range r.Graph.After(key) {
			is = comesAfter(edge.After) || is
		}
		known[key] = is
		return is
	}
	return comesAfter
}
