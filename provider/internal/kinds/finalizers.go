package kinds

// Finalizers of Kubernetes itself with rules of their own.
const (
	// InstancesFinalizer holds a CustomResourceDefinition until the API server has deleted the objects of its kind. What
	// it has not deleted stays in the API server's store and is back with the next definition of that name.
	InstancesFinalizer = "customresourcecleanup.apiextensions.k8s.io"
	// VolumeFinalizer holds a PersistentVolume while a claim has it.
	VolumeFinalizer = "kubernetes.io/pv-protection"
)

// FinalizerMeaning says what a finalizer of Kubernetes itself waits for; "" for any other. A finalizer is a promise of
// some controller to do something first, and the controller removes it when that is done.
func FinalizerMeaning(finalizer string) string { return finalizerMeanings[finalizer] }

var finalizerMeanings = map[string]string{
	"kubernetes.io/pvc-protection":     "a pod still uses the claim; it goes when the last such pod has gone",
	VolumeFinalizer:                    "the volume is still bound to a claim",
	"foregroundDeletion":               "objects that it owns are being deleted first",
	"orphan":                           "objects that it owns are being released first",
	"kubernetes":                       "the namespace is being emptied",
	"batch.kubernetes.io/job-tracking": "the Job that counts this pod has not counted it yet",
	"service.kubernetes.io/load-balancer-cleanup": "the cloud's load balancer is being removed",
	InstancesFinalizer:                            "objects of the kind still exist and are being deleted",
}
