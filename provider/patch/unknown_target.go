package patch

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// sayUnknownTarget says in a preview what happens to the target if the update turns out to be about another object.
func (in inputs) sayUnknownTarget(ctx context.Context, target property.Value, old state) {
	does := "hands back its fields with their values and patches the other one"
	if in.onDestroy == destroyRemoves {
		does = "removes what the Patch has added to it, hands back its other fields and patches the other one"
	}
	at := func(part string) string {
		if target.IsComputed() {
			return keyTarget
		}
		return keyTarget + "." + part
	}
	tracked.UnknownIn(target).Apart(old.Ref.Identity).Say(ctx, old.Ref.Identity, at, does)
}
