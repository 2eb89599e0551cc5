package sets

import (
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// A component that is renamed has its former URN as an alias. The engine gives its children such aliases, too, but only in the update that
// renames the component. If that update is interrupted, the state has the component under its new URN, and children under their former
// ones: the next update would create all of them once more, and delete what the set has. So the component itself gives such a child its
// former URN as an alias.
//
// Aliases remain in programs, and names may be used again. If there is a record under both URNs, the children with the former URNs are
// those of another component.

// Parent is the component of a set.
type Parent struct {
	Name     string
	Resource pulumi.Resource

	// former are the URNs under which its children may still be in the state.
	former []resource.URN
	states *States
}

// newParent is a component that has been registered.
func newParent(ctx *pulumi.Context, states *States, name string, component pulumi.Resource, aliases []resource.URN) (Parent, error) {
	parent := Parent{Name: name, Resource: component, states: states}
	if len(aliases) == 0 {
		return parent, nil
	}
	urn, err := URNOf(ctx, component)
	if err != nil {
		return Parent{}, err
	}
	for _, alias := range aliases {
		if !states.has(childURN(urn, RecordToken, urn.Name())) || !states.has(childURN(alias, RecordToken, alias.Name())) {
			parent.former = append(parent.former, alias)
		}
	}
	return parent, nil
}

// Aliases are the former URNs of a child that the state has.
func (p Parent) Aliases(typ tokens.Type, child string) pulumi.ResourceOption {
	var aliases []pulumi.Alias
	for _, former := range p.former {
		urn := childURN(former, typ, former.Name()+strings.TrimPrefix(child, p.Name))
		if p.states.has(urn) {
			aliases = append(aliases, pulumi.Alias{URN: pulumi.URN(urn)})
		}
	}
	return pulumi.Aliases(aliases)
}

func childURN(component resource.URN, typ tokens.Type, name string) resource.URN {
	return resource.NewURN(component.Stack(), component.Project(), component.QualifiedType(), typ, name)
}

// States are the URNs in the state that the engine has had read in this operation. It does that before the program runs.
type States struct{ read sync.Map }

// Note notes a URN.
func (s *States) Note(urn resource.URN) { s.read.Store(urn, true) }

func (s *States) has(urn resource.URN) bool {
	_, has := s.read.Load(urn)
	return has
}
