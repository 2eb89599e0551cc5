package object

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
)

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
		"An existing object is imported by its ID, `apiVersion/kind/namespace/name` or, for cluster-scoped "+
		"objects, `apiVersion/kind/name`:\n\n"+
		"```sh\n"+
		"pulumi import k8sconnect:index:KubeObject web apps/v1/Deployment/prod/web\n"+
		"```\n")
}

// Args are the inputs of a KubeObject.
type Args struct {
	Manifest            any                           `pulumi:"manifest,optional"`
	YAML                *string                       `pulumi:"yaml,optional"`
	ClusterConnection   *connection.ClusterConnection `pulumi:"clusterConnection,optional" provider:"secret"`
	DeletionPropagation *string                       `pulumi:"deletionPropagation,optional"`
}

// Annotate describes the inputs for the schema.
func (a *Args) Annotate(an infer.Annotator) {
	an.Describe(&a.Manifest, "The object, as in a Kubernetes manifest: `apiVersion`, `kind`, `metadata` with a "+
		"`name`, and what else the kind has. `null` members, `status` and metadata that the API server owns are "+
		"dropped. Exactly one of `manifest` and `yaml` is given. Changing the kind, the API group, the name or the "+
		"namespace replaces the object; changing only the version does not.")
	an.Describe(&a.YAML, "The object as YAML or JSON text, one document. It is turned into `manifest`, so comments, "+
		"formatting and the order of keys are never a difference.")
	an.Describe(&a.ClusterConnection, "The cluster, in place of the provider's configuration as a whole. "+
		"Always secret, never part of an output.")
	an.Describe(&a.DeletionPropagation, "What happens to objects that this one owns when it is deleted: `Foreground` "+
		"deletes them first and waits, `Background` deletes them later, `Orphan` keeps them. Default `Foreground`, "+
		"but `Background` for built-in kinds that own nothing, such as ConfigMap and Secret.")
}

// State are the outputs of a KubeObject.
type State struct {
	Manifest       any                    `pulumi:"manifest,optional"`
	FieldOwnership map[string]string      `pulumi:"fieldOwnership,optional"`
	ResourceRef    *reference.ResourceRef `pulumi:"resourceRef,optional"`
}

// Annotate describes the outputs for the schema.
func (s *State) Annotate(a infer.Annotator) {
	a.Describe(&s.Manifest, "Exactly the fields that this resource applied, with their live values.")
	a.Describe(&s.FieldOwnership, "Who owns each field that the manifest sets: the path of the field, such as "+
		"`spec.template.spec.containers[name=web].image`, and the name of its field manager.")
	a.Describe(&s.ResourceRef, "Points at the object. Everything but `uid` and `revision` is known at preview.")
}
