package object

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// kind names a kind of one API group; the version does not matter.
type kind struct{ group, name string }

func kindOf(id manifest.Identity) kind { return kind{id.Group(), id.Kind} }

// Kinds with rules of their own.
var (
	kindService   = kind{"", "Service"}
	kindPod       = kind{"", "Pod"}
	kindConfigMap = kind{"", "ConfigMap"}
	kindSecret    = kind{"", "Secret"}
	kindJob       = kind{"batch", "Job"}
)

// childless are built-in kinds whose objects own no others by owner references, so
// nothing has to be deleted before them. (What is inside a namespace, or of a
// custom kind, goes by a finalizer of the API server's own.)
var childless = map[kind]bool{
	{"", "Namespace"}: true,
	{"apiextensions.k8s.io", "CustomResourceDefinition"}: true,
	{"", "ConfigMap"}:                                                  true,
	{"", "Secret"}:                                                     true,
	{"", "ServiceAccount"}:                                             true,
	{"", "PersistentVolume"}:                                           true,
	{"", "PersistentVolumeClaim"}:                                      true,
	{"", "LimitRange"}:                                                 true,
	{"", "ResourceQuota"}:                                              true,
	{"", "Endpoints"}:                                                  true,
	{"", "Event"}:                                                      true,
	{"", "Pod"}:                                                        true,
	{"rbac.authorization.k8s.io", "Role"}:                              true,
	{"rbac.authorization.k8s.io", "RoleBinding"}:                       true,
	{"rbac.authorization.k8s.io", "ClusterRole"}:                       true,
	{"rbac.authorization.k8s.io", "ClusterRoleBinding"}:                true,
	{"storage.k8s.io", "StorageClass"}:                                 true,
	{"scheduling.k8s.io", "PriorityClass"}:                             true,
	{"networking.k8s.io", "NetworkPolicy"}:                             true,
	{"networking.k8s.io", "Ingress"}:                                   true,
	{"networking.k8s.io", "IngressClass"}:                              true,
	{"policy", "PodDisruptionBudget"}:                                  true,
	{"autoscaling", "HorizontalPodAutoscaler"}:                         true,
	{"coordination.k8s.io", "Lease"}:                                   true,
	{"admissionregistration.k8s.io", "MutatingWebhookConfiguration"}:   true,
	{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"}: true,
}

// deletionPolicy is the default: children first, so that they are gone before
// what they depend on.
func deletionPolicy(id manifest.Identity) metav1.DeletionPropagation {
	if childless[kindOf(id)] {
		return metav1.DeletePropagationBackground
	}
	return metav1.DeletePropagationForeground
}

// deletionTimeout is how long a deletion may take unless customTimeouts say
// otherwise: long for what drains or detaches.
func deletionTimeout(id manifest.Identity) time.Duration {
	switch kindOf(id) {
	case kind{"", "Namespace"}, kind{"apiextensions.k8s.io", "CustomResourceDefinition"}:
		return 15 * time.Minute
	case kind{"", "PersistentVolume"}, kind{"", "PersistentVolumeClaim"}:
		return 10 * time.Minute
	case kind{"apps", "StatefulSet"}, kind{"batch", "Job"}, kind{"batch", "CronJob"}:
		return 8 * time.Minute
	default:
		return 5 * time.Minute
	}
}
