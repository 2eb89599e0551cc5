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

// LostWith says in brackets what goes with an object that is deleted. Every advice to delete something has it.
func LostWith(kind schema.GroupKind) string {
	lost, ok := lostWith[kind]
	if !ok {
		lost = "what it owns and what it holds"
	}
	return "(lost with it: " + lost + ")"
}

var lostWith = map[schema.GroupKind]string{
	APIService:               "the access to its group and version",
	ConfigMap:                "its data",
	CronJob:                  "its Jobs and their pods",
	CustomResourceDefinition: "every object of its kind in the cluster",
	DaemonSet:                "its pods",
	Deployment:               "its pods",
	Job:                      "its pods and their logs",
	Namespace:                "everything in it",
	PersistentVolume:         "its storage, unless its reclaim policy is Retain",
	PersistentVolumeClaim:    "the data of its volume, unless the reclaim policy of the volume is Retain",
	Pod:                      "its logs and what only its containers hold",
	ReplicaSet:               "its pods",
	ReplicationController:    "its pods",
	Secret:                   "its data",
	Service:                  "its addresses",
	StatefulSet:              "its pods, and its claims if its persistentVolumeClaimRetentionPolicy says so",
}
