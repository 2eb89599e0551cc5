package tracked

import (
	"context"
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// UnknownIdentity are the parts of an identity that become known only after the apply. Until then, we do not know
// whether the resource stays about its object.
//
// A preview does not show this as a replacement. Most such values turn out unchanged, and a preview with a replacement
// alarms users, fails for protected resources, and shows dependents as replaced. Above all, the engine asks again in
// the update, with unknown values, which dependents it must delete together with a resource that is deleted before it
// is replaced. A replacement there would delete objects that keep their names. So a preview shows an update, leaves
// open which object the resource will be about, and says what happens if the object is a different one.
type UnknownIdentity []string

// UnknownIn returns the unknown parts of a reference.
func UnknownIn(reference property.Value) UnknownIdentity {
	return UnknownOf(func(part string) bool {
		return reference.IsComputed() || reference.IsMap() && reference.AsMap().Get(part).IsComputed()
	})
}

// UnknownOf returns the parts that are unknown.
func UnknownOf(isUnknown func(part string) bool) (unknown UnknownIdentity) {
	for _, part := range identityParts {
		if isUnknown(part) {
			unknown = append(unknown, part)
		}
	}
	return unknown
}

// Has reports whether a part is unknown.
func (u UnknownIdentity) Has(part string) bool { return slices.Contains(u, part) }

// Apart returns the parts in which the object may differ from was. The namespace of a cluster-scoped kind does not
// count.
func (u UnknownIdentity) Apart(was manifest.Identity) UnknownIdentity {
	if was.Name == "" {
		return nil
	}
	scoped := was.Namespace != "" || u.Has("apiVersion") || u.Has("kind")
	return UnknownOf(func(part string) bool { return u.Has(part) && (part != "namespace" || scoped) })
}

// Hide returns the outputs of a preview with the uid and the unknown parts of the reference made unknown.
func (u UnknownIdentity) Hide(outputs property.Map) property.Map {
	if len(u) == 0 {
		return outputs
	}
	unknown := property.New(property.Computed)
	ref := outputs.Get(KeyResourceRef).AsMap().Set("uid", unknown)
	for _, part := range u {
		ref = ref.Set(part, unknown)
	}
	return outputs.Set(KeyResourceRef, property.New(ref))
}

// Say says what an update does if it turns out to be about another object. at returns the property that shows a part.
func (u UnknownIdentity) Say(ctx context.Context, was manifest.Identity, at func(part string) string, does string) {
	if len(u) > 0 {
		p.GetLogger(ctx).Info(u.ifApart(was, at, does))
	}
}

// Warn is [UnknownIdentity.Say] for an update that loses something that the program does not bring back.
func (u UnknownIdentity) Warn(ctx context.Context, was manifest.Identity, at func(part string) string, does string) {
	if len(u) > 0 {
		p.GetLogger(ctx).Warning(u.ifApart(was, at, does) + "\nTo know it before, run `pulumi up --target` for the resource that the value comes from: " +
			"the next preview then shows a replacement, if there is one.")
	}
}

func (u UnknownIdentity) ifApart(was manifest.Identity, at func(part string) string, does string) string {
	var paths []string
	for _, part := range u {
		if path := at(part); !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return fmt.Sprintf("%s: whether the resource stays with this object is known only after the apply (%s). If it does not, the update %s.",
		RefOf(was), strings.Join(paths, ", "), does)
}
