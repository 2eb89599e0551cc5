package manifests

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/order"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// registration registers the children of one set.
type registration struct {
	set

	ctx    *pulumi.Context
	types  Children
	rules  *readiness.Rules
	name   string
	parent pulumi.Resource

	registered map[string]*kubeObject
	waits      map[string]pulumi.Resource
}

// kubeObject is a child that is an object.
type kubeObject struct {
	pulumi.CustomResourceState

	ResourceRef pulumi.AnyOutput `pulumi:"resourceRef"`
}

// remembered is the record as the component reads it.
type remembered struct {
	pulumi.CustomResourceState

	Keys  pulumi.StringArrayOutput `pulumi:"keys"`
	Waits pulumi.StringArrayOutput `pulumi:"waits"`
}

// register registers all children. It returns the references to the objects.
func (r *registration) register() (pulumi.Input, error) {
	r.registered, r.waits = map[string]*kubeObject{}, map[string]pulumi.Resource{}
	r.explainOrder()
	waitedFor := r.waitedFor()
	record, err := r.record(waitedFor)
	if err != nil {
		return nil, err
	}
	byKey := map[string]object{}
	for _, o := range r.objects {
		byKey[o.key] = o
	}
	for _, key := range r.graph.Sorted {
		if err := r.object(byKey[key]); err != nil {
			return nil, err
		}
		if reasons, awaited := waitedFor[key]; awaited {
			if err := r.wait(key, reasons); err != nil {
				return nil, err
			}
		}
	}
	if r.incomplete {
		return pulumi.UnsafeUnknownOutput(nil), r.registerRemembered(record)
	}
	references := pulumi.Map{}
	for key, child := range r.registered {
		references[key] = child.ResourceRef
	}
	return references, nil
}

// record registers the record.
func (r *registration) record(waitedFor map[string][]order.Edge) (*remembered, error) {
	var keys, waits pulumi.Input = pulumi.ToStringArray(r.keys()), pulumi.ToStringArray(slices.Sorted(maps.Keys(waitedFor)))
	if r.incomplete {
		keys, waits = pulumi.UnsafeUnknownOutput(nil), pulumi.UnsafeUnknownOutput(nil)
	}
	record := &remembered{}
	err := r.ctx.RegisterResource(RecordToken, r.name, pulumi.Map{keyKeys: keys, keyWaits: waits}, record, pulumi.Parent(r.parent))
	return record, err
}

// object registers one object, after those that it comes after.
func (r *registration) object(o object) error {
	inputs := r.inputs()
	for name, v := range o.options {
		inputs[name] = inputOf(v)
	}
	input, written, err := o.written()
	if err != nil {
		return failure.Errorf(failure.ReasonInvalid, "%s: %w", o.key, err)
	}
	inputs[input] = written
	var after []pulumi.Resource
	for _, edge := range r.graph.After(o.key) {
		after = append(after, r.registered[edge.After])
		if wait := r.waits[edge.After]; wait != nil && edge.Ready {
			after = append(after, wait)
		}
	}
	return r.registerObject(o.key, inputs, after)
}

// written is the manifest as the KubeObject gets it, and the input for it. What is too big for the engine does not have to become a
// tree of properties first.
func (o object) written() (input string, written pulumi.Input, err error) {
	if o.unknown {
		return keyManifest, pulumi.UnsafeUnknownOutput(nil), nil
	}
	secrets := o.secrets
	tracked.MarkKind(&secrets, manifest.IdentityOf(o.manifest))
	if manifest.IsBig(o.manifest) && secrets.Empty() && !values.HasUnknown(o.manifest) {
		text, err := manifest.Text(o.manifest)
		return keyYAML, pulumi.String(text), err
	}
	tree, err := values.ToProperty(o.manifest, secrets)
	return keyManifest, inputOf(tree), err
}

// The inputs of a KubeObject for its manifest.
const (
	keyManifest = "manifest"
	keyYAML     = "yaml"
)

// inputs are the inputs that all objects have.
func (r *registration) inputs() pulumi.Map {
	inputs := pulumi.Map{}
	for name, v := range r.options {
		inputs[name] = inputOf(v)
	}
	return inputs
}

func (r *registration) registerObject(key string, inputs pulumi.Map, after []pulumi.Resource) error {
	child := &kubeObject{}
	r.registered[key] = child
	return r.ctx.RegisterResource(string(r.types.Object), r.child(key), inputs, child, pulumi.Parent(r.parent), pulumi.DependsOn(after))
}

// child is the name of a child.
func (r *registration) child(key string) string { return r.name + ":" + key }

// registerRemembered registers the objects of the last run that are not known to be there in this one. Their manifests are unknown
// in this preview, so that the engine neither shows them as deleted nor as unchanged.
func (r *registration) registerRemembered(record *remembered) error {
	keys, err := internals.UnsafeAwaitOutput(r.ctx.Context(), record.Keys)
	if err != nil {
		return err
	}
	if !keys.Known {
		return r.ctx.Log.Info("Which objects there are is known only after the apply: the manifests depend on values that are not known yet.",
			&pulumi.LogArgs{Resource: r.parent})
	}
	for _, key := range textsOf(keys.Value) {
		if r.registered[key] != nil {
			continue
		}
		inputs := r.inputs()
		inputs[keyManifest] = pulumi.UnsafeUnknownOutput(nil)
		if err := r.registerObject(key, inputs, nil); err != nil {
			return err
		}
	}
	waits, err := internals.UnsafeAwaitOutput(r.ctx.Context(), record.Waits)
	if err != nil {
		return err
	}
	for _, key := range textsOf(waits.Value) {
		if r.waits[key] == nil && r.registered[key] != nil {
			if err := r.wait(key, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func textsOf(v any) []string {
	texts, _ := v.([]string)
	return texts
}

// explainOrder warns of what is not done as the objects ask for, and says for the log why each object comes after others.
func (r *registration) explainOrder() {
	for _, edge := range r.graph.Dropped {
		r.warn(fmt.Sprintf("%s should be applied after %s (%s), but that one comes after it, directly or not. It is applied without "+
			"waiting for it.", edge.Object, edge.After, edge.Because))
	}
	if len(r.graph.Edges) == 0 {
		return
	}
	var lines []string
	for _, edge := range r.graph.Edges {
		lines = append(lines, fmt.Sprintf("%s after %s: %s", edge.Object, edge.After, edge.Because))
	}
	// The log is for people who debug; a set is not worse for its lack.
	_ = r.ctx.Log.Debug("The order of "+r.name+":\n"+strings.Join(lines, "\n"), &pulumi.LogArgs{Resource: r.parent})
}

// warn shows a warning at the component. If even that fails, the engine is gone, and the next registration says so.
func (r *registration) warn(text string) {
	_ = r.ctx.Log.Warn(text, &pulumi.LogArgs{Resource: r.parent})
}
