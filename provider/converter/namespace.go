package converter

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/spelling"
)

// atOnce is how many kinds are listed at the same time.
const atOnce = 8

// findInNamespace lists the objects in a namespace that people have applied, and the namespace itself.
func findInNamespace(ctx context.Context, clu *cluster.Cluster, args arguments) (selection, error) {
	served, err := clu.Kinds(ctx)
	if err != nil {
		return selection{}, err
	}
	chosen, err := choose(served, args.kinds)
	if err != nil {
		return selection{}, err
	}
	sorted := newSorter(args)
	lists, unread, err := listed(ctx, clu, chosen, args)
	if err != nil {
		return selection{}, err
	}
	space, err := clu.Get(ctx, cluster.Ref{APIVersion: "v1", Kind: kinds.Namespace.Kind, Name: args.name})
	switch {
	case apierrors.IsNotFound(err):
		return selection{}, failure.Errorf(failure.ReasonNamespaceNotFound, "namespace %s does not exist", args.name)
	case apierrors.IsForbidden(err):
		unread = append(unread, "the namespace itself (you may not read it)")
	case err != nil:
		return selection{}, err
	case slices.ContainsFunc(chosen, isNamespace) && matches(args.selector, space):
		sorted.add(space, "")
	}
	seen := map[types.UID]bool{} // a kind may be served in two groups
	for _, list := range lists {
		for i := range list {
			if uid := list[i].GetUID(); !seen[uid] {
				seen[uid] = true
				sorted.add(&list[i], "")
			}
		}
	}
	return sorted.found(args, unread)
}

// listed lists the objects of each kind. unread are the kinds that cannot be listed, with the reason.
func listed(
	ctx context.Context, clu *cluster.Cluster, chosen []cluster.ServedKind, args arguments,
) (lists [][]unstructured.Unstructured, unread []string, err error) {
	lists, forbidden := make([][]unstructured.Unstructured, len(chosen)), make([]bool, len(chosen))
	group, inside := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, kind := range chosen {
		if kind.Stale || !kind.Namespaced {
			continue
		}
		group.Go(func() error {
			var err error
			lists[i], _, err = clu.ListAll(inside, kind.Resource, cluster.ListOptions{
				APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Namespace: args.name,
				LabelSelector: args.selector, MetadataOnly: true,
			})
			if forbidden[i] = apierrors.IsForbidden(err); forbidden[i] {
				return nil
			}
			return err
		})
	}
	err = group.Wait()
	for i, kind := range chosen {
		switch name := kind.GroupResource().String(); {
		case kind.Stale:
			unread = append(unread, name+" (its server does not answer)")
		case forbidden[i]:
			unread = append(unread, name+" (you may not list them)")
		}
	}
	return lists, unread, err
}

func isNamespace(kind cluster.ServedKind) bool {
	return kind.Group == kinds.Namespace.Group && kind.Kind == kinds.Namespace.Kind
}

func matches(selector string, object *unstructured.Unstructured) bool {
	parsed, err := labels.Parse(selector)
	return err == nil && parsed.Matches(labels.Set(object.GetLabels()))
}

// unlisted are kinds that only the control plane writes. A namespace may have thousands of such objects.
var unlisted = map[string]bool{"Event": true, "Lease": true}

// choose returns the kinds that are listed: all, or those that the user names.
func choose(served []cluster.ServedKind, named []string) ([]cluster.ServedKind, error) {
	var chosen []cluster.ServedKind
	used := map[string]bool{}
	for _, kind := range served {
		if !kind.Namespaced && !isNamespace(kind) {
			continue
		}
		names := named
		if len(named) == 0 && !(unlisted[kind.Kind] && kinds.OwnGroup(kind.Group)) {
			chosen = append(chosen, kind)
		}
		for _, name := range names {
			if isCalled(kind, name) {
				used[name] = true
				if !slices.ContainsFunc(chosen, func(other cluster.ServedKind) bool { return other.GroupVersionResource == kind.GroupVersionResource }) {
					chosen = append(chosen, kind)
				}
			}
		}
	}
	for _, name := range named {
		if !used[name] {
			return nil, unknownKind(served, name)
		}
	}
	slices.SortStableFunc(chosen, func(a, b cluster.ServedKind) int {
		return cmp.Compare(a.GroupResource().String(), b.GroupResource().String())
	})
	return chosen, nil
}

// isCalled reports whether people call a kind so: Deployment, deployments, deploy, deployments.apps, Deployment.apps.
func isCalled(kind cluster.ServedKind, name string) bool {
	short, group, grouped := strings.Cut(strings.ToLower(name), ".")
	if grouped && group != kind.Group {
		return false
	}
	return slices.ContainsFunc(kind.Names, func(known string) bool { return strings.ToLower(known) == short })
}

func unknownKind(served []cluster.ServedKind, name string) error {
	var known []string
	for _, kind := range served {
		known = append(known, kind.Kind)
	}
	hint := ""
	if near := spelling.Nearest(name, known); near != "" {
		hint = fmt.Sprintf(" Did you mean %s?", near)
	}
	return failure.Errorf(failure.ReasonKindNotServed,
		"--kinds has %q, and the cluster serves no such kind that can be applied.%s", name, hint)
}
