package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// aggregatedDiscovery asks for all kinds of all groups in one answer. API servers support this since 1.26.
const aggregatedDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"

// ExplainNotServed completes a *[KindNotServedError]: it says where the API server serves the kind instead, whether the
// kind can still be added to the wanted group and version, and what defines it. This takes several requests, so it is
// only for failures. It returns any other error unchanged, also one that it finds out nothing about, and nil for nil.
func (c *Cluster) ExplainNotServed(ctx context.Context, err error) error {
	var notServed *KindNotServedError
	if !errors.As(err, &notServed) || notServed.Permanent || notServed.IsDefined() || len(notServed.ServedAs) > 0 {
		return err
	}
	wanted, parseErr := schema.ParseGroupVersion(notServed.APIVersion)
	if parseErr != nil {
		return err
	}
	served, lookup := c.servedGroups(ctx)
	if lookup != nil {
		return err
	}
	complete := *notServed
	complete.ServedAs = served.of(notServed.Kind)
	complete.Permanent = closed(wanted, served.versions[wanted], len(complete.ServedAs) > 0)
	inGroup := func(groupVersion schema.GroupVersion) bool { return groupVersion.Group == wanted.Group }
	if complete.Permanent || slices.ContainsFunc(served.kinds[notServed.Kind], inGroup) {
		return &complete
	}
	if confirmed := c.ConfirmGone(ctx, &complete); failure.NotServed(confirmed) {
		return confirmed
	}
	return &complete
}

// otherVersion finds another version of the same API group that serves the kind. All versions of a group show the same
// objects, so the objects still exist while one version is served. It returns "" if there is none, and an error if it
// cannot find out.
func (c *Cluster) otherVersion(ctx context.Context, notServed *KindNotServedError) (apiVersion string, lookup error) {
	wanted, err := schema.ParseGroupVersion(notServed.APIVersion)
	if err != nil {
		return "", nil
	}
	served, err := c.servedGroups(ctx)
	if err != nil {
		return "", err
	}
	for _, groupVersion := range served.kinds[notServed.Kind] {
		if groupVersion.Group == wanted.Group && groupVersion != wanted {
			return groupVersion.String(), nil
		}
	}
	return "", nil
}

// closed reports whether no one can add a kind to a group and version. The group of a CustomResourceDefinition must
// contain a dot. The API server accepts a definition in a group of Kubernetes itself, but its objects cannot be reached
// if the API server already serves that group and version. If it does not, only a kind that is served elsewhere proves
// a mistake. (An aggregated API server might add a group without a dot, so an unknown group without one is not closed
// for that reason alone.)
func closed(wanted schema.GroupVersion, versionServed, kindElsewhere bool) bool {
	switch own, dotted := kinds.OwnGroup(wanted.Group), strings.Contains(wanted.Group, "."); {
	case own && dotted:
		return versionServed || kindElsewhere
	case own:
		return true
	default:
		return !dotted && kindElsewhere
	}
}

// served is everything that an API server serves.
type served struct {
	versions map[schema.GroupVersion]bool
	kinds    map[string][]schema.GroupVersion
}

// of lists where a kind is served: Kubernetes' own groups first, and in each group the version that the API server
// prefers.
func (s served) of(kind string) []string {
	var own, others []string
	seen := map[string]bool{}
	for _, groupVersion := range s.kinds[kind] {
		switch group := groupVersion.Group; {
		case seen[group]:
		case kinds.OwnGroup(group):
			own = append(own, groupVersion.String())
		default:
			others = append(others, groupVersion.String())
		}
		seen[groupVersion.Group] = true
	}
	slices.Sort(own)
	slices.Sort(others)
	return append(own, others...)
}

// servedGroups asks what the API server serves. If the API server does not support aggregated discovery, it returns no
// kinds.
func (c *Cluster) servedGroups(ctx context.Context) (served, error) {
	all := served{versions: map[schema.GroupVersion]bool{}, kinds: map[string][]schema.GroupVersion{}}
	groups, err := c.allGroups(ctx)
	if err != nil {
		return served{}, err
	}
	for _, group := range groups {
		for _, version := range group.Versions {
			groupVersion := schema.GroupVersion{Group: group.Name, Version: version.Version}
			all.versions[groupVersion] = true
			for _, resource := range version.Resources {
				if kind := resource.ResponseKind; kind != nil {
					all.kinds[kind.Kind] = append(all.kinds[kind.Kind], groupVersion)
				}
			}
		}
	}
	return all, nil
}

// allGroups asks for all groups with their kinds, in two requests.
func (c *Cluster) allGroups(ctx context.Context) ([]apidiscoveryv2.APIGroupDiscovery, error) {
	var groups []apidiscoveryv2.APIGroupDiscovery
	for _, path := range []string{"/api", "/apis"} {
		answer, err := c.read(ctx, c.client.Get().AbsPath(path).SetHeader("Accept", aggregatedDiscovery))
		if err != nil {
			return nil, err
		}
		var list apidiscoveryv2.APIGroupDiscoveryList
		if err := json.Unmarshal(answer.body, &list); err != nil {
			return nil, &failure.UnreadableReplyError{Code: answer.code}
		}
		groups = append(groups, list.Items...)
	}
	return groups, nil
}
