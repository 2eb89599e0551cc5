package kinds

import (
	"cmp"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The steps in which objects are best applied, so that each finds what it needs.
const (
	stepDefinitions = iota
	stepNamespaces
	stepConditions // what decides about the objects of a namespace, or whether there is room for them
	stepIdentities
	stepContents // what pods mount and read
	stepVolumes
	stepRoles
	stepBindings
	stepServices
	stepWorkloads
	stepRest // what points at workloads
	stepCustom
	stepAdmission // what the API server calls, or asks, from then on
)

var applySteps = stepsOf(map[int]map[string][]string{
	stepDefinitions: {"apiextensions.k8s.io": {"CustomResourceDefinition"}},
	stepNamespaces:  {"": {"Namespace"}},
	stepConditions: {
		"":                  {"LimitRange", "ResourceQuota"},
		"scheduling.k8s.io": {"PriorityClass"},
		"node.k8s.io":       {"RuntimeClass"},
		"networking.k8s.io": {"IngressClass", "NetworkPolicy"},
		"storage.k8s.io":    {"CSIDriver", "StorageClass", "VolumeAttributesClass"},
	},
	stepIdentities: {"": {"ServiceAccount"}},
	stepContents:   {"": {"ConfigMap", "Secret"}},
	stepVolumes:    {"": {"PersistentVolume", "PersistentVolumeClaim"}},
	stepRoles:      {"rbac.authorization.k8s.io": {"ClusterRole", "Role"}},
	stepBindings:   {"rbac.authorization.k8s.io": {"ClusterRoleBinding", "RoleBinding"}},
	stepServices:   {"": {"Service"}},
	stepWorkloads: {
		"": {"Pod", "ReplicationController"}, "apps": {"DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"}, "batch": {"CronJob", "Job"},
	},
	stepRest: {
		"": {"Endpoints"}, "autoscaling": {"HorizontalPodAutoscaler"}, "discovery.k8s.io": {"EndpointSlice"},
		"networking.k8s.io": {"Ingress"}, "policy": {"PodDisruptionBudget"},
	},
	stepAdmission: {
		"admissionregistration.k8s.io": {
			"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration",
			"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration",
		},
		"apiregistration.k8s.io": {"APIService"},
	},
})

func stepsOf(byStep map[int]map[string][]string) map[schema.GroupKind]int {
	steps := map[schema.GroupKind]int{}
	for step, kinds := range byStep {
		for kind := range set(kinds) {
			steps[kind] = step
		}
	}
	return steps
}

// CompareApplyOrder tells which of two objects is better applied first, by their kinds alone: definitions before
// their objects, a namespace before what is in it, roles before their bindings. Admission configurations and
// APIServices come last: a webhook that covers its own pods would keep them from starting. Kinds that are not
// Kubernetes' own come after those that may be their operators.
func CompareApplyOrder(a, b schema.GroupKind) int { return cmp.Compare(applyStep(a), applyStep(b)) }

func applyStep(kind schema.GroupKind) int {
	if step, known := applySteps[kind]; known {
		return step
	}
	if OwnGroup(kind.Group) {
		return stepRest
	}
	return stepCustom
}
