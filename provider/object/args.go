package object

import (
	_ "embed"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
)

// examples are what the registry and the packages of the languages show, each its own language.
//
//go:embed examples.md
var examples string

// Object is the type that the KubeObject resource is inferred from.
type Object struct{}

// Annotate describes the resource for the schema.
func (o *Object) Annotate(a infer.Annotator) {
	a.SetToken("index", "KubeObject")
	a.Describe(&o, "Any Kubernetes object, applied by server-side apply.\n\n"+
		"The resource owns exactly the fields that its manifest sets. It finds drift in those fields and in no "+
		"others, and puts it right. Defaults, allocated values and fields of other managers are left alone.\n\n"+
		"Nothing is destroyed to retry: when an apply fails half-way or its reply is lost, the update fails, the "+
		"state remembers, and the next `pulumi up` continues in place.\n\n"+
		"An apply waits for nothing, a Wait does. A deletion waits until the object is gone: by default 15 minutes for Namespace and "+
		"CustomResourceDefinition, 10 for PersistentVolume and PersistentVolumeClaim, 8 for StatefulSet, Job and CronJob, and else 5, "+
		"or as long as `customTimeouts` say.\n\n"+
		"An object with the annotation `helm.sh/resource-policy: keep` is never deleted: when its resource goes, its fields are "+
		"released and it stays, with a warning. A change that would replace it under its own name is refused.\n\n"+
		"How things are done is no part of the object: a change of `adopt`, `conflictPolicy`, `onImmutable`, `deletionPropagation`, "+
		"`forceDestroy` or `deleteInstances` alone is no difference. `pulumi up` saves it, and a destroy goes by what was saved last.\n\n"+
		"An existing object is imported by its ID, `apiVersion/kind/namespace/name` or, for cluster-scoped "+
		"objects, `apiVersion/kind/name`:\n\n"+
		"```sh\n"+
		"pulumi import k8sconnect:index:KubeObject web apps/v1/Deployment/prod/web\n"+
		"```\n\n"+examples)
}

// Args are the inputs of a KubeObject.
type Args struct {
	Manifest            any                           `pulumi:"manifest,optional"`
	YAML                *string                       `pulumi:"yaml,optional"`
	ClusterConnection   *connection.ClusterConnection `pulumi:"clusterConnection,optional" provider:"secret"`
	IgnoreFields        []string                      `pulumi:"ignoreFields,optional"`
	ConflictPolicy      *ConflictPolicy               `pulumi:"conflictPolicy,optional"`
	Adopt               *bool                         `pulumi:"adopt,optional"`
	OnImmutable         *OnImmutable                  `pulumi:"onImmutable,optional"`
	DeletionPropagation *DeletionPropagation          `pulumi:"deletionPropagation,optional"`
	ForceDestroy        *bool                         `pulumi:"forceDestroy,optional"`
	TakeOverFrom        []string                      `pulumi:"takeOverFrom,optional"`
	DeleteInstances     *bool                         `pulumi:"deleteInstances,optional"`
}

