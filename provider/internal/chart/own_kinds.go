package chart

import (
	"slices"
	"strings"
	"sync"

	"helm.sh/helm/v4/pkg/chart/common"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/kubernetes/scheme"
)

// ownKind is one of Kubernetes' own kinds, and the releases in which an API server has it.
type ownKind struct {
	id string // group/version/Kind, or version/Kind of the core group
	// introduced is the first release with the kind, removed the first without it. They are nil if the kind has always existed, or still
	// exists.
	introduced, removed *version.Version
}

// optionalSince is the release since which new beta versions are off unless an administrator turns them on. Older beta versions stayed on.
var optionalSince = version.MajorMinor(1, 24)

// ownKinds are the kinds that Helm finds by discovery in a cluster without additions: the kinds of a release's API server. They include API
// aggregation, whose kind is in no client package, and, like discovery, kinds of subresources such as Eviction.
func ownKinds(kubernetes common.KubeVersion) []string {
	release, err := version.ParseGeneric(kubernetes.Version)
	if err != nil {
		return nil
	}
	ids := []string{"apiregistration.k8s.io/v1", "apiregistration.k8s.io/v1/APIService"}
	for _, kind := range allOwnKinds() {
		if (kind.introduced == nil || kind.introduced.Major() == release.Major() && kind.introduced.Minor() <= release.Minor()) &&
			(kind.removed == nil || kind.removed.Minor() > release.Minor()) {
			ids = append(ids, kind.id)
		}
	}
	return ids
}

// allOwnKinds are all kinds that were on by default in some release. Helm adds the kinds of custom resource definitions to the scheme.
var allOwnKinds = sync.OnceValue(func() (found []ownKind) {
	for gvk := range scheme.Scheme.AllKnownTypes() {
		object, err := scheme.Scheme.New(gvk)
		if _, isObject := object.(metav1.Object); err != nil || !isObject || strings.Contains(gvk.Version, "alpha") {
			continue
		}
		kind := ownKind{id: idOf(gvk)}
		kind.introduced, kind.removed = lifeOf(object)
		if strings.Contains(gvk.Version, "beta") && (kind.introduced == nil || !kind.introduced.LessThan(optionalSince)) {
			continue
		}
		found = append(found, kind)
	}
	slices.SortFunc(found, func(a, b ownKind) int { return strings.Compare(a.id, b.id) })
	return found
})

func idOf(kind schema.GroupVersionKind) string {
	return kind.GroupVersion().String() + "/" + kind.Kind
}

// lifeOf returns the releases that the generated code of Kubernetes names.
func lifeOf(object runtime.Object) (introduced, removed *version.Version) {
	if kind, known := object.(interface{ APILifecycleIntroduced() (major, minor int) }); known {
		introduced = releaseOf(kind.APILifecycleIntroduced())
	}
	if kind, known := object.(interface{ APILifecycleRemoved() (major, minor int) }); known {
		removed = releaseOf(kind.APILifecycleRemoved())
	}
	return introduced, removed
}

func releaseOf(major, minor int) *version.Version {
	return version.MajorMinor(uint(major), uint(minor))
}
