package manifests

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/order"
)

// neededTimeout bounds a wait for what other objects need. That they need it is often a guess, and no guess may hang an update.
const neededTimeout = "2m"

// waited is a child that waits.
type waited struct {
	pulumi.CustomResourceState

	GaveUp pulumi.BoolPtrOutput `pulumi:"__gaveUp"`
}

// waitedFor are the keys of the objects that are waited for, with the edges that ask for it.
func (r *registration) waitedFor() map[string][]order.Edge {
	found := map[string][]order.Edge{}
	if r.set.wait == waitNone {
		return found
	}
	canWait := map[string]bool{}
	for _, o := range r.objects {
		canWait[o.key] = r.rules.HasReadiness(manifest.IdentityOf(o.manifest).GroupKind())
		if r.set.wait == waitAll && canWait[o.key] {
			found[o.key] = nil
		}
	}
	for _, edge := range r.graph.Edges {
		if edge.Ready && canWait[edge.After] {
			found[edge.After] = append(found[edge.After], edge)
		}
	}
	return found
}

// wait registers the Wait for an object.
func (r *registration) wait(key string, reasons []order.Edge) error {
	goal := pulumi.Map{"ready": pulumi.Bool(true)}
	inputs := pulumi.Map{"resourceRef": r.registered[key].ResourceRef, "waitFor": goal}
	if r.set.wait != waitAll {
		goal["timeout"] = pulumi.String(neededTimeout)
		inputs["onFailure"] = pulumi.String("warn")
	}
	if connected, given := r.options[connection.Key]; given {
		inputs[connection.Key] = inputOf(connected)
	}
	child := &waited{}
	r.waits[key] = child
	if err := r.ctx.RegisterResource(string(r.types.Wait), r.child(key), inputs, child, pulumi.Parent(r.parent)); err != nil {
		return err
	}
	if len(reasons) > 0 {
		child.GaveUp.ApplyT(func(gaveUp *bool) error {
			if gaveUp != nil && *gaveUp {
				r.warn(fmt.Sprintf("%s is not ready. %s.", key, goOnWithout(reasons)))
			}
			return nil
		})
	}
	return nil
}

// goOnWithout says what is applied although it may need an object that is not ready.
func goOnWithout(edges []order.Edge) string {
	first := fmt.Sprintf("%s is applied all the same (%s)", edges[0].Object, edges[0].Because)
	if more := len(edges) - 1; more > 0 {
		first += fmt.Sprintf(", and so are %d others", more)
	}
	return first
}
