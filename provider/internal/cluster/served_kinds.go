package cluster

import (
	"context"
	"slices"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// ServedKind is a kind that the API server serves, in the version that it prefers.
type ServedKind struct {
	Resource

	// Names are what people call the kind: the kind itself, and the plural, singular and short names of its resource.
	Names []string
	// Stale means that a server behind the API server, which serves the kind, did not answer: its objects may not be
	// found.
	Stale bool
}

// Kinds lists the kinds whose objects users can list, create and change, each in the version that the API server
// prefers. It makes two requests.
func (c *Cluster) Kinds(ctx context.Context) ([]ServedKind, error) {
	groups, err := c.allGroups(ctx)
	if err != nil {
		return nil, err
	}
	var served []ServedKind
	for _, group := range groups {
		served = append(served, kindsOf(group)...)
	}
	if len(served) == 0 {
		return nil, failure.Errorf(failure.ReasonUnexpectedAnswer, "the answer lists no kinds; is the host a Kubernetes API server?")
	}
	return served, nil
}

// kindsOf lists the kinds of one group. Of the versions of a kind, it takes the first.
func kindsOf(group apidiscoveryv2.APIGroupDiscovery) []ServedKind {
	var served []ServedKind
	seen := map[string]bool{}
	for _, version := range group.Versions {
		for _, resource := range version.Resources {
			if seen[resource.Resource] || resource.ResponseKind == nil || !isForUsers(resource.Verbs) {
				continue
			}
			seen[resource.Resource] = true
			kind := ServedKind{Stale: version.Freshness == apidiscoveryv2.DiscoveryFreshnessStale, Names: append(
				[]string{resource.ResponseKind.Kind, resource.Resource, resource.SingularResource}, resource.ShortNames...)}
			kind.Group, kind.Version, kind.GroupVersionResource.Resource = group.Name, version.Version, resource.Resource
			kind.Kind, kind.Namespaced = resource.ResponseKind.Kind, resource.Scope == apidiscoveryv2.ScopeNamespace
			served = append(served, kind)
		}
	}
	return served
}

func isForUsers(verbs []string) bool {
	return slices.Contains(verbs, "list") && slices.Contains(verbs, "create") && slices.Contains(verbs, "patch")
}
