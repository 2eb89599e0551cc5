package chart

import (
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Children are the types of a release's children.
type Children struct {
	sets.Children

	Task, ReleaseHooks tokens.Type
}

// construction registers the children of one release, in this order:
//
//	the record. Everything depends on it: as long as any child exists, the values that were drawn for it are remembered.
//	the record of the set, which says whether the component is renamed
//	post-delete: the hooks after a deletion, if there are any. All that follows depends on them, so they are deleted last.
//	the definitions that the set leaves out
//	definitions of the crds folders
//	pre-install and pre-upgrade hooks, one after the other
//	objects, in the order that they ask for
//	post-install and post-upgrade hooks, when the objects are ready
//	the guard of the set, if it defines kinds. It is deleted before the objects.
//	pre-delete: the hooks before a deletion, if there are any. They depend on everything, so they are deleted first.
//
// When all children exist, the record remembers that the install or the upgrade is complete.
type construction struct {
	*sets.Registration

	ctx    *pulumi.Context
	types  Children
	in     inputs
	record *recordChild
	memory memory
	// deletions are the lives of the resources that run delete hooks.
	deletions tracked.Lives
	hooks     []hook
	apart     map[string]sets.Object
	// crds are the keys of the definitions that come before everything else.
	crds map[string]bool

	tasks map[string]pulumi.Resource
	// due are the Tasks of the hooks that run in the open event.
	due []*hookTask
	// unforeseen means that this is a preview that cannot say whether an event begins.
	unforeseen bool
}

// recorded is the record of a release, with what it remembers.
type recorded struct {
	record *recordChild
	memory memory
}

// registerChildren registers what was rendered. It returns the references to the objects.
func (c *component) registerChildren(
	ctx *pulumi.Context, rel *release, done *rendered, parent sets.Parent, from recorded,
) (pulumi.Input, error) {
	children, err := c.newConstruction(ctx, rel, done, parent, from)
	if err != nil {
		return nil, err
	}
	return children.register()
}

// newConstruction prepares the registration of what was rendered.
func (c *component) newConstruction(
	ctx *pulumi.Context, rel *release, done *rendered, parent sets.Parent, from recorded,
) (children *construction, err error) {
	set, wrong := rel.setOf(done)
	if len(wrong) > 0 {
		return nil, sets.Refused("Chart", parent.Name(), wrong)
	}
	if err := set.Note(ctx, parent.Resource); err != nil {
		return nil, err
	}
	children = &construction{
		Registration: sets.NewRegistration(ctx, c.children.Children, c.rules(), set, parent),
		ctx:          ctx, types: c.children,
		in: rel.inputs, record: from.record, memory: from.memory,
		deletions: c.deletions, hooks: done.hooks, crds: done.crds, apart: map[string]sets.Object{}, tasks: map[string]pulumi.Resource{},
	}
	if ctx.DryRun() {
		if children.memory, children.unforeseen, err = from.memory.foresee(set); err != nil {
			return nil, err
		}
	}
	for _, o := range set.Apart {
		children.apart[o.Key] = o
	}
	children.Timeouts = rel.timeouts
	children.Definitions, children.LeavesOutDefinitions = done.crds, rel.release.SkipCRDs
	children.keepHooks()
	return children, nil
}

// child is a child that the component only waits for.
type child struct{ pulumi.CustomResourceState }

// hookTask is the Task of a hook.
type hookTask struct {
	pulumi.CustomResourceState

	Event pulumi.IntPtrOutput `pulumi:"__event"`
}

// register registers all children. It returns the references to the objects.
func (c *construction) register() (pulumi.Input, error) {
	c.AwaitWorkloads = c.Wait != sets.WaitNone && slices.ContainsFunc(c.hooks, func(h hook) bool { return h.runs() && len(h.runsOn(afterObjects)) > 0 })
	err := c.Begin()
	if err != nil {
		return nil, err
	}
	if c.After, err = c.deletion(postDelete, []pulumi.Resource{c.record}); err != nil {
		return nil, err
	}
	if err := c.RegisterFirst(func(key string) bool { return c.crds[key] }); err != nil {
		return nil, err
	}
	definitions := c.Registered()
	if c.After, err = c.stage(beforeObjects, append(c.After, definitions...)); err != nil {
		return nil, err
	}
	later := c.later()
	if err := c.RegisterFirst(func(key string) bool { return !later[key] }); err != nil {
		return nil, err
	}
	if c.After, err = c.stage(afterObjects, append(c.After, c.Registered()...)); err != nil {
		return nil, err
	}
	references, err := c.Register()
	if err != nil {
		return nil, err
	}
	everything := append(slices.Clone(c.After), c.Registered()...)
	for _, name := range slices.Sorted(maps.Keys(c.tasks)) {
		everything = append(everything, c.tasks[name])
	}
	last, err := c.deletion(preDelete, everything)
	if err != nil {
		return nil, err
	}
	if err := c.Complete(append(everything, last...)...); err != nil {
		return nil, err
	}
	return references, c.finish(last)
}

// later are the keys of the kept hooks that are applied after the objects. A kept hook that an object of the release refers to is applied
// before that object: hooks that run after the objects must find all of them.
func (c *construction) later() map[string]bool {
	later := map[string]bool{}
	for _, h := range c.hooks {
		later[h.object] = later[h.object] || h.isKept() && h.stageOf() == afterObjects
	}
	for found := true; found; {
		found = false
		for _, edge := range c.Graph.Edges {
			if edge.Named && later[edge.After] && !later[edge.Object] {
				later[edge.After], found = false, true
			}
		}
	}
	return later
}

// keepHooks makes the hooks that stay as objects outlive the release. If no upgrade event has such a hook, changes of its manifest are not
// applied either, unless the release moves: then it is made again at the new place, like everything that an install makes, and the former
// object stays. Call keepHooks before the first registration.
func (c *construction) keepHooks() {
	kept := map[string]hook{}
	for _, h := range c.hooks {
		if h.isKept() {
			kept[h.object] = h
		}
	}
	c.Change(func(o *sets.Object) {
		if h, is := kept[o.Key]; is {
			o.Retained, o.Once = true, h.isOnce() && !c.memory.Moving
		}
	})
}

// stage registers the hooks of a stage, each after the one before it. It returns what must be complete before the next children.
func (c *construction) stage(s stage, done []pulumi.Resource) ([]pulumi.Resource, error) {
	for _, h := range order(c.hooks) {
		switch {
		case h.comesIn(s):
			c.After = done
			needed := c.Needed(h.object)
			if err := c.RegisterFirst(func(key string) bool { return needed[key] }); err != nil {
				return nil, err
			}
			if object := c.Resource(h.object); object != nil {
				done = append(done, object)
			}
		case h.runs() && len(h.runsOn(s)) > 0:
			task, err := c.task(h, s, done)
			if err != nil {
				return nil, err
			}
			done = append(done, task)
		}
	}
	if c.Incomplete {
		return done, c.rememberedTasks(s, done)
	}
	return done, nil
}

// taskName is the name of the Task of a hook in a stage, without that of the component.
func (h hook) taskName(s stage) string {
	if s == afterObjects {
		return h.key + afterSuffix
	}
	return h.key
}

// afterSuffix marks the Task that runs after the objects, because a hook may also have one that runs before them.
const afterSuffix = ":after"

// task registers the Task of a hook.
func (c *construction) task(h hook, s stage, done []pulumi.Resource) (pulumi.Resource, error) {
	run, err := c.manifestOf(h)
	if err != nil {
		return nil, err
	}
	var with pulumi.Array
	needs := h.with(c.hooks, s)
	for _, needed := range needs {
		object, err := c.manifestOf(needed)
		if err != nil {
			return nil, err
		}
		with = append(with, object)
	}
	of := c.hookOf(h.deleteAfter(), append(needs, h)...)
	of[tracked.HookEvent] = c.event(h, s)
	inputs := c.Connected(pulumi.Map{"manifest": run, "runOn": pulumi.ToStringArray(h.runsOn(s)), tracked.KeyHook: of})
	if len(with) > 0 {
		inputs["with"] = with
	}
	if h.has(s.upgrade) {
		digest, err := c.digest()
		if err != nil {
			return nil, err
		}
		inputs["triggers"] = pulumi.Array{digest}
	}
	task, err := c.registerTask(h.taskName(s), inputs, done)
	if h.isOf(c.memory.happens(), s) {
		c.due = append(c.due, task)
	}
	return task, err
}

// hookOf is the input that makes a Task a hook of the release, and lets the Task make the objects of the given hooks.
func (c *construction) hookOf(deleteAfter []string, makes ...hook) pulumi.Map {
	return pulumi.Map{
		tracked.HookRelease: pulumi.String(c.release()), tracked.HookDeleteAfter: pulumi.ToStringArray(deleteAfter),
		tracked.HookTakeOver: pulumi.Bool(c.memory.isAdopted()), tracked.HookFormerly: c.formerly(makes...),
	}
}

// formerly are the field managers that the objects of hooks have if another version of the chart has them as children. A hook whose object
// is a child in this version has none: the child keeps the object.
func (c *construction) formerly(hooks ...hook) (managers pulumi.StringArray) {
	for _, h := range hooks {
		if c.Has(h.object) {
			continue
		}
		managers = append(managers, pulumi.String(c.Parent().ManagerOf(c.types.Object, h.object)))
	}
	return managers
}

func (c *construction) registerTask(
	name string, inputs pulumi.Map, done []pulumi.Resource, options ...pulumi.ResourceOption,
) (*hookTask, error) {
	task := &hookTask{}
	c.tasks[name] = task
	name = c.Parent().ChildName(name)
	options = append(options, pulumi.Parent(c.Parent().Resource), c.Parent().Aliases(c.types.Task, name), pulumi.DependsOn(done), c.Timeouts.OfWait())
	return task, c.ctx.RegisterResource(string(c.types.Task), name, inputs, task, options...)
}

// rememberedTasks registers the Tasks of the last run that may or may not exist in this one. What they run is unknown in this preview, so that
// the engine does not show them as deleted. Their other inputs from the chart keep their old values.
func (c *construction) rememberedTasks(s stage, done []pulumi.Resource) error {
	for _, name := range c.memory.Tasks {
		if c.tasks[name] != nil || strings.HasSuffix(name, afterSuffix) != (s == afterObjects) {
			continue
		}
		of := c.hookOf(nil)
		of[tracked.HookEvent] = pulumi.UnsafeUnknownOutput(nil)
		inputs := c.Connected(pulumi.Map{"manifest": pulumi.UnsafeUnknownOutput(nil), tracked.KeyHook: of})
		unchanged := []string{"runOn", "with", "triggers"}
		for _, member := range []string{tracked.HookRelease, tracked.HookDeleteAfter, tracked.HookFormerly} {
			unchanged = append(unchanged, values.JoinPath(tracked.KeyHook, member))
		}
		asBefore := pulumi.IgnoreChanges(unchanged)
		if _, err := c.registerTask(name, inputs, done, asBefore); err != nil {
			return err
		}
	}
	return nil
}

// release identifies the release among all others, including releases with the same name in other stacks.
func (c *construction) release() string {
	return strings.Join([]string{c.ctx.Project(), c.ctx.Stack(), c.in.release.Namespace, c.in.release.Name}, "/")
}

// manifestOf is the manifest of a hook, as edited.
func (c *construction) manifestOf(h hook) (pulumi.Input, error) {
	tree, err := c.apart[apartKey(h.key)].Tree()
	if err != nil {
		return nil, failure.Errorf(failure.ReasonInvalid, "%s: %w", h.key, err)
	}
	return tree, nil
}

// digest stands for the whole rendering. If it changes, upgrade hooks run.
func (c *construction) digest() (pulumi.Input, error) {
	digest, known, err := c.memory.digest(c.Set)
	if !known {
		return pulumi.UnsafeUnknownOutput(nil), err
	}
	return pulumi.String(digest), err
}

// finish notes that the event or a move is complete as soon as the last children exist. An update with --target leaves children out: then
// the ID of one is not known, or a hook has not succeeded. A preview says that the memory will change, because an update plan that is made
// from it allows only the changes that the preview has shown.
func (c *construction) finish(last []pulumi.Resource) error {
	switch {
	case !c.memory.brought, c.memory.happens() == nothing && !c.memory.Moving && !c.unforeseen:
		return nil
	case c.ctx.DryRun():
		return c.rememberAtEnd(pulumi.UnsafeUnknownOutput(nil))
	}
	text, err := c.memory.atEnd().encode()
	if err != nil {
		return err
	}
	var outputs []any
	for _, task := range c.due {
		outputs = append(outputs, task.Event)
	}
	for _, child := range last {
		outputs = append(outputs, child.(pulumi.CustomResource).ID())
	}
	pulumi.All(outputs...).ApplyT(func(known []any) error {
		for _, event := range known[:len(c.due)] {
			if number, _ := event.(*int); c.memory.Event > 0 && !c.memory.Unsure && (number == nil || *number != c.memory.Event) {
				return nil
			}
		}
		return c.rememberAtEnd(pulumi.String(text))
	})
	return nil
}

// rememberAtEnd registers the outputs of the record once more.
func (c *construction) rememberAtEnd(memory pulumi.Input) error {
	return c.ctx.RegisterResourceOutputs(c.record, pulumi.Map{
		keyVersion: c.record.Version, keyContent: c.record.Content, keyRotate: c.record.Rotate, keyMemory: pulumi.ToSecret(memory),
	})
}

// setOf is the set of the objects in a rendering.
func (r *release) setOf(done *rendered) (sets.Set, check.Mistakes) {
	return sets.Of(r.given, done.documents, r.release.Namespace)
}
