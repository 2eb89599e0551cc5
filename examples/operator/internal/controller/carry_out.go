package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
)

// carryOut does what was decided. Each step may have been done before.
func (r *Reconciler) carryOut(ctx context.Context, environment *v1alpha1.Environment, observed plan.Observed, decision plan.Decision) error {
	switch decision.Step {
	case plan.Nothing:
		return nil
	case plan.WriteStatus:
		return r.writeStatus(ctx, environment, decision.Status)
	case plan.AddFinalizer:
		return r.addFinalizer(ctx, environment)
	case plan.FreezeInputs:
		return r.freezeInputs(ctx, environment)
	case plan.CreateJob:
		return r.createJob(ctx, environment)
	case plan.DeleteJob:
		return r.deleteJob(ctx, environment.Namespace, environment.Status.CurrentOperation.Job, observed.Job.UID)
	case plan.EndRuns:
		return r.endRuns(ctx, environment)
	case plan.ReleaseLease:
		return r.releaseLease(ctx, environment)
	case plan.WriteOutputs:
		return r.writeOutputs(ctx, environment, observed.Head)
	case plan.CleanUp:
		return r.cleanUp(ctx, environment)
	case plan.DeleteState:
		return r.leave(ctx, environment, false)
	case plan.KeepState:
		return r.leave(ctx, environment, true)
	}
	return fmt.Errorf("nobody knows how to do %s", decision.Step)
}

// writeStatus replaces the status, whoever has written parts of it: those who have restored it from a backup, too. Another version of the
// Environment than the one that was decided about is a conflict.
func (r *Reconciler) writeStatus(ctx context.Context, environment *v1alpha1.Environment, status v1alpha1.EnvironmentStatus) error {
	patch, err := json.Marshal([]map[string]any{
		{"op": "replace", "path": "/metadata/resourceVersion", "value": environment.ResourceVersion},
		{"op": "add", "path": "/status", "value": status},
	})
	if err != nil {
		return err
	}
	written := &v1alpha1.Environment{ObjectMeta: metav1.ObjectMeta{Namespace: environment.Namespace, Name: environment.Name}}
	return r.Direct.Status().Patch(ctx, written, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(FieldManager))
}

func (r *Reconciler) addFinalizer(ctx context.Context, environment *v1alpha1.Environment) error {
	changed := environment.DeepCopy()
	controllerutil.AddFinalizer(changed, v1alpha1.Finalizer)
	return r.Direct.Patch(ctx, changed, client.MergeFromWithOptions(environment, client.MergeFromWithOptimisticLock{}), client.FieldOwner(FieldManager))
}

// freezeInputs keeps what the current operation is run with, and what each run needs besides.
func (r *Reconciler) freezeInputs(ctx context.Context, environment *v1alpha1.Environment) error {
	if err := r.createPassphrase(ctx, environment); err != nil {
		return err
	}
	if err := r.store(environment).CreateEmpty(ctx); err != nil {
		return err
	}
	operation := environment.Status.CurrentOperation
	gathered, problem, err := r.gather(ctx, environment, operation)
	if err != nil {
		return err
	}
	if problem != nil || gathered.InputHash != operation.InputHash {
		return errLookAgain // The cache will say so soon.
	}
	content, err := gathered.Encode()
	if err != nil {
		return err
	}
	secret := stateSecret(environment, operation.InputsSecret, v1alpha1.PartInputs)
	secret.Annotations = map[string]string{annotationInputHash: operation.InputHash, annotationOperation: operationOf(operation)}
	if gathered.Image != "" {
		secret.Annotations[annotationImage] = gathered.Image
	}
	secret.Immutable = new(true)
	secret.Data = map[string][]byte{inputs.Key: content}
	err = r.Direct.Create(ctx, secret, client.FieldOwner(FieldManager))
	if apierrors.IsAlreadyExists(err) {
		return r.replaceInputs(ctx, environment, operation)
	}
	return err
}

// errLookAgain says that something is not as it was decided about.
var errLookAgain = errors.New("what was decided about has changed since")

// operationOf is what an operation does, beside its inputs.
func operationOf(operation *v1alpha1.Operation) string {
	return strings.TrimSuffix(string(operation.Kind)+"/"+operation.ApprovedPlan, "/")
}

