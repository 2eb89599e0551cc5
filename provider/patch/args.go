package patch

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

// Patch is the type that the Patch resource is inferred from.
type Patch struct{}

// Annotate describes the resource for the schema.
func (p *Patch) Annotate(a infer.Annotator) {
	a.SetToken("index", "Patch")
	a.Describe(&p, "Changes a few fields of a Kubernetes object that others manage, and hands them back.\n\n"+
		"The object must exist; a Patch never creates one, and never deletes one. It takes the fields that it names from "+
		"whoever owns them, finds drift in those fields and in no others, and puts it right.\n\n"+
		"When a Patch is destroyed, or no longer names a field, the field keeps its value and belongs to nobody: whoever "+
		"owned it can apply it again without a conflict. With `onDestroy: remove`, a destroy removes what the Patch has added.\n\n"+
		"An object that is managed by a KubeObject cannot be patched: change its manifest instead.\n\n"+examples)
}

// Target names the object to patch.
type Target struct {
	APIVersion string  `pulumi:"apiVersion"`
	Kind       string  `pulumi:"kind"`
	Namespace  *string `pulumi:"namespace,optional"`
	Name       string  `pulumi:"name"`
}

// Annotate describes the type for the schema.
func (t *Target) Annotate(a infer.Annotator) {
	a.SetToken("index", "PatchTarget")
	a.Describe(&t, "Names the object that a Patch changes.")
	a.Describe(&t.APIVersion, "The group and version, such as `apps/v1` or `v1`.")
	a.Describe(&t.Kind, "The kind, such as `DaemonSet`.")
	a.Describe(&t.Namespace, "The namespace. Default: that of the provider or of the kubeconfig's context, else `default`. "+
		"Has no meaning for cluster-scoped kinds.")
	a.Describe(&t.Name, "The name.")
}

// OnDestroy is what a destroy does with what a Patch has added.
type OnDestroy string

// Annotate names the type for the schema.
func (o *OnDestroy) Annotate(a infer.Annotator) { a.SetToken("index", "OnDestroy") }

// Values lists the words for the schema and for Check.
func (OnDestroy) Values() []infer.EnumValue[OnDestroy] {
	return []infer.EnumValue[OnDestroy]{
		{Name: "Leave", Value: destroyLeaves, Description: "All values stay in the object, and the Patch no longer owns them. This is the default."},
		{Name: "Remove", Value: destroyRemoves, Description: "What this Patch has added goes."},
	}
}

// Args are the inputs of a Patch.
type Args struct {
	Target            *Target                       `pulumi:"target"`
	Patch             any                           `pulumi:"patch,optional"`
	JSONPatch         any                           `pulumi:"jsonPatch,optional"`
	MergePatch        any                           `pulumi:"mergePatch,optional"`
	TakeOwnership     bool                          `pulumi:"takeOwnership"`
	TakeOverFrom      []string                      `pulumi:"takeOverFrom,optional"`
	ClusterConnection *connection.ClusterConnection `pulumi:"clusterConnection,optional" provider:"secret"`
	WaitFor           *waitfor.WaitFor              `pulumi:"waitFor,optional"`
	OnDestroy         *OnDestroy                    `pulumi:"onDestroy,optional"`
}

