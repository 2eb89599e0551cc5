package sets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/order"
)

// explainOrder warns where the objects are not applied in the order that they ask for, and logs why each object comes after
// others.
func (r *Registration) explainOrder() {
	for _, edge := range r.Graph.Dropped {
		r.warn(fmt.Sprintf("%s should be applied after %s (%s), but that one comes after it, directly or not. It is applied without "+
			"waiting for it.", edge.Object, edge.After, edge.Because))
	}
	r.explainAbsent()
	if len(r.Graph.Edges) == 0 {
		return
	}
	var lines []string
	for _, edge := range r.Graph.Edges {
		lines = append(lines, fmt.Sprintf("%s after %s: %s", edge.Object, edge.After, edge.Because))
	}
	// The log is for people who debug. The set works without it.
	_ = r.ctx.Log.Debug("The order of "+r.parent.Name()+":\n"+strings.Join(lines, "\n"), &pulumi.LogArgs{Resource: r.parent.Resource})
}

// explainAbsent warns of annotations that name an object that is not in the set: the order that they ask for is not kept.
func (r *Registration) explainAbsent() {
	if r.Incomplete {
		return
	}
	for _, absent := range r.Graph.Absent {
		isApart := func(o Object) bool {
			is := manifest.IdentityOf(o.Manifest)
			return is.GroupKind() == absent.GroupKind && is.Name == absent.Name
		}
		if slices.ContainsFunc(r.Apart, isApart) { // The resource that applies it has an order of its own.
			continue
		}
		reference := absent.Reference
		if r.secret {
			reference = "an object"
		}
		r.warn(fmt.Sprintf("%s should be applied after %s (its annotation %s names it), but the set has no such object. It is applied "+
			"without waiting for it. If another resource applies that object, use the resource option dependsOn.",
			absent.Key, reference, order.DependsOn))
	}
}

// warn shows a warning at the component.
func (r *Registration) warn(text string) { Warn(r.ctx, r.parent.Resource, text) }

// Warn shows a warning at a component. If even that fails, the engine is gone, and the next registration reports it.
func Warn(ctx *pulumi.Context, component pulumi.Resource, text string) {
	_ = ctx.Log.Warn(text, &pulumi.LogArgs{Resource: component})
}
