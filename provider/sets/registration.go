package sets

import (
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/order"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Children are the types of a set's children, and what the engine has said of records.
type Children struct {
	Object, Wait tokens.Type
	Records      *Records
}

// Registration registers the children of one set.
type Registration struct {
	Set

	// After are resources that come before every object that is registered from now on.
	After []pulumi.Resource
	// AwaitWorkloads means that every workload is waited for, because something outside the set needs it. A failed wait is a
	// warning, as where another object needs the workload, unless the mode is [WaitAll].
	AwaitWorkloads bool
	// Timeouts are the timeouts of the component.
	Timeouts Timeouts
	// Definitions are the keys of definitions that the component may leave out another time; nil if it never does.
	// LeavesOutDefinitions means that it leaves them out now.
	Definitions          map[string]bool
	LeavesOutDefinitions bool

	ctx    *pulumi.Context
	types  Children
	rules  *readiness.Rules
	parent Parent

	byKey      map[string]Object
	waitedFor  map[string][]order.Edge
	record     *recordChild
	guard      *pulumi.CustomResourceState
	registered map[string]*kubeObject
	waits      map[string]pulumi.Resource
	// leftOut are the names of definitions that are left out and stay in the cluster.
	leftOut []string
	// completes means that the record learns when all children exist.
	completes bool
}

// NewRegistration prepares the registration of a set.
func NewRegistration(ctx *pulumi.Context, types Children, rules *readiness.Rules, set Set, parent Parent) *Registration {
	r := &Registration{
		Set: set, ctx: ctx, types: types, rules: rules, parent: parent,
		byKey: map[string]Object{}, registered: map[string]*kubeObject{}, waits: map[string]pulumi.Resource{},
	}
	for _, o := range set.Objects {
		r.byKey[o.Key] = o
	}
	return r
}

// Change changes how objects are registered. Their keys stay.
func (r *Registration) Change(change func(*Object)) {
	for i := range r.Objects {
		change(&r.Objects[i])
		r.byKey[r.Objects[i].Key] = r.Objects[i]
	}
}

// kubeObject is a child that is an object.
type kubeObject struct {
	pulumi.CustomResourceState

	ResourceRef pulumi.AnyOutput `pulumi:"resourceRef"`
}

// recordChild is the record as the component reads it.
type recordChild struct {
	pulumi.CustomResourceState

	Keys       pulumi.StringArrayOutput `pulumi:"keys"`
	Waits      pulumi.StringArrayOutput `pulumi:"waits"`
	LeftOut    pulumi.StringArrayOutput `pulumi:"leftOut"`
	ChildrenOf pulumi.StringArrayOutput `pulumi:"childrenOf"`
}

// Register registers all children that are not registered yet. It returns the references to all objects.
func (r *Registration) Register() (pulumi.Input, error) {
	if err := r.RegisterFirst(func(string) bool { return true }); err != nil {
		return nil, err
	}
	if r.Incomplete {
		if err := r.registerRemembered(); err != nil {
			return nil, err
		}
		return pulumi.UnsafeUnknownOutput(nil), r.registerGuard()
	}
	if r.hasUnknown() {
		if err := r.registerRememberedWaits(); err != nil {
			return nil, err
		}
	}
	if err := r.registerGuard(); err != nil {
		return nil, err
	}
	references := pulumi.Map{}
	for key, child := range r.registered {
		references[key] = child.ResourceRef
	}
	return references, nil
}

// RegisterFirst registers the objects whose keys are selected. They wait for other objects only if these are selected, too, or
// registered already. The first call begins the registration.
func (r *Registration) RegisterFirst(selected func(key string) bool) error {
	if r.record == nil {
		if err := r.Begin(); err != nil {
			return err
		}
	}
	if err := r.registerLeftOut(); err != nil {
		return err
	}
	light, big := r.lightFirst(r.unregistered(selected))
	if err := r.registerObjects(light); err != nil {
		return err
	}
	if len(big) > 0 && !r.ctx.DryRun() {
		r.awaitRegistered(light)
	}
	return r.registerObjects(big)
}

// Begin shows the warnings, decides which objects are waited for, and registers the record, which says whether the component is renamed. A
// component that registers children of its own before the objects calls it before that.
func (r *Registration) Begin() error {
	for _, text := range r.warnings {
		r.warn(text)
	}
	r.explainOrder()
	r.waitedFor = r.findWaitedFor()
	if err := r.registerRecord(); err != nil {
		return err
	}
	return r.followRename()
}

// Parent is the component, with its former names if a rename of it is open. It is known after [Registration.Begin].
func (r *Registration) Parent() Parent { return r.parent }

// unregistered are the selected keys whose objects are not registered yet, in order.
func (r *Registration) unregistered(selected func(key string) bool) (keys []string) {
	for _, key := range r.Graph.Sorted {
		if r.registered[key] == nil && selected(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// registerObjects registers objects, and the waits for them.
func (r *Registration) registerObjects(keys []string) error {
	for _, key := range keys {
		if err := r.object(r.byKey[key]); err != nil {
			return err
		}
		if reasons, awaited := r.waitedFor[key]; awaited {
			if err := r.wait(key, reasons); err != nil {
				return err
			}
		}
	}
	return nil
}

// Has reports whether the set has an object.
func (r *Registration) Has(key string) bool {
	_, has := r.byKey[key]
	return has
}

// Resource returns the child for an object; nil if it is not registered yet.
func (r *Registration) Resource(key string) pulumi.Resource {
	if child := r.registered[key]; child != nil {
		return child
	}
	return nil
}

// Registered are all children that stand for objects, the waits for them, and the guard.
func (r *Registration) Registered() (children []pulumi.Resource) {
	for _, key := range slices.Sorted(maps.Keys(r.registered)) {
		children = append(children, r.registered[key])
		if wait := r.waits[key]; wait != nil {
			children = append(children, wait)
		}
	}
	if r.guard != nil {
		children = append(children, r.guard)
	}
	return children
}

// register registers a child. The engine keeps the stack trace of each registration in the state, where it is longer than a small
// object and is written with every checkpoint. No one needs it, and the stack trace of a goroutine is short. A component that registers
// other children itself, which are few, does without this.
func (r *Registration) register(typ, name string, inputs pulumi.Map, child pulumi.CustomResource, options ...pulumi.ResourceOption) error {
	options = append(options, r.parent.Aliases(tokens.Type(typ), name))
	registered := make(chan error)
	go func() { registered <- r.ctx.RegisterResource(typ, name, inputs, child, options...) }()
	return <-registered
}

// internal are the options of a child that stands for no object. It is never protected: it can be made again at any time, and
// another program may not need it.
func (r *Registration) internal(options ...pulumi.ResourceOption) []pulumi.ResourceOption {
	return append(options, pulumi.Parent(r.parent.Resource), pulumi.Protect(false))
}

// comesAfter are the resources that edges lead to, if they are registered.
func (r *Registration) comesAfter(edges []order.Edge) (after []pulumi.Resource) {
	for _, edge := range edges {
		if r.registered[edge.After] == nil {
			continue
		}
		after = append(after, r.registered[edge.After])
		if wait := r.waits[edge.After]; wait != nil && edge.Ready {
			after = append(after, wait)
		}
	}
	return after
}

// registerRecord registers the record.
func (r *Registration) registerRecord() error {
	var keys, waits pulumi.Input = pulumi.ToStringArray(r.keys()), pulumi.ToStringArray(slices.Sorted(maps.Keys(r.waitedFor)))
	if r.Incomplete {
		keys = pulumi.UnsafeUnknownOutput(nil)
	}
	if r.Incomplete || r.hasUnknown() {
		waits = pulumi.UnsafeUnknownOutput(nil) // An unknown value of an object may be a reference to another object that it needs.
	}
	inputs := pulumi.Map{keyKeys: keys, keyWaits: waits}
	if r.Definitions != nil {
		definitions := slices.DeleteFunc(slices.Sorted(maps.Keys(r.Definitions)), func(key string) bool { return !r.Definitions[key] })
		inputs[keyLeavable] = pulumi.ToStringArray(definitions)
		inputs[keyLeavesOut] = pulumi.Bool(r.LeavesOutDefinitions)
	}
	r.record = &recordChild{}
	return r.register(RecordToken, r.parent.Name(), inputs, r.record, r.internal(r.parent.AliasesOfRecord(RecordToken))...)
}

// object registers one object, after the objects that it comes after.
func (r *Registration) object(o Object) error {
	inputs := r.inputs()
	for name, v := range o.Options {
		inputs[name] = InputOf(v)
	}
	input, written, err := o.Written()
	if err != nil {
		return failure.Errorf(failure.ReasonInvalid, "%s: %w", o.Key, err)
	}
	inputs[input] = written
	after := append(slices.Clone(r.After), r.comesAfter(r.Graph.After(o.Key))...)
	var options []pulumi.ResourceOption
	if o.Otherwise != "" {
		otherwise := r.parent.ChildName(o.Otherwise)
		options = append(options, pulumi.Aliases([]pulumi.Alias{{Name: pulumi.String(otherwise)}}), r.parent.Aliases(r.types.Object, otherwise))
	}
	if o.Once {
		options = append(options, pulumi.IgnoreChanges([]string{keyManifest, keyYAML}))
	}
	if o.NamespaceAssumed {
		inputs[tracked.KeyNamespaceAssumed] = pulumi.Bool(true)
	}
	if o.Retained {
		inputs[tracked.KeyRetained] = pulumi.Bool(true)
		options = append(options, pulumi.RetainOnDelete(true))
	}
	return r.registerObject(o.Key, inputs, after, options...)
}

// inputs are the inputs that all objects share.
func (r *Registration) inputs() pulumi.Map {
	inputs := pulumi.Map{}
	for name, v := range r.Options {
		inputs[name] = InputOf(v)
	}
	return inputs
}

func (r *Registration) registerObject(key string, inputs pulumi.Map, after []pulumi.Resource, options ...pulumi.ResourceOption) error {
	child := &kubeObject{}
	r.registered[key] = child
	options = append(options, pulumi.Parent(r.parent.Resource), pulumi.DependsOn(after), r.Timeouts.OfObject())
	return r.register(string(r.types.Object), r.parent.ChildName(key), inputs, child, options...)
}

// registerRemembered registers the objects of the last run that are not known to exist in this one. Their manifests are unknown
// in this preview, so that the engine shows them neither as deleted nor as unchanged. The inputs that overrides give them do not
// change.
func (r *Registration) registerRemembered() error {
	keys, err := internals.UnsafeAwaitOutput(r.ctx.Context(), r.record.Keys)
	if err != nil {
		return err
	}
	if !keys.Known {
		return r.ctx.Log.Info("Which objects there are is known only after the apply: the manifests depend on values that are not known yet.",
			&pulumi.LogArgs{Resource: r.parent.Resource})
	}
	for _, key := range textsOf(keys.Value) {
		if r.registered[key] != nil || r.isOtherwise(key) {
			continue
		}
		inputs := r.inputs()
		inputs[keyManifest] = pulumi.UnsafeUnknownOutput(nil)
		if err := r.registerObject(key, inputs, r.After, pulumi.IgnoreChanges([]string{keyIgnoreFields, keyIgnoreManagers})); err != nil {
			return err
		}
	}
	return r.registerRememberedWaits()
}

// isOtherwise reports whether this is the former key of an object that has another key now.
func (r *Registration) isOtherwise(key string) bool {
	return slices.ContainsFunc(r.Objects, func(o Object) bool { return o.Otherwise == key })
}

// registerRememberedWaits registers the waits of the last run that may be needed in this one, which is not known yet.
func (r *Registration) registerRememberedWaits() error {
	waits, err := internals.UnsafeAwaitOutput(r.ctx.Context(), r.record.Waits)
	if err != nil || !waits.Known {
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