// Annotate describes the inputs for the schema.
func (a *Args) Annotate(an infer.Annotator) {
	an.Describe(&a.Target, "The object to patch. It must exist. Another object replaces the Patch: the fields of the old one are "+
		"handed back, and stay as they are. A new version of the same API group is the same object.")
	an.Describe(&a.Patch, "The fields to set, in the structure of the object, as a value or as YAML or JSON text. Items of keyed "+
		"lists are merged by their keys: a container is found by its `name`, and only what is named in it is set. It is sent "+
		"by server-side apply. It cannot remove anything. Names are spelled as in Kubernetes. Exactly one of `patch`, `jsonPatch` and `mergePatch` is given.")
	an.Describe(&a.JSONPatch, "A JSON patch (RFC 6902): a list of operations `{op, path, value, from}`, as a value or as YAML or "+
		"JSON text. Operations that cannot be repeated (`remove`, `move`, `copy`, and `add` to a list) are carried out once for "+
		"every change of the patch; what the others set is watched for drift. An item that `add` has put into a list is added again "+
		"if it is gone and the tests of the patch hold. A `test` that fails refuses the whole patch.")
	an.Describe(&a.MergePatch, "A JSON merge patch (RFC 7386), as a value or as YAML or JSON text: the fields to set, in the "+
		"structure of the object. `null` removes a field. Lists are replaced as a whole. Programs in YAML and Go lose `null` on "+
		"the way: there, give a patch with `null` as text.")
	an.Describe(&a.TakeOverFrom, "Take the target over from these KubeObjects, which no program has any more: one whose resource was removed "+
		"with `retainOnDelete` leaves its field manager on the object, and a Patch of it is refused unless that is named here, as the error says it: "+
		"`k8sconnect-shop.dev.web-0a1b2c3d`, or `k8sconnect-shop.dev.*` for a whole stack. Nothing but the name of the field manager changes on the "+
		"object. Take the KubeObject out of its program first: else its next update takes the fields back. From all other managers a Patch takes its fields "+
		"without being told. Default: none.")
	an.Describe(&a.TakeOwnership, "Must be `true`. A Patch always takes its fields from their owners, who may take them back. "+
		"Say that you know. There is no default.")
	an.Describe(&a.ClusterConnection, "The cluster, in place of the provider's configuration as a whole. "+
		"Always secret, never part of an output. A change replaces the Patch only if `target` names no namespace and the "+
		"connection's default namespace is another one.")
	an.Describe(&a.WaitFor, "What to wait for after the object was patched. If it does not come true in time, the update fails, "+
		"what depends on the Patch is not made, and the next `pulumi up` waits again without patching again. Default: nothing.")
	an.Describe(&a.OnDestroy, "What becomes of the values when the Patch is destroyed, or replaced because `target` names another object. "+
		"`leave`: all values stay in the object, and the Patch no longer owns them. `remove`: what this Patch has added goes, such as a container, "+
		"a variable, a label or an item of a list that was not there before. A value stays if it was there before the Patch, if others own it or "+
		"a part of it by now, or if it has been changed since; a warning names what stays, and why. What a state of an earlier version of the "+
		"provider does not know to be added stays, too. A change of this input writes nothing to the object. Default: `leave`.")
}

// State are the outputs of a Patch.
type State struct {
	ManagedFields  any                    `pulumi:"managedFields,optional"`
	FieldOwnership map[string]string      `pulumi:"fieldOwnership,optional"`
	PreviousOwners map[string]string      `pulumi:"previousOwners,optional"`
	ResourceRef    *reference.ResourceRef `pulumi:"resourceRef,optional"`
	Patch          any                    `pulumi:"patch,optional"`
	JSONPatch      any                    `pulumi:"jsonPatch,optional"`
	MergePatch     any                    `pulumi:"mergePatch,optional"`
}

// Annotate describes the outputs for the schema.
func (s *State) Annotate(a infer.Annotator) {
	a.Describe(&s.ManagedFields, "Exactly the patched fields, with their live values, in the structure of the object. "+
		"Items of keyed lists have their keys with them.")
	a.Describe(&s.FieldOwnership, "Who owns each patched field now: the path of the field, such as "+
		"`spec.template.spec.containers[name=aws-node].env[name=HTTP_PROXY].value`, and the name of its field manager.")
	a.Describe(&s.PreviousOwners, "Who owned each patched field before the Patch last took it, as in `fieldOwnership`. Several owners "+
		"are separated by commas. Fields that nobody owned are not in it.")
	a.Describe(&s.ResourceRef, "Points at the object. `revision` changes when this Patch changes the object.")
	a.Describe(&s.Patch, "The input `patch` with the live values.")
	a.Describe(&s.JSONPatch, "The input `jsonPatch` with the live values where an operation sets a field that is watched for drift.")
	a.Describe(&s.MergePatch, "The input `mergePatch` with the live values.")
}
