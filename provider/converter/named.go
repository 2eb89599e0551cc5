package converter

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// wanted is an object that a release or a state names.
type wanted struct {
	manifest.Identity
	// address is the name of the object's resource where it comes from; empty if it has none.
	address string
	// uid is the object's UID; empty if it is not known.
	uid types.UID
}

// identified are objects of which nothing else is known.
func identified(ids []manifest.Identity) []wanted {
	var named []wanted
	for _, id := range ids {
		named = append(named, wanted{Identity: id})
	}
	return named
}

// findNamed looks up objects that a release or a state names. Those of namespaced kinds that name no namespace are in
// the given one. Of the rules about what is left out, all apply but the one about who has made an object: the name is
// enough.
func findNamed(
	ctx context.Context, clu *cluster.Cluster, args arguments, named []wanted, namespace string,
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
	return sortNamed(args, named, live), nil
}

// sortNamed sorts what was found: live has nil where the cluster has no such object.
func sortNamed(args arguments, named []wanted, live []*unstructured.Unstructured) *sorter {
	sorted := newSorter(args)
	sorted.named = true
	seen := map[types.UID]bool{} // a state may name an object twice
	for i, object := range live {
		switch named := named[i]; {
		case object == nil:
			sorted.leave(leftAbsent, named.Identity, named.address)
		case named.uid != "" && named.uid != object.GetUID():
			sorted.leave(leftOther, named.Identity, named.address)
		case !seen[object.GetUID()]:
			seen[object.GetUID()] = true
			sorted.add(object, named.address)
		}
	}
	return sorted
}

// ofKinds returns the objects whose kinds the user names.
func ofKinds(served []cluster.ServedKind, kinds []string, named []wanted) ([]wanted, error) {
	for _, kind := range kinds {
		if !slices.ContainsFunc(served, func(s cluster.ServedKind) bool { return isCalled(s, kind) }) {
			return nil, unknownKind(served, kind)
		}
	}
	return slices.DeleteFunc(slices.Clone(named), func(object wanted) bool {
		return !slices.ContainsFunc(served, func(s cluster.ServedKind) bool {
			return s.Kind == object.Kind && s.Group == object.Group() &&
				slices.ContainsFunc(kinds, func(kind string) bool { return isCalled(s, kind) })
		})
	}), nil
}
