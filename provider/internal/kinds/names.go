package kinds

import "k8s.io/apimachinery/pkg/runtime/schema"

// The kinds with rules of their own. The version does not matter for any of them.
var (
	APIService               = schema.GroupKind{Group: "apiregistration.k8s.io", Kind: "APIService"}
	ConfigMap                = schema.GroupKind{Kind: "ConfigMap"}
	CronJob                  = schema.GroupKind{Group: "batch", Kind: "CronJob"}
	CustomResourceDefinition = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	DaemonSet                = schema.GroupKind{Group: "apps", Kind: "DaemonSet"}
	Deployment               = schema.GroupKind{Group: "apps", Kind: "Deployment"}
	Job                      = schema.GroupKind{Group: "batch", Kind: "Job"}
	Namespace                = schema.GroupKind{Kind: "Namespace"}
	PersistentVolume         = schema.GroupKind{Kind: "PersistentVolume"}
	PersistentVolumeClaim    = schema.GroupKind{Kind: "PersistentVolumeClaim"}
	Pod                      = schema.GroupKind{Kind: "Pod"}
	ReplicaSet               = schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}
	ReplicationController    = schema.GroupKind{Kind: "ReplicationController"}
	Secret                   = schema.GroupKind{Kind: "Secret"}
	Service                  = schema.GroupKind{Kind: "Service"}
	ServiceAccount           = schema.GroupKind{Kind: "ServiceAccount"}
	StatefulSet              = schema.GroupKind{Group: "apps", Kind: "StatefulSet"}
)

// set makes a set of kinds, which are listed by their groups.
func set(byGroup map[string][]string) map[schema.GroupKind]bool {
	kinds := map[schema.GroupKind]bool{}
	for group, names := range byGroup {
		for _, name := range names {
			kinds[schema.GroupKind{Group: group, Kind: name}] = true
		}
	}
	return kinds
}
