package object

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// Delete deletes the very object that the state knows and waits until it is gone.
// An object that somebody else made in its place is left alone.
func (r *kubeObject) Delete(ctx context.Context, req p.DeleteRequest) error {
	in, err := decodeInputs(req.OldInputs)
	if err != nil {
		return err
	}
	old, err := decodeState(req.Properties)
	if err != nil {
		return err
	}
	id := old.ref.identity
	if id.Name == "" {
		if id, err = manifest.ParseID(req.ID); err != nil {
			return err
		}
	}
	clu, err := r.source.Cluster(req.OldInputs)
	if err != nil {
		return err
	}
	t, err := resolve(ctx, clu, id, managerOf(req.Urn))
	if isGone(err) {
		return nil
	}
	if err != nil {
		return target{cluster: clu, ref: refOf(id)}.explain("delete", err, in)
	}
	uid := old.ref.uid
	if uid == "" {
		if uid, err = t.ownUID(ctx); err != nil {
			return t.explain("read", err, in)
		}
		if uid == "" {
			return nil
		}
	}
	if req.Timeout == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, deletionTimeout(id))
		defer cancel()
	}
	return t.delete(ctx, in, uid)
}

// ownUID returns the uid of the object in our place if we have made it, which is
// so if it carries our field manager; else "".
func (t target) ownUID(ctx context.Context) (string, error) {
	live, err := t.cluster.Get(ctx, t.ref)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	_, ours, err := ownership.Applied(live, t.manager)
	if err != nil || !ours {
		return "", err
	}
	return string(live.GetUID()), nil
}

func (t target) delete(ctx context.Context, in inputs, uid string) error {
	policy := metav1.DeletionPropagation(in.propagation)
	if policy == "" {
		policy = deletionPolicy(t.identity())
	}
	result, err := t.cluster.Delete(ctx, t.ref, cluster.DeleteOptions{UID: types.UID(uid), Propagation: policy})
	if err != nil {
		return t.explain("delete", err, in)
	}
	if result.Gone {
		return nil
	}
	started := time.Now()
	err = t.cluster.AwaitDeleted(ctx, t.ref, result.Object, func(live *unstructured.Unstructured) {
		p.GetLogger(ctx).InfoStatusf("Deleting; %s", holding(live))
	})
	var still *cluster.StillThereError
	if errors.As(err, &still) {
		return fmt.Errorf("%s is still there after %s, but marked for deletion: %s.\n"+
			"The API server finishes the deletion as soon as nothing holds it. "+
			"Find out why the finalizer's controller does not remove it, then run the command again; it continues here: %w",
			t.ref, time.Since(started).Round(time.Second), holding(still.Last), err)
	}
	if err != nil {
		return t.explain("delete", err, in)
	}
	return nil
}

// holding says what keeps a terminating object.
func holding(live *unstructured.Unstructured) string {
	if live == nil {
		return "waiting for the API server"
	}
	if finalizers := live.GetFinalizers(); len(finalizers) > 0 {
		return "held by the finalizers " + strings.Join(finalizers, ", ")
	}
	return "waiting for it to terminate"
}
