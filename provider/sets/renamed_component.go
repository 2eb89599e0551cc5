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
// ones: the next update would create all of them once more, and delete what the set has. So as long as a rename is not complete, the
// component itself gives such a child its former URN as an alias.
//
// Once it is complete, children must have no such aliases: aliases remain in programs, and another component may use the name again.

// Parent is the component of a set.
type Parent struct {
	Name     string
	Resource pulumi.Resource

	// aliases are those of the component, former those under which children may still be in the state.
	aliases, former []resource.URN
	states          *States
}

// Renamed is the component while a rename of it is not complete.
func (p Parent) Renamed() Parent {
	p.former = p.aliases
	return p
}

// Aliases are the former URNs of a child that the state has.
func (p Parent) Aliases(typ tokens.Type, child string) pulumi.ResourceOption {
	var aliases []pulumi.Alias
	for _, urn := range p.Former(typ, child) {
		aliases = append(aliases, pulumi.Alias{URN: pulumi.URN(urn)})
	}
	return pulumi.Aliases(aliases)
}

// Former are the former URNs of a child that the state has.
func (p Parent) Former(typ tokens.Type, child string) (urns []resource.URN) {
	for _, former := range p.former {
		name := former.Name() + strings.TrimPrefix(child, p.Name)
		urn := resource.NewURN(former.Stack(), former.Project(), former.QualifiedType(), typ, name)
		if p.states.has(urn) {
			urns = append(urns, urn)
		}
	}
	return urns
}

// States are the URNs in the state that the engine has had read in this operation. It does that before the program runs.
type States struct{ read sync.Map }

// Note notes a URN.
func (s *States) Note(urn resource.URN) { s.read.Store(urn, true) }

func (s *States) has(urn resource.URN) bool {
	_, has := s.read.Load(urn)
	return has
}
