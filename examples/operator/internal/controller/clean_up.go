package controller

import (
	"context"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
)

// leftovers are the Jobs and inputs that nobody needs while no operation goes on: all but the newest Job, which stays
// for a look at its log.
func (r *Reconciler) leftovers(ctx context.Context, environment *v1alpha1.Environment) ([]client.Object, error) {
	if environment.Status.CurrentOperation != nil {
		return nil, nil
	}
	kept, err := r.keptInputs(ctx, environment)
	if err != nil {
		return nil, err
	}
	var left []client.Object
	for i := range kept {
		left = append(left, &kept[i])
	}
	jobs, err := r.jobs(ctx, environment)
	if err != nil {
		return nil, err
	}
	newest := int64(0)
	for i := range jobs {
		newest = max(newest, serialOf(&jobs[i]))
	}
	for i := range jobs {
		if serialOf(&jobs[i]) < newest && jobs[i].DeletionTimestamp == nil {
			left = append(left, &jobs[i])
		}
	}
	return left, nil
}

func serialOf(job *batchv1.Job) int64 {
	serial, err := strconv.ParseInt(job.Labels[v1alpha1.LabelSerial], 10, 64)
	if err != nil {
		return 0
	}
	return serial
}

// jobs are those of this Environment.
func (r *Reconciler) jobs(ctx context.Context, environment *v1alpha1.Environment) ([]batchv1.Job, error) {
	var all batchv1.JobList
	err := r.Client.List(ctx, &all, client.InNamespace(environment.Namespace), client.MatchingLabels{v1alpha1.LabelEnvironment: environment.Name})
	mine := all.Items[:0]
	for _, job := range all.Items {
		if ownership.IsJob(&job, environment) {
			mine = append(mine, job)
		}
	}
	return mine, err
}

func (r *Reconciler) cleanUp(ctx context.Context, environment *v1alpha1.Environment) error {
	left, err := r.leftovers(ctx, environment)
	if err != nil {
		return err
	}
	for _, object := range left {
		if err := r.remove(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reconciler) remove(ctx context.Context, object client.Object) error {
	if job, isJob := object.(*batchv1.Job); isJob {
		return r.deleteJob(ctx, job.Namespace, job.Name, job.UID)
	}
	return r.removeSecret(ctx, object)
}

// removeSecret deletes a Secret and takes our finalizer from it.
func (r *Reconciler) removeSecret(ctx context.Context, secret client.Object) error {
	uid := secret.GetUID()
	if secret.GetDeletionTimestamp() == nil {
		if err := r.Direct.Delete(ctx, secret, client.Preconditions{UID: &uid}); err != nil {
			return client.IgnoreNotFound(err)
		}
	}
	return r.releaseSecret(ctx, secret)
}

// releaseSecret takes our finalizer from a Secret.
func (r *Reconciler) releaseSecret(ctx context.Context, secret client.Object) error {
	if !controllerutil.ContainsFinalizer(secret, v1alpha1.StateFinalizer) {
		return nil
	}
	before := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: secret.GetNamespace(), Name: secret.GetName(), UID: secret.GetUID(), Finalizers: secret.GetFinalizers(),
	}}
	before.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	after := before.DeepCopy()
	controllerutil.RemoveFinalizer(after, v1alpha1.StateFinalizer)
	return client.IgnoreNotFound(r.Direct.Patch(ctx, after, client.MergeFrom(before), client.FieldOwner(FieldManager)))
}

// releaseOrphans lets go of what is left of an Environment that is gone, its finalizer removed by force, once that is deleted: nothing
// else would take our finalizer from it, and its namespace would never end. What nobody has deleted stays as it is, for a backup.
func (r *Reconciler) releaseOrphans(ctx context.Context, name types.NamespacedName) error {
	left := &metav1.PartialObjectMetadataList{}
	left.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	err := r.Client.List(ctx, left, client.InNamespace(name.Namespace), client.MatchingLabels{v1alpha1.LabelEnvironment: name.Name})
	if err != nil {
		return err
	}
	for i := range left.Items {
		secret := &left.Items[i]
		if secret.DeletionTimestamp == nil || !controllerutil.ContainsFinalizer(secret, v1alpha1.StateFinalizer) {
			continue
		}
		// The cache may not have an Environment yet that was just restored.
		err := r.Direct.Get(ctx, name, &v1alpha1.Environment{})
		if !apierrors.IsNotFound(err) {
			return err
		}
		if err := r.releaseSecret(ctx, secret); err != nil {
			return err
		}
	}
	return nil
}

// leave lets an Environment go. What must not be lost while it exists goes before its finalizer: with it, or set free.
func (r *Reconciler) leave(ctx context.Context, environment *v1alpha1.Environment, keep bool) error {
	store := r.store(environment)
	jobs, err := r.jobs(ctx, environment)
	if err != nil {
		return err
	}
	for i := range jobs {
		if err := r.remove(ctx, &jobs[i]); err != nil {
			return err
		}
	}
	kept, err := r.keptInputs(ctx, environment)
	if err != nil {
		return err
	}
	for i := range kept {
		if err := r.removeSecret(ctx, &kept[i]); err != nil {
			return err
		}
	}
	settle, settleSecret := store.Delete, r.removeSecret
	if keep {
		settle, settleSecret = store.Release, r.releaseSecret
	}
	if err := settle(ctx); err != nil {
		return err
	}
	passphrase := &corev1.Secret{}
	err = r.Direct.Get(ctx, client.ObjectKey{Namespace: environment.Namespace, Name: environment.PassphraseSecretName()}, passphrase)
	if err == nil && ownership.IsPart(passphrase, environment.Name, v1alpha1.PartPassphrase) {
		err = settleSecret(ctx, passphrase)
	}
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	if err := r.removeOutputs(ctx, environment); err != nil {
		return err
	}
	if err := r.removeLease(ctx, environment); err != nil {
		return err
	}
	return r.removeFinalizer(ctx, environment)
}

// removeOutputs deletes the Secret with the outputs. It would be collected, too, but who comes next may need its name before: an object of
// a class that has taken over what the program made.
func (r *Reconciler) removeOutputs(ctx context.Context, environment *v1alpha1.Environment) error {
	secret := &corev1.Secret{}
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: environment.Namespace, Name: environment.OutputsSecretName()}, secret)
	if err == nil && metav1.IsControlledBy(secret, environment) {
		err = r.Direct.Delete(ctx, secret, client.Preconditions{UID: &secret.UID})
	}
	return client.IgnoreNotFound(err)
}

func (r *Reconciler) removeFinalizer(ctx context.Context, environment *v1alpha1.Environment) error {
	changed := environment.DeepCopy()
	controllerutil.RemoveFinalizer(changed, v1alpha1.Finalizer)
	err := r.Direct.Patch(ctx, changed, client.MergeFromWithOptions(environment, client.MergeFromWithOptimisticLock{}), client.FieldOwner(FieldManager))
	return client.IgnoreNotFound(err)
}

func (r *Reconciler) removeLease(ctx context.Context, environment *v1alpha1.Environment) error {
	var lease coordinationv1.Lease
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: environment.Namespace, Name: environment.LeaseName()}, &lease)
	if err == nil && ownership.IsPart(&lease, environment.Name, "") {
		err = r.Direct.Delete(ctx, &lease, client.Preconditions{UID: &lease.UID})
	}
	return client.IgnoreNotFound(err)
}
