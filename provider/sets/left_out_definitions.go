package sets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// A component that had definitions and now leaves them out lets go of them, because deleting them would delete all objects of
// their kinds. The engine deletes what a program no longer has, so left-out definitions remain children. Such a child is not
// read, written or deleted, and the state still knows it when the component includes the definition again.

// definitionKey is the prefix of the key of every definition. The name follows.
var definitionKey = kinds.CustomResourceDefinition.Group + "/" + kinds.CustomResourceDefinition.Kind + "."

func isDefinition(key string) bool { return strings.HasPrefix(key, definitionKey) }

// registerLeftOut registers the definitions that the set lets go of, once. Only their identity is known: the rest of their inputs does
// not change.
func (r *Registration) registerLeftOut() error {
	if !r.LeavesOutDefinitions || r.leftOut != nil {
		return nil
	}
	r.leftOut = []string{}
	leftOut, err := internals.UnsafeAwaitOutput(r.ctx.Context(), r.record.LeftOut)
	if err != nil || !leftOut.Known {
		return err
	}
	for _, key := range textsOf(leftOut.Value) {
		name := strings.TrimPrefix(key, definitionKey)
		r.leftOut = append(r.leftOut, name)
		inputs := r.inputs()
		inputs[tracked.KeyLeftOut] = pulumi.Bool(true)
		inputs[keyManifest] = pulumi.Map{
			"apiVersion": pulumi.String(kinds.CustomResourceDefinition.Group + "/v1"), "kind": pulumi.String(kinds.CustomResourceDefinition.Kind),
			"metadata": pulumi.Map{"name": pulumi.String(name)},
		}
		err := r.register(string(r.types.Object), r.parent.ChildName(key), inputs, &kubeObject{},
			pulumi.Parent(r.parent.Resource), pulumi.DependsOn(r.After), pulumi.IgnoreChanges([]string{keyManifest, keyYAML}), pulumi.RetainOnDelete(true))
		if err != nil {
			return err
		}
	}
	if len(r.leftOut) == 0 {
		return nil
	}
	return r.ctx.Log.Info(fmt.Sprintf("These definitions are left out now. They stay in the cluster, and this component neither updates nor deletes them: %s.",
		strings.Join(r.leftOut, ", ")), &pulumi.LogArgs{Resource: r.parent.Resource})
}

// leftOut are the keys of the definitions that a set had and leaves out now. The records of older versions of the provider do not
// say which definitions may be left out: then every definition counts that is no longer in the set.
func leftOut(was, state, now property.Map) []string {
	before := values.Scalars(state.Get(keyLeftOut))
	switch keys := now.Get(keyKeys); {
	case !values.Flag(now.Get(keyLeavesOut)):
		return nil
	case keys.HasComputed():
		return before
	case was.Get(keyLeavable).IsArray():
		before = append(before, values.Scalars(was.Get(keyLeavable))...)
	default:
		before = append(before, slices.DeleteFunc(values.Scalars(state.Get(keyKeys)), func(key string) bool { return !isDefinition(key) })...)
	}
	there := values.Scalars(now.Get(keyKeys))
	before = slices.DeleteFunc(before, func(key string) bool { return slices.Contains(there, key) })
	slices.Sort(before)
	return slices.Compact(before)
}
