package kinds

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// PodTemplate is where the objects of a workload kind keep the pod, which has metadata and a spec; empty for a Pod
// itself. It returns false for all other kinds.
func PodTemplate(kind schema.GroupKind) (keys []string, ok bool) {
	keys, ok = podTemplates[kind]
	return slices.Clone(keys), ok
}

var podTemplates = map[schema.GroupKind][]string{
	Pod:                   {},
	{Kind: "PodTemplate"}: {"template"},
	ReplicationController: {"spec", "template"},
	DaemonSet:             {"spec", "template"},
	Deployment:            {"spec", "template"},
	ReplicaSet:            {"spec", "template"},
	StatefulSet:           {"spec", "template"},
	CronJob:               {"spec", "jobTemplate", "spec", "template"},
	Job:                   {"spec", "template"},
}
