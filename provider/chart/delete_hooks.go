package chart

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// A release has a resource for the hooks of each event of its deletion. When the engine deletes that resource, it runs them. So the resource
// must not leave the program while the release lives on: if the release has once had such hooks, the resource stays, even with no hooks. A
// release that has never had any does without it.

// deletion registers the hooks that run when the release is deleted, after what is done. It returns what must be complete before the next
// children.
func (c *construction) deletion(event string, done []pulumi.Resource) ([]pulumi.Resource, error) {
	if slices.Contains(c.memory.withoutDeletions(c.hooks), event) {
		c.never(event)
		return done, nil
	}
	var list pulumi.Input
	if c.Incomplete {
		list = pulumi.UnsafeUnknownOutput(nil)
	} else {
		ordered := pulumi.Array{}
		for _, h := range steps(c.hooks, event) {
			object, err := c.manifestOf(h)
			if err != nil {
				return nil, err
			}
			ordered = append(ordered, pulumi.Map{
				"manifest": object, tracked.HookDeleteAfter: pulumi.ToStringArray(h.deleteAfter()), tracked.HookFormerly: c.formerly(h),
			})
		}
		list = ordered
	}
	hooks := &child{}
	inputs := c.Connected(pulumi.Map{
		tracked.HookRelease: pulumi.String(c.release()), "steps": list, tracked.HookTakeOver: pulumi.Bool(c.memory.isAdopted()),
	})
	if force, given := c.Options["forceDestroy"]; given {
		inputs["forceDestroy"] = sets.InputOf(force)
	}
	name := c.Parent().ChildName(event)
	return []pulumi.Resource{hooks}, c.ctx.RegisterResource(string(c.types.ReleaseHooks), name, inputs, hooks,
		pulumi.Parent(c.Parent().Resource), c.Parent().Aliases(c.types.ReleaseHooks, name), pulumi.DependsOn(done), c.Timeouts.OfWait())
}

// never says that an event of a deletion has no resource. If the state has one all the same, because the record was lost or was left out of
// an update, the engine deletes it now, and its hooks must not run.
func (c *construction) never(event string) {
	if c.ctx.DryRun() {
		return
	}
	name := c.Parent().ChildName(event)
	for _, urn := range append(c.Parent().Former(c.types.ReleaseHooks, name), c.Parent().Child(c.types.ReleaseHooks, name)) {
		c.deletions.Drop(urn)
	}
}

// withoutDeletions are the events of a deletion for which the release has had no hooks since its install, including these. The state of an
// older version of the provider names none, because it has the resources of all.
func (m memory) withoutDeletions(hooks []hook) []string {
	events := m.Without
	if !m.exists() {
		events = []string{preDelete, postDelete}
	}
	return slices.DeleteFunc(slices.Clone(events), func(event string) bool { return len(steps(hooks, event)) > 0 })
}
