package converter

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// findNamed looks up objects that a release or a state names. Those of namespaced kinds that name no namespace are in
// the given one. Of the rules about what is left out, all apply but the one about who has made an object: the name is
// enough.
func findNamed(
	ctx context.Context, clu *cluster.Cluster, args arguments, named []manifest.Identity, namespace string,
) (*sorter, error) {
	if len(args.kinds) > 0 {
		served, err := clu.Kinds(ctx)
		if err != nil {
			return nil, err
		}
		if named, err = ofKinds(served, args.kinds, named); err != nil {
			return nil, err
		}
	}
	live := make([]*unstructured.Unstructured, len(named))
	group, inside := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range named {
		group.Go(func() error {
			resolved, err := clu.Find(inside, named[i].APIVersion, named[i].Kind, named[i].Namespace, named[i].Name)
			if err == nil {
				if resolved.Resource.Namespaced && named[i].Namespace == "" && namespace != "" {
					resolved.Namespace = namespace
				}
				named[i].Namespace = resolved.Namespace
				live[i], err = clu.Get(inside, resolved.Ref)
			}
			if apierrors.IsNotFound(err) || failure.NotServed(err) {
				return nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	sorted := newSorter(args)
	sorted.named = true
	for i, object := range live {
		if object == nil {
			sorted.leave(leftAbsent, named[i], "")
		} else {
			sorted.add(object)
		}
	}
	return sorted, nil
}

// ofKinds returns the objects whose kinds the user names.
func ofKinds(served []cluster.ServedKind, kinds []string, named []manifest.Identity) ([]manifest.Identity, error) {
	for _, kind := range kinds {
		if !slices.ContainsFunc(served, func(s cluster.ServedKind) bool { return isCalled(s, kind) }) {
			return nil, unknownKind(served, kind)
		}
	}
	return slices.DeleteFunc(slices.Clone(named), func(object manifest.Identity) bool {
		return !slices.ContainsFunc(served, func(s cluster.ServedKind) bool {
			return s.Kind == object.Kind && s.Group == object.Group() &&
				slices.ContainsFunc(kinds, func(kind string) bool { return isCalled(s, kind) })
		})
	}), nil
}
