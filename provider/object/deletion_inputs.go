package object

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/policy"
)

// deletion is how a program wants an object to be deleted.
type deletion struct {
	uid         string
	propagation string
	force       bool
	instances   bool
}

// noteDeletion remembers how the program wants an object to be deleted. The engine gives a Delete the inputs of the last run,
// also when it is the first half of a replacement: a program that changes what cannot be changed and says in the same update
// that the dependents stay would lose them.
func (r *kubeObject) noteDeletion(urn resource.URN, properties property.Map, in inputs, uid string) {
	for _, key := range []string{policy.KeyDeletionPropagation, keyForceDestroy, keyDeleteInstances} {
		if properties.Get(key).HasComputed() {
			return
		}
	}
	r.deletions.Store(urn, deletion{uid: uid, propagation: in.propagation, force: in.forceDestroy, instances: in.deleteInstances})
}

// asProgrammed returns the inputs of a Delete with what the program says about it, if it still has the resource.
func (r *kubeObject) asProgrammed(urn resource.URN, in inputs, uid string) inputs {
	noted, _ := r.deletions.Load(urn)
	if wanted, ok := noted.(deletion); ok && wanted.uid == uid {
		in.propagation, in.forceDestroy, in.deleteInstances = wanted.propagation, wanted.force, wanted.instances
	}
	return in
}
