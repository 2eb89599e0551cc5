package object

import "github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"

// deletionByHand advises to delete the object, and says what goes with it.
func (t target) deletionByHand() string {
	kind, with := t.Identity().GroupKind(), ""
	_, runs := kinds.PodTemplate(kind)
	switch {
	case kind == kinds.StatefulSet:
		with = " (its pods go with it, unless `kubectl delete --cascade=orphan` leaves them)"
	case kind == kinds.CronJob:
		with = " (its Jobs and their pods go with it)"
	case kind == kinds.Namespace:
		with = " (everything in it goes with it)"
	case kind == kinds.CustomResourceDefinition:
		with = " (all objects of its kind in the cluster go with it)"
	case kind == kinds.PersistentVolumeClaim, kind == kinds.PersistentVolume:
		with = " (its data may go with it)"
	case kind == kinds.Pod:
	case runs:
		with = " (its pods go with it)"
	case kinds.HasDependents(kind):
		with = " (what it owns goes with it)"
	}
	return "delete it by hand" + with + ": the next `pulumi up` creates it as the manifest says."
}
