package sets

import (
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"
)

// A component that is renamed has its former URN as an alias. The engine gives its children such aliases, too, but only in the update that
// renames the component. If that update is interrupted, the state has the component under its new URN, and children under their former
// ones: the next update would create all of them once more, and delete what the set has. So as long as a rename is not complete, the
// component itself gives such a child its former URN as an alias.
//
// Once it is complete, children must have no such aliases: aliases remain in programs, and another component may use the name again. So the
// record of a component remembers the URN that the component had when all of its children were last under it.

// Renamed is the component while a rename is not complete. from is what its record remembers: the URN that its children had their names
// from. The program may no longer have it as an alias, or the alias may be that of a component around this one.
func (p Parent) Renamed(from resource.URN) Parent {
	p.former = slices.Clone(p.aliases)
	if from != "" && from != p.URN && !slices.Contains(p.former, from) {
		p.former = append(p.former, from)
	}
	return p
}

// AliasesOfRecord are the former URNs of the record of the component. The record itself says whether a rename is complete, so it always has
// them.
func (p Parent) AliasesOfRecord(typ tokens.Type) pulumi.ResourceOption {
	return p.Renamed("").Aliases(typ, p.Name())
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
	if !r.FollowsRenames {
		return nil
	}
	result, err := internals.UnsafeAwaitOutput(r.ctx.Context(), r.record.ChildrenOf)
	if err != nil {
		return err
	}
	from, says := result.Value.(*string) // The state of an older version does not say it.
	says = says && result.Known && from != nil
	if says && *from == string(r.parent.URN) {
		return nil
	}
	r.notesEnd = r.parent.Brings(RecordToken)
	if says {
		r.parent = r.parent.Renamed(resource.URN(*from))
	}
	return nil
}

// endRename notes that a rename is complete as soon as all children exist. A preview says that the record will change, because an update plan
// that is made from it allows only the changes that the preview has shown.
func (r *Registration) endRename() error {
	if !r.notesEnd {
		return nil
	}
	note := func(component pulumi.Input) error {
		return r.ctx.RegisterResourceOutputs(r.record, pulumi.Map{keyKeys: r.record.Keys, keyWaits: r.record.Waits, keyChildrenOf: component})
	}
	if r.ctx.DryRun() {
		return note(pulumi.UnsafeUnknownOutput(nil))
	}
	var ids []any
	for _, child := range r.Registered() {
		ids = append(ids, child.(pulumi.CustomResource).ID())
	}
	pulumi.All(ids...).ApplyT(func([]any) error { return note(pulumi.String(r.parent.URN)) })
	return nil
}

// Brought are the URNs of records that the engine brings to what the program says. A refresh that runs the program does not: it has no inputs
// checked, and takes no outputs.
type Brought struct{ checked sync.Map }

// Check notes a record that the engine has had checked.
func (b *Brought) Check(urn resource.URN) { b.checked.Store(urn, true) }

// Brings reports whether the engine has had the record of a component checked since the last call.
func (p Parent) Brings(record tokens.Type) bool {
	_, brought := p.brought.checked.LoadAndDelete(p.Child(record, p.Name()))
	return brought
}
