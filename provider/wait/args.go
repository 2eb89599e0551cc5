package wait

import (
	_ "embed"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// examples are what the registry and the packages of the languages show, each its own language.
//
//go:embed examples.md
var examples string

// Wait is the type that the Wait resource is inferred from.
type Wait struct{}

// Annotate describes the resource for the schema.
func (w *Wait) Annotate(a infer.Annotator) {
	a.SetToken("index", "Wait")
	a.Describe(&w, "Waits for something about a Kubernetes object, and never touches the object.\n\n"+
		"When the time is over, the update fails and what depends on the Wait is not made. The object stays as it is, and "+
		"the next `pulumi up` waits again, in place.\n\n"+
		"It waits again when the object that it refers to was changed by its own resource, when `waitFor` or `triggers` "+
		"changes, and when the object was recreated. A change by a controller does not make it wait again.\n\n"+examples)
}

// Args are the inputs of a Wait.
type Args struct {
	ResourceRef       *reference.ResourceRef        `pulumi:"resourceRef"`
	WaitFor           *waitfor.WaitFor              `pulumi:"waitFor"`
	ClusterConnection *connection.ClusterConnection `pulumi:"clusterConnection,optional" provider:"secret"`
	Triggers          []any                         `pulumi:"triggers,optional"`
}

// Annotate describes the inputs for the schema.
func (a *Args) Annotate(an infer.Annotator) {
	an.Describe(&a.ResourceRef, "The object: the output `resourceRef` of a KubeObject or a Patch, or `apiVersion`, `kind`, "+
		"`namespace` and `name` of any object. It need not exist yet. Another object replaces the Wait, which has no side effects.")
	an.Describe(&a.WaitFor, "What to wait for, and how long. A change waits again.")
	an.Describe(&a.ClusterConnection, "The cluster, in place of the provider's configuration as a whole. "+
		"Always secret, never part of an output. A change neither replaces the Wait nor makes it wait again.")
	an.Describe(&a.Triggers, "Any values. When one of them changes, the Wait waits again. Default: none.")
}

// State are the outputs of a Wait.
type State struct {
	Status any `pulumi:"status,optional"`
}

// Annotate describes the outputs for the schema.
func (s *State) Annotate(a infer.Annotator) {
	a.Describe(&s.Status, "The fields that are waited for with `field` and `fieldValue`, with the structure around them: "+
		"`status.status.loadBalancer.ingress[0].ip`. List items that a path names by their index keep it; items that it picks "+
		"by a filter or a wildcard stand one after the other. Null for the other forms. A refresh renews it. In the preview of a "+
		"create or an update it is unknown.")
}
