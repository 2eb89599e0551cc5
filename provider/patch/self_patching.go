package patch

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// refuseOwn refuses an object that a KubeObject manages, in this program or another, unless the program takes it over
// from that KubeObject. The KubeObject would take the field back at once, and its preview would show drift forever.
func (t target) refuseOwn(in inputs, live *unstructured.Unstructured) error {
	manager := ""
	for _, other := range tracked.KubeObjectsOn(live, t.Own()...) {
		if !in.takeOver.Names(other) {
			manager = other
			break
		}
	}
	if manager == "" {
		return nil
	}
	return tracked.Refused(failure.ReasonManagedElsewhere, "%s is managed by the KubeObject %s (field manager %q). Nothing was changed.\n"+
		"A Patch is for objects of others: the two would keep taking the fields from each other.\n"+
		"Either set the fields in the manifest of that KubeObject, or remove the object from its program (with the resource "+
		"option retainOnDelete). If no program has that KubeObject any more, take the object over from it: %s.",
		t.Ref, ownership.DescribeManager(manager), manager, in.takeOver.Line(manager))
}
