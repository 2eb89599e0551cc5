package kinds

import "k8s.io/apimachinery/pkg/runtime/schema"

// IsClusterScoped reports whether objects of a kind of Kubernetes itself live outside of namespaces. All
// kinds that are not known here, those of custom resources above all, count as namespaced.
func IsClusterScoped(kind schema.GroupKind) bool { return clusterScoped[kind] }

// clusterScoped are the kinds of Kubernetes whose objects have no namespace, alpha ones and those of
// releases that are still met included. Tests compare it with client-go and with a real API server.
var clusterScoped = set(map[string][]string{
	"": {"ComponentStatus", "Namespace", "Node", "PersistentVolume"},
	"admissionregistration.k8s.io": {
		"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration",
	},
	"apiextensions.k8s.io":         {"CustomResourceDefinition"},
	"apiregistration.k8s.io":       {"APIService"},
	"authentication.k8s.io":        {"SelfSubjectReview", "TokenReview"},
	"authorization.k8s.io":         {"SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"},
	"certificates.k8s.io":          {"CertificateSigningRequest", "ClusterTrustBundle"},
	"extensions":                   {"PodSecurityPolicy"}, // until 1.15
	"flowcontrol.apiserver.k8s.io": {"FlowSchema", "PriorityLevelConfiguration"},
	"internal.apiserver.k8s.io":    {"StorageVersion"},
	"networking.k8s.io":            {"ClusterCIDR", "IPAddress", "IngressClass", "ServiceCIDR"}, // ClusterCIDR until 1.28
	"node.k8s.io":                  {"RuntimeClass"},
	"policy":                       {"PodSecurityPolicy"}, // until 1.24
	"rbac.authorization.k8s.io":    {"ClusterRole", "ClusterRoleBinding"},
	"resource.k8s.io":              {"DeviceClass", "DeviceTaintRule", "ResourceClass", "ResourcePoolStatusRequest", "ResourceSlice"}, // ResourceClass until 1.30
	"scheduling.k8s.io":            {"PriorityClass"},
	"storage.k8s.io":               {"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"},
	"storagemigration.k8s.io":      {"StorageVersionMigration"},
})