// Annotate describes the inputs for the schema.
func (a *Args) Annotate(an infer.Annotator) {
	an.Describe(&a.Manifest, "The object as a Kubernetes manifest: apiVersion, kind, metadata with a name, and what else the "+
		"kind has, spelled as there. Members that are null, the status, and metadata that the API server owns are dropped. "+
		"Exactly one of `manifest` and `yaml` is given. Changing the kind, the API group, the name or the namespace replaces "+
		"the object; changing only the version does not.")
	an.Describe(&a.YAML, "The object as YAML or JSON text, one document. It is turned into `manifest`, so comments, "+
		"formatting and the order of keys are never a difference.")
	an.Describe(&a.ClusterConnection, "The cluster, in place of the provider's configuration as a whole. "+
		"Always secret, never part of an output. A change replaces the object only if its manifest names no namespace and "+
		"the connection's default namespace is another one.")
	an.Describe(&a.IgnoreFields, "Fields that others manage, such as `spec.replicas` under a HorizontalPodAutoscaler. "+
		"They are sent when the object is created, as its initial values, and afterwards neither sent nor compared. "+
		"A path covers everything below it: `spec.replicas`, `metadata.annotations[\"a.b/c\"]`, "+
		"`spec.template.spec.containers[name=web].env[name=X].value`, `spec.template.spec.containers[*].image`, "+
		"or in JSONPath `spec.template.spec.containers[?(@.name=='web')].image`. Default: none.")
	an.Describe(&a.ConflictPolicy, "What happens where another manager owns a field and this manifest sets another "+
		"value: `force` takes the field over, and the preview warns; `fail` refuses the update and "+
		"lists each field, its owner and both values. Default: the provider's `conflictPolicy`, else `force`.")
	an.Describe(&a.Adopt, "Take over an object that exists already. Without it, an object in the way is an error. "+
		"An object of another resource of this provider is not taken unless `takeOverFrom` names it. It counts only when the resource has no object yet, or when "+
		"another one was made in its place. Default: false.")
	an.Describe(&a.OnImmutable, "What happens when a change cannot be made on an existing object, which the API server "+
		"has to prove: `replace` deletes the object and creates it again, `fail` refuses the update. Default: `replace`, but `fail` for "+
		"PersistentVolumeClaim, PersistentVolume, StatefulSet, Namespace and CustomResourceDefinition, which hold data, and for all "+
		"custom kinds, which may. A change that only contradicts a default or another manager's field never replaces the object.")
	an.Describe(&a.DeletionPropagation, "What happens to objects that this one owns when it is deleted: `Foreground` "+
		"deletes them first and waits, `Background` deletes them later, `Orphan` keeps them. Default: `Foreground`, "+
		"but `Background` for built-in kinds that own nothing, such as ConfigMap and Secret.")
	an.Describe(&a.ForceDestroy, "When the deletion times out, remove the finalizers that hold the object, with a "+
		"warning that lists them. What the finalizers protect may be left behind. Set it and run `pulumi up` before the "+
		"`pulumi destroy` that is to do it. The finalizer `customresourcecleanup.apiextensions.k8s.io` of a "+
		"CustomResourceDefinition is never removed: the objects that it still has to delete would come back with the next "+
		"definition of that name. Default: false.")
	an.Describe(&a.TakeOverFrom, "Take over what these field managers own of the object: what they own of the fields that the manifest sets, "+
		"or has set, becomes this resource's with the next update, so that a field which leaves the manifest later leaves the object, too, and one that left it before and stayed goes now. "+
		"What they alone own beside that stays theirs; the preview lists both. It is done once for each change of this input: a manager that comes back is a "+
		"warning. Names are those in the object's `metadata.managedFields`, such as `helm`, or patterns with "+
		"`*`; `kubectl` stands for all of its commands (`kubectl-client-side-apply`, `kubectl-edit` and so on). A KubeObject of another stack "+
		"has to be named for its object to be written at all, as its error says it: `k8sconnect-shop.dev.web-0a1b2c3d`, or "+
		"`k8sconnect-shop.dev.*` for a whole stack; a `*` alone never means one. The other stack cannot write the object from then on, and its "+
		"`pulumi destroy` leaves the object alone. Patches are never taken over. Default: none.")
	an.Describe(&a.DeleteInstances, "Delete a CustomResourceDefinition even if custom objects go with it. The API server "+
		"deletes all objects of a kind with its definition, whoever made them. Without this input, the deletion of a "+
		"definition fails while there are objects of its kind, in any namespace, that are not being deleted already and have "+
		"no owner reference; objects that are deleted in the same run are waited for, up to 30 seconds. The error counts "+
		"them and names the first ten. It fails as well where they cannot be listed. Set it and run `pulumi up` before the "+
		"`pulumi destroy` that is to do it. Only for manifests of kind CustomResourceDefinition. Default: false.")
}

// State are the outputs of a KubeObject.
type State struct {
	Manifest       any                    `pulumi:"manifest,optional"`
	FieldOwnership map[string]string      `pulumi:"fieldOwnership,optional"`
	ResourceRef    *reference.ResourceRef `pulumi:"resourceRef,optional"`
}

// Annotate describes the outputs for the schema.
func (s *State) Annotate(a infer.Annotator) {
	a.Describe(&s.Manifest, "Exactly the fields that this resource applied, with their live values. What is secret in the input, and "+
		"what a Secret holds, is secret here too.")
	a.Describe(&s.FieldOwnership, "Who owns the fields that the manifest sets: the path of a field, such as `spec.replicas` or "+
		"`spec.template.spec.containers[name=web].image`, and the name of its field manager. A path stands for everything below "+
		"it that the manifest sets, so an object that nobody else has changed has few entries.")
	a.Describe(&s.ResourceRef, "Points at the object. In the preview of a create, `uid` and `revision` are unknown; programs in "+
		"TypeScript and Python can use the other members, for those in Go, Java and YAML all of it is unknown then.")
}