// keeps says whether a Secret has the inputs of an operation.
func keeps(secret client.Object, operation *v1alpha1.Operation) bool {
	annotations := secret.GetAnnotations()
	return secret.GetDeletionTimestamp() == nil && annotations[annotationInputHash] == operation.InputHash &&
		annotations[annotationOperation] == operationOf(operation)
}

// replaceInputs removes inputs that were kept under the name for something else: by a controller that was overtaken before
// it could begin a run with them.
func (r *Reconciler) replaceInputs(ctx context.Context, environment *v1alpha1.Environment, operation *v1alpha1.Operation) error {
	var kept corev1.Secret
	if err := r.Direct.Get(ctx, client.ObjectKey{Namespace: environment.Namespace, Name: operation.InputsSecret}, &kept); err != nil {
		return client.IgnoreNotFound(err)
	}
	switch {
	case !ownership.IsPart(&kept, environment.Name, v1alpha1.PartInputs):
		return errLookAgain // The cache will say so soon.
	case keeps(&kept, operation):
		return nil
	default:
		return r.removeSecret(ctx, &kept)
	}
}

// stateSecret is a Secret that stays until the finalizer of ours is removed, whatever becomes of the Environment.
func stateSecret(environment *v1alpha1.Environment, name, part string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: environment.Namespace, Name: name, Finalizers: []string{v1alpha1.StateFinalizer},
		Labels: ownership.Labels(environment.Name, part),
	}}
}

// createPassphrase makes passphrase and salt once. Without them the state cannot be read.
func (r *Reconciler) createPassphrase(ctx context.Context, environment *v1alpha1.Environment) error {
	present, err := r.metadataOf(ctx, "Secret", environment.Namespace, environment.PassphraseSecretName())
	if err == nil && !ownership.IsPart(present, environment.Name, v1alpha1.PartPassphrase) {
		return errLookAgain
	}
	if !apierrors.IsNotFound(err) {
		return err
	}
	passphrase, salt, err := stack.New()
	if err != nil {
		return err
	}
	secret := stateSecret(environment, environment.PassphraseSecretName(), v1alpha1.PartPassphrase)
	secret.Immutable = new(true)
	secret.StringData = map[string]string{stack.PassphraseKey: passphrase, stack.SaltKey: salt}
	err = r.Direct.Create(ctx, secret, client.FieldOwner(FieldManager))
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	if err := r.Direct.Get(ctx, client.ObjectKeyFromObject(secret), present); err != nil {
		return err
	}
	if !ownership.IsPart(present, environment.Name, v1alpha1.PartPassphrase) {
		return errLookAgain
	}
	return nil
}

func (r *Reconciler) createJob(ctx context.Context, environment *v1alpha1.Environment) error {
	image, err := r.runnerImage(ctx, environment)
	if err != nil {
		return err
	}
	err = r.Direct.Create(ctx, r.job(environment, image), client.FieldOwner(FieldManager))
	if apierrors.IsAlreadyExists(err) {
		return nil // Whose it is will be seen.
	}
	return err
}

func (r *Reconciler) deleteJob(ctx context.Context, namespace, name string, uid types.UID) error {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	err := r.Direct.Delete(ctx, job, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	return client.IgnoreNotFound(err)
}

func (r *Reconciler) endRuns(ctx context.Context, environment *v1alpha1.Environment) error {
	jobs, err := r.jobs(ctx, environment)
	if err != nil {
		return err
	}
	for i := range jobs {
		if finished(&jobs[i]) || jobs[i].DeletionTimestamp != nil {
			continue
		}
		if err := r.deleteJob(ctx, jobs[i].Namespace, jobs[i].Name, jobs[i].UID); err != nil {
			return err
		}
	}
	return nil
}

// releaseLease takes the Lease from a holder that is dead. Who waits for it then takes it.
func (r *Reconciler) releaseLease(ctx context.Context, environment *v1alpha1.Environment) error {
	var lease coordinationv1.Lease
	if err := r.Direct.Get(ctx, client.ObjectKey{Namespace: environment.Namespace, Name: environment.LeaseName()}, &lease); err != nil {
		return client.IgnoreNotFound(err)
	}
	dead := environment.Status.CurrentOperation.Holder
	if dead == nil || !ownership.IsPart(&lease, environment.Name, "") || lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity != string(dead.UID) {
		return nil
	}
	lease.Spec.HolderIdentity = nil
	return r.Direct.Update(ctx, &lease, client.FieldOwner(FieldManager))
}
