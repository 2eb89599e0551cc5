package object

import "github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"

// deletionByHand is the advice to delete by hand an object that the provider may not delete.
func (t target) deletionByHand() string {
	return "if the object may be deleted, delete it by hand " + kinds.LostWith(t.Identity().GroupKind()) + ": the next `pulumi up` creates it as the manifest says."
}
