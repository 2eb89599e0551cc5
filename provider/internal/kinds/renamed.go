package kinds

// Successor says, in a sentence or two, what became of a kind that Kubernetes once had under another name; "" for any
// other kind.
func Successor(kind string) string { return successors[kind] }

var successors = map[string]string{
	"PetSet":             "PetSet is called StatefulSet since Kubernetes 1.5; write kind StatefulSet of apps/v1.",
	"ScheduledJob":       "ScheduledJob is called CronJob since Kubernetes 1.5; write kind CronJob of batch/v1.",
	"ThirdPartyResource": "ThirdPartyResource was replaced by CustomResourceDefinition of apiextensions.k8s.io/v1 in Kubernetes 1.8.",
	"PodSecurityPolicy": "PodSecurityPolicy was removed in Kubernetes 1.25; label the namespaces for Pod Security admission instead " +
		"(pod-security.kubernetes.io/enforce).",
}
