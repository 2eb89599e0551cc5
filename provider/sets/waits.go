package sets

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/order"
)

// neededTimeout bounds a wait for an object that other objects need. That they need it is often a guess, and no guess may hang an
// update.
const neededTimeout = "2m"

// waited is a child that waits.
type waited struct {
	pulumi.CustomResourceState

	GaveUp pulumi.BoolPtrOutput `pulumi:"__gaveUp"`
}

// findWaitedFor returns the keys of the objects to wait for, with the edges that are the reason.
func (r *Registration) findWaitedFor() map[string][]order.Edge {
	found := map[string][]order.Edge{}
	if r.Wait == WaitNone {
		return found
	}
	canWait := map[string]bool{}
	for _, o := range r.Objects {
		kind := manifest.IdentityOf(o.Manifest).GroupKind()
		canWait[o.Key] = r.rules.HasReadiness(kind)
		_, isWorkload := kinds.PodTemplate(kind)
		if (r.Wait == WaitAll || r.AwaitWorkloads && isWorkload) && canWait[o.Key] {
			found[o.Key] = nil
		}
	}
	for _, edge := range r.Graph.Edges {
		if edge.Ready && canWait[edge.After] {
			found[edge.After] = append(found[edge.After], edge)
		}
	}
	return found
}

// wait registers the Wait for an object.
func (r *Registration) wait(key string, reasons []order.Edge) error {
	goal := pulumi.Map{"ready": pulumi.Bool(true)}
	inputs := r.Connected(pulumi.Map{"resourceRef": r.registered[key].ResourceRef, "waitFor": goal})
	if r.Wait != WaitAll {
		goal["timeout"] = pulumi.String(neededTimeout)
		inputs["onFailure"] = pulumi.String("warn")
	}
	child := &waited{}
	r.waits[key] = child
	if err := r.register(string(r.types.Wait), r.parent.ChildName(key), inputs, child, append(r.internal(), r.Timeouts.OfWait())...); err != nil {
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

// goOnWithout says which objects are applied although they may need an object that is not ready.
func goOnWithout(edges []order.Edge) string {
	first := fmt.Sprintf("%s is applied all the same (%s)", edges[0].Object, edges[0].Because)
	switch more := len(edges) - 1; more {
	case 0:
		return first
	case 1:
		return first + ", and so is 1 other"
	default:
		return first + fmt.Sprintf(", and so are %d others", more)
	}
}
