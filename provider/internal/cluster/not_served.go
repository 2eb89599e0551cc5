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

// aggregatedDiscovery asks for all kinds of all groups in one answer, which API servers give since 1.26.
const aggregatedDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"

// ExplainNotServed completes a *[KindNotServedError]: it says where the API server serves the kind instead, whether the
// kind can still come to where it was wanted, and what defines it. That is a few requests, so it is for when something is
// amiss. Any other error, and one about which nothing can be found out, is returned as it is; nil stays nil.
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

// otherVersion finds another version of the same API group that has a kind that is not served in one. All versions of a
// group show the same objects, so while there is one, the objects live on. It is empty if there is none, and an error
// says that it is not known.
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

// closed reports whether nobody can add a kind to a group and version. A CustomResourceDefinition may not name a group
// without a dot; one that names a group of Kubernetes itself is accepted, and its objects are not to be reached where
// the API server serves that version. Where it does not, only the kind that is served elsewhere proves the mistake. (An
// aggregated API server might bring a group without a dot, so one that is not known is not closed by that alone.)
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

// served is all that an API server serves.
type served struct {
	versions map[schema.GroupVersion]bool
	kinds    map[string][]schema.GroupVersion
}

// of lists where a kind is served: Kubernetes' own groups before those of others, and in each group the version that
// the API server prefers.
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

// servedGroups asks what the API server serves. It knows only the kinds of API servers that aggregate discovery.
func (c *Cluster) servedGroups(ctx context.Context) (served, error) {
	all := served{versions: map[schema.GroupVersion]bool{}, kinds: map[string][]schema.GroupVersion{}}
	for _, path := range []string{"/api", "/apis"} {
		answer, err := c.read(ctx, c.client.Get().AbsPath(path).SetHeader("Accept", aggregatedDiscovery))
		if err != nil {
			return served{}, err
		}
		var list apidiscoveryv2.APIGroupDiscoveryList
		if err := json.Unmarshal(answer.body, &list); err != nil {
			return served{}, &failure.UnreadableReplyError{Code: answer.code}
		}
		for _, group := range list.Items {
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
	}
	return all, nil
}
