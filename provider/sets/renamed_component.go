package sets

import (
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// A component that is renamed has its former URN as an alias. The engine gives its children such aliases, too, but only in the update that
// renames the component. If that update is interrupted, the state has the component under its new URN, and children under their former
// ones: the next update would create all of them once more, and delete what the set has. So as long as a rename is not complete, the
// component itself gives such a child its former URN as an alias.
//
// Once it is complete, children must have no such aliases: aliases remain in programs, and another component may use the name again. So the
// record of a set remembers the URNs from which children may have their names. It is registered before all other children. Each place that it
// comes to is a further one, and only a complete update leaves a single one: a component that is renamed back, or once more, before that has
// children in several places.

// renamed is the component while a rename is not complete. of is what its record remembers. The program may no longer have all of these as
// aliases, or the alias may be that of a component around this one.
func (p Parent) renamed(of []string) Parent {
	p.former = slices.Clone(p.aliases)
	for _, urn := range of {
		if former := resource.URN(urn); former != p.URN && !slices.Contains(p.former, former) {
			p.former = append(p.former, former)
		}
	}
	return p
}

// AliasesOfRecord are the former URNs of a record of the component. A record says itself whether a rename is complete, so it always has them.
func (p Parent) AliasesOfRecord(typ tokens.Type) pulumi.ResourceOption {
	return p.renamed(nil).Aliases(typ, p.Name())
}

// Aliases are the former URNs of a child. The engine passes over those that the state does not have. Which it has, this process cannot know:
// the engine reads no resource whose drift is looked for on demand, and reads with another process if the provider's inputs have changed.
func (p Parent) Aliases(typ tokens.Type, child string) pulumi.ResourceOption {
	var aliases []pulumi.Alias
	for _, urn := range p.Former(typ, child) {
		aliases = append(aliases, pulumi.Alias{URN: pulumi.URN(urn)})
	}
	return pulumi.Aliases(aliases)
}

// Former are the former URNs of a child.
func (p Parent) Former(typ tokens.Type, child string) (urns []resource.URN) {
	for _, former := range p.former {
		urns = append(urns, childOf(former, typ, former.Name()+strings.TrimPrefix(child, p.Name())))
	}
	return urns
}

// followRename asks the record whether a rename is complete.
func (r *Registration) followRename() error {
	result, err := internals.UnsafeAwaitOutput(r.ctx.Context(), r.record.ChildrenOf)
	if err != nil {
		return err
	}
	of := textsOf(result.Value)
	if slices.Equal(of, []string{string(r.parent.URN)}) {
		return nil
	}
	r.completes = r.parent.Brings(RecordToken)
	if len(of) > 0 { // The state of an older version does not say it.
		r.parent = r.parent.renamed(of)
	}
	return nil
}

// Complete notes that no rename is open as soon as all children exist: those that were registered, and the component's own. A preview says that
// the record will change, because an update plan that is made from it allows only the changes that the preview has shown.
func (r *Registration) Complete(own ...pulumi.Resource) error {
	if !r.completes {
		return nil
	}
	note := func(of pulumi.Input) error {
		outputs := pulumi.Map{keyKeys: r.record.Keys, keyWaits: r.record.Waits, keyChildrenOf: of}
		if r.leftOut != nil {
			outputs[keyLeftOut] = r.record.LeftOut
		}
		return r.ctx.RegisterResourceOutputs(r.record, outputs)
	}
	if r.ctx.DryRun() {
		return note(pulumi.UnsafeUnknownOutput(nil))
	}
	var ids []any
	for _, child := range append(r.Registered(), own...) {
		ids = append(ids, child.(pulumi.CustomResource).ID())
	}
	pulumi.All(ids...).ApplyT(func([]any) error { return note(pulumi.ToStringArray([]string{string(r.parent.URN)})) })
	return nil
}

// Records are what the engine has said of records in this operation.
type Records struct {
	// checked are the URNs of records that the engine brings to what the program says. A refresh that runs the program does not: it has no inputs
	// checked, and takes no outputs.
	checked sync.Map
	// former are components by the URNs under which they may still have children, own those whose record the state has. The engine has a
	// record read before the program runs.
	former, own sync.Map
}

// Check notes a record that the engine has had checked.
func (r *Records) Check(record resource.URN) { r.checked.Store(record, true) }

// Brings reports whether the engine has had the record of a component checked since the last call.
func (p Parent) Brings(record tokens.Type) bool {
	_, brought := p.records.checked.LoadAndDelete(p.Child(record, p.Name()))
	return brought
}

// read notes the record of a set that the state has.
func (r *Records) read(record resource.URN, state property.Map) {
	component := componentOf(record)
	r.own.Store(component, true)
	for _, urn := range childrenOf(record, state) {
		if of := resource.URN(urn); of != component {
			r.former.Store(of, component)
		}
	}
}

// refuseFormer refuses a new component that has the former name of another one whose rename is not complete. It would take children of that
// one for its own, and replace them. One that the state has already has been through that: to remove it would delete its objects.
func (r *Records) refuseFormer(component resource.URN, aliases []resource.URN) error {
	found, open := r.former.Load(component)
	if _, exists := r.own.Load(component); exists || !open || slices.Contains(aliases, found.(resource.URN)) {
		return nil
	}
	other := found.(resource.URN).Name()
	return failure.Errorf(failure.ReasonManagedElsewhere, "the name %q belongs to a rename that is not complete: the state still has objects of %q under it. "+
		"Nothing was changed.\nRun `pulumi up` without this resource, and add it after that. If it is %[2]q itself, under its former name again, give it "+
		"%[2]q as an alias (the resource option `aliases`).", component.Name(), other)
}
