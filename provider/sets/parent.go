package sets

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Parent is the component of a set.
type Parent struct {
	URN      resource.URN
	Resource pulumi.Resource

	// aliases are those of the component, former those under which children may still be in the state.
	aliases, former []resource.URN
	records         *Records
}

// Name is the name of the component.
func (p Parent) Name() string { return p.URN.Name() }

// ChildName is the name of the child with a key.
func (p Parent) ChildName(key string) string { return p.Name() + ":" + key }

// Child is the URN of a child.
func (p Parent) Child(typ tokens.Type, name string) resource.URN { return childOf(p.URN, typ, name) }

func childOf(component resource.URN, typ tokens.Type, name string) resource.URN {
	return resource.NewURN(component.Stack(), component.Project(), component.QualifiedType(), typ, name)
}

// ManagerOf is the field manager that an object with this key has, or would have.
func (p Parent) ManagerOf(object tokens.Type, key string) string {
	return tracked.ManagerOf(p.Child(object, p.ChildName(key)))
}

// Connected adds the connection of the component to the inputs of a child, if the component has one of its own.
func (r *Registration) Connected(inputs pulumi.Map) pulumi.Map {
	if connected, given := r.Options[connection.Key]; given {
		inputs[connection.Key] = InputOf(connected)
	}
	return inputs
}
