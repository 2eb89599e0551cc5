package sets

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// child is the name of a child.
func (r *Registration) child(key string) string { return childOf(r.name, key) }

func childOf(component, key string) string { return component + ":" + key }

// ManagerOf is the field manager that the object with this key has, or would have, in the set of a component.
func ManagerOf(component resource.URN, object tokens.Type, key string) string {
	name := childOf(component.Name(), key)
	return tracked.ManagerOf(resource.NewURN(component.Stack(), component.Project(), component.QualifiedType(), object, name))
}

// ManagerOf is the field manager that a child with this key has, or would have.
func (r *Registration) ManagerOf(key string) (string, error) {
	component, err := URNOf(r.ctx, r.parent)
	if err != nil {
		return "", err
	}
	return ManagerOf(component, r.types.Object, key), nil
}

// URNOf awaits the URN of a resource.
func URNOf(ctx *pulumi.Context, of pulumi.Resource) (resource.URN, error) {
	result, err := internals.UnsafeAwaitOutput(ctx.Context(), of.URN())
	if err != nil {
		return "", err
	}
	urn, _ := result.Value.(pulumi.URN)
	return resource.URN(urn), nil
}

// Connected adds the connection of the component to the inputs of a child, if the component has one of its own.
func (r *Registration) Connected(inputs pulumi.Map) pulumi.Map {
	if connected, given := r.Options[connection.Key]; given {
		inputs[connection.Key] = InputOf(connected)
	}
	return inputs
}
