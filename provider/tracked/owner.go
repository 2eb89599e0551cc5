package tracked

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// ManagerOf returns the field manager of the KubeObject or Task with a URN.
func ManagerOf(urn resource.URN) string {
	return ownership.Manager(string(urn.Project()), string(urn.Stack()), urn.Name(), string(urn))
}

// KubeObjectOf returns the field manager of the KubeObject that manages an object, unless it is one of own; "" if
// there is none. An object that a KubeObject manages belongs to it: no other resource writes it.
func KubeObjectOf(live *unstructured.Unstructured, own ...string) string {
	if managers := KubeObjectsOn(live, own...); len(managers) > 0 {
		return managers[0]
	}
	return ""
}

// KubeObjectsOn lists the field managers of the KubeObjects on an object, except own.
func KubeObjectsOn(live *unstructured.Unstructured, own ...string) []string {
	var managers []string
	for _, manager := range ownership.Managers(live) {
		if ownership.Foreign(manager, "") && !ownership.IsPatchManager(manager) && !slices.Contains(own, manager) {
			managers = append(managers, manager)
		}
	}
	return managers
}

// PatchesOn lists the field managers of the Patches on an object, except own.
func PatchesOn(live *unstructured.Unstructured, own ...string) []string {
	var patches []string
	for _, manager := range ownership.Managers(live) {
		if ownership.IsPatchManager(manager) && !slices.Contains(own, manager) {
			patches = append(patches, manager)
		}
	}
	return patches
}

// NamesOwners reports whether an object says who owns its fields. The API server always does. If a proxy has removed
// that, the owner is unknown.
func NamesOwners(live *unstructured.Unstructured) bool { return len(live.GetManagedFields()) > 0 }
