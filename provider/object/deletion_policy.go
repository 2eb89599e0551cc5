package object

import (
	"maps"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/policy"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// deletionInputs decide what a deletion does. They do not affect the object while it exists.
var deletionInputs = []string{policy.KeyDeletionPropagation, keyForceDestroy, keyDeleteInstances}

// withDeletionPolicy adds to a diff that a deletion now does something else. If nothing else changes, the update sends
// nothing to the cluster. So it succeeds even if the object can no longer be written because its deletion is stuck.
func (r *kubeObject) withDeletionPolicy(req p.DiffRequest, diff p.DiffResponse) p.DiffResponse {
	r.unwritten.Delete(req.Urn)
	said := tracked.InputChanges(req.OldInputs, req.Inputs, ignoredIn(req), deletionInputs...)
	if !said.HasChanges {
		return diff
	}
	if !diff.HasChanges {
		r.unwritten.Store(req.Urn, uidIn(req.State))
		return said
	}
	maps.Copy(said.DetailedDiff, diff.DetailedDiff)
	diff.DetailedDiff = said.DetailedDiff
	return diff
}

// onlyDeletesOtherwise reports whether the Diff of an update found nothing to do except to save how the object is
// deleted.
func (r *kubeObject) onlyDeletesOtherwise(req p.UpdateRequest) bool {
	uid, noted := r.unwritten.LoadAndDelete(req.Urn)
	return noted && uid == uidIn(req.State)
}

func uidIn(state property.Map) string { return reference.Decode(state.Get(tracked.KeyResourceRef)).UID }
