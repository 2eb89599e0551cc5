package tracked

import (
	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// The parts of an identity, named as in references and targets.
var identityParts = []string{"apiVersion", "kind", "namespace", "name"}

// IdentityDiff reports a replacement if is names an object other than was. A new version of the same API group denotes
// the same object. at returns the property that shows a part of the identity. IdentityDiff ignores unknown parts.
func IdentityDiff(
	was, is manifest.Identity, unknown UnknownIdentity, at func(part string) string, change p.PropertyDiff,
) (p.DiffResponse, bool) {
	change.Kind = p.UpdateReplace
	diff := p.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	if was.Name == "" {
		return diff, false
	}
	differs := map[string]bool{
		"apiVersion": was.Group() != is.Group(), "kind": was.Kind != is.Kind,
		"namespace": was.Namespace != is.Namespace, "name": was.Name != is.Name,
	}
	for _, part := range identityParts {
		if differs[part] && !unknown.Has(part) {
			diff.HasChanges = true
			diff.DetailedDiff[at(part)] = change
		}
	}
	return diff, diff.HasChanges
}

// InDefaultNamespace completes an identity that names no namespace: only a request could tell whether its kind is
// namespaced, but the state knows where the object went. defaultNamespace is "" while the cluster is unknown.
func InDefaultNamespace(is, was manifest.Identity, defaultNamespace string) manifest.Identity {
	switch {
	case was.Namespace == "":
		is.Namespace = ""
	case is.Namespace == "" && defaultNamespace == "":
		is.Namespace = was.Namespace
	case is.Namespace == "":
		is.Namespace = defaultNamespace
	}
	return is
}
