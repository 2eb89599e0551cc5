package kinds

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// HasDependents reports whether objects of a kind may own others by owner references, which a deletion in the
// foreground deletes first. Kinds that are not known here may.
func HasDependents(kind schema.GroupKind) bool { return !childless[kind] }

// childless are the kinds whose objects own no others by owner references. (What is inside a namespace, or of a custom
// kind, goes by a finalizer of the API server's own.)
var childless = set(map[string][]string{
	"": {
		"ConfigMap", "Endpoints", "Event", "LimitRange", "Namespace", "PersistentVolume", "PersistentVolumeClaim", "Pod",
		"ResourceQuota", "Secret", "ServiceAccount",
	},
	"admissionregistration.k8s.io": {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"},
	"apiextensions.k8s.io":         {"CustomResourceDefinition"},
	"autoscaling":                  {"HorizontalPodAutoscaler"},
	"coordination.k8s.io":          {"Lease"},
	"networking.k8s.io":            {"Ingress", "IngressClass", "NetworkPolicy"},
	"policy":                       {"PodDisruptionBudget"},
	"rbac.authorization.k8s.io":    {"ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"},
	"scheduling.k8s.io":            {"PriorityClass"},
	"storage.k8s.io":               {"StorageClass"},
})

// DeletionTimeout is how long the deletion of an object may take by default: long for what drains or detaches.
func DeletionTimeout(kind schema.GroupKind) time.Duration {
	switch kind {
	case Namespace, CustomResourceDefinition:
		return 15 * time.Minute
	case PersistentVolume, PersistentVolumeClaim:
		return 10 * time.Minute
	case StatefulSet, Job, CronJob:
		return 8 * time.Minute
	default:
		return 5 * time.Minute
	}
}

// HoldsData reports whether something would be lost with an object of a kind that re-creating it does not bring back. A
// kind that Kubernetes does not define may hold data too; see [OwnGroup].
func HoldsData(kind schema.GroupKind) bool {
	switch kind {
	case PersistentVolumeClaim, PersistentVolume, Namespace, StatefulSet, CustomResourceDefinition:
		return true
	default:
		return false
	}
}
