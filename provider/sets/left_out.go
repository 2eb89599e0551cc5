package sets

import (
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// A component that leaves out definitions which it has had lets go of them: all objects of their kinds would go with them. The engine
// deletes what a program no longer has, so they stay children for as long as they are left out. As such, they are neither read nor
// written nor deleted, and the state still knows them when they are taken up again.

// definitionKey begins the keys of all definitions. The name follows.
var definitionKey = kinds.CustomResourceDefinition.Group + "/" + kinds.CustomResourceDefinition.Kind + "."

func isDefinition(key string) bool { return strings.HasPrefix(key, definitionKey) }

// registerLeftOut registers the definitions that the set lets go of. It knows no more of them than which ones they are: the rest of their
// inputs stays as it was.
func (r *Registration) registerLeftOut() error {
	if !r.LeavesOutDefinitions {
		return nil
	}
	leftOut, err := internals.UnsafeAwaitOutput(r.ctx.Context(), r.record.LeftOut)
	if err != nil || !leftOut.Known {
		return err
	}
	for _, key := range textsOf(leftOut.Value) {
		name := strings.TrimPrefix(key, definitionKey)
		r.leftOut = append(r.leftOut, name)
		inputs := r.inputs()
		inputs["__leftOut"] = pulumi.Bool(true)
		inputs[keyManifest] = pulumi.Map{
			"apiVersion": pulumi.String(kinds.CustomResourceDefinition.Group + "/v1"), "kind": pulumi.String(kinds.CustomResourceDefinition.Kind),
			"metadata": pulumi.Map{"name": pulumi.String(name)},
		}
		err := r.register(string(r.types.Object), r.child(key), inputs, &kubeObject{},
			pulumi.Parent(r.parent), pulumi.DependsOn(r.After), pulumi.IgnoreChanges([]string{keyManifest, keyYAML}), pulumi.RetainOnDelete(true))
		if err != nil {
			return err
		}
	}
	if len(r.leftOut) == 0 {
		return nil
	}
	return r.ctx.Log.Info(fmt.Sprintf("These definitions are left out now. They stay in the cluster, and this component neither updates nor deletes them: %s.",
		strings.Join(r.leftOut, ", ")), &pulumi.LogArgs{Resource: r.parent})
}
