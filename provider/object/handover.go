package object

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// takes reports whether the program names managers to take over from that it has not named before.
func (in inputs) takes(old state) bool {
	return len(in.takeOver) > 0 && (old.Foreign != "" || old.takenOver != in.takeOver.String())
}

// handOver makes ours what the managers that the program names own of the fields that the manifest sets, or that we have
// applied. It comes before the apply: then what the manifest does not set any more goes with it, and nothing is in
// conflict. The rest stays theirs; that of another KubeObject goes on under a name that is nobody's, so that it is no
// longer on the object.
func (t target) handOver(ctx context.Context, in inputs, old state, uid types.UID) error {
	applied := old.fields
	answer, err := t.apply(ctx, in.sent(), cluster.ApplyOptions{UID: uid, DryRun: true, Force: true})
	if apierrors.IsInvalid(err) && !isOtherObject(err) {
		answer, err = t.applyDespiteDefaults(ctx, in, old.Wanted(), in.sent(), uid, true, nil, err)
	}
	if err != nil {
		return err
	}
	wanted, _, err := ownership.Applied(answer, t.Manager)
	if err != nil {
		return err
	}
	if wanted == nil {
		wanted = fieldpath.NewSet()
	}
	if applied != nil {
		wanted = wanted.Union(applied)
	}
	// What is ignored would be ours alone, and the apply would take it away.
	wanted, _ = in.ignore.Split(wanted)
	return t.edit(ctx, in, uid, func(live *unstructured.Unstructured) ([]byte, error) {
		return ownership.HandOver(live, t.Manager, func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) ownership.Handover {
			var decided ownership.Handover
			if slices.Contains(t.Own(), entry.Manager) || !in.takeOver.Names(entry.Manager) {
				return decided
			}
			if ownership.Foreign(entry.Manager, t.Manager) {
				decided.Rest = ownership.LeftManager
			}
			if entry.APIVersion == live.GetAPIVersion() { // another version may have other fields
				decided.Moved = ownership.Shared(owned, wanted)
			}
			return decided
		})
	})
}
