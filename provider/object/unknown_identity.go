package object

import (
	"context"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// unknownIdentity returns the parts of the object's identity that are not known yet.
func (in inputs) unknownIdentity() tracked.UnknownIdentity {
	metadata, _ := in.written["metadata"].(map[string]any)
	return tracked.UnknownOf(func(part string) bool {
		switch {
		case in.written == nil:
			return true
		case part == "name" || part == "namespace":
			return values.IsUnknown(in.written["metadata"]) || values.IsUnknown(metadata[part])
		default:
			return values.IsUnknown(in.written[part])
		}
	})
}

// openIdentity returns the parts of the identity in which an update may turn out to be about an object other than the
// resource's. In a set, a manifest that is entirely unknown belongs to the object in the name of the resource.
func (in inputs) openIdentity(urn resource.URN, old state) tracked.UnknownIdentity {
	if in.written == nil && tracked.IsInSet(urn) {
		return nil
	}
	return in.unknownIdentity().Apart(old.Ref.Identity)
}

// sayUnknownIdentity says in a preview what happens to the object if the update turns out to be about a different one.
func (in inputs) sayUnknownIdentity(ctx context.Context, urn resource.URN, old state) {
	was, open := old.Ref.Identity, in.openIdentity(urn, old)
	say := open.Say
	does := "leaves the object as it is and creates the other one"
	if !old.kept && !in.retained {
		does = fmt.Sprintf("deletes the object %s and creates the other one", kinds.LostWith(was.GroupKind()))
		if mayHoldData(was) {
			say = open.Warn
		}
	}
	say(ctx, was, func(part string) string {
		if in.written == nil {
			return keyManifest
		}
		return placeOfIdentity(part)
	}, does)
}
