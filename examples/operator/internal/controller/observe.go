package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// observe reads what a decision depends on.
func (r *Reconciler) observe(ctx context.Context, environment *v1alpha1.Environment) (plan.Observed, error) {
	observed := plan.Observed{Environment: environment, Instance: asInstance(r.instanceOf(ctx, environment)), Now: r.Clock.Now()}
	observed.Refused = r.refused(environment, observed.Now)
	for _, read := range []func(context.Context, *plan.Observed) error{
		r.observeNames, r.observeApprovals, r.observeDependencies, r.observeInputs, r.observeCredentials, r.observePods, r.observeJob, r.observeKept, r.observeHead, r.observeLease, r.observeOutputs, r.observeWatched, r.observeNamespace,
	} {
		if err := read(ctx, &observed); err != nil {
			return plan.Observed{}, err
		}
	}
	return observed, nil
}

// observePods looks for pods of runs that have not ended, whichever run they are of.
func (r *Reconciler) observePods(ctx context.Context, observed *plan.Observed) error {
	environment := observed.Environment
	var pods corev1.PodList
	err := r.Client.List(ctx, &pods, client.InNamespace(environment.Namespace), client.MatchingLabels{v1alpha1.LabelEnvironment: environment.Name})
	for i := range pods.Items {
		pod := &pods.Items[i]
		if !ownership.IsPod(pod, environment) {
			continue
		}
		seen := plan.Pod{
			Name: pod.Name, UID: pod.UID, Job: pod.Labels[batchv1.JobNameLabel],
			Terminated: pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed,
		}
		if pod.DeletionTimestamp != nil {
			seen.Deleted = pod.DeletionTimestamp.Time
		}
		observed.Pods = append(observed.Pods, seen)
	}
	return err
}

// observeJob looks at the Job of the current operation. One that the cache does not have is asked for: of its absence follows
// that a run has ended.
func (r *Reconciler) observeJob(ctx context.Context, observed *plan.Observed) error {
	environment := observed.Environment
	operation := environment.Status.CurrentOperation
	if operation == nil || operation.Job == "" {
		return nil
	}
	key := client.ObjectKey{Namespace: environment.Namespace, Name: operation.Job}
	var job batchv1.Job
	err := r.Client.Get(ctx, key, &job)
	if apierrors.IsNotFound(err) {
		err = r.Direct.Get(ctx, key, &job)
	}
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	case !ownership.IsJob(&job, environment) || job.Annotations[annotationInputHash] != operation.InputHash:
		observed.SerialTaken = true
		return nil
	}
	image, err := r.runnerImage(ctx, environment)
	if err != nil {
		return err
	}
	observed.Job = &plan.Job{
		UID: job.UID, Deleting: job.DeletionTimestamp != nil, Finished: finished(&job), Expired: expired(&job),
		Outdated: job.Annotations[annotationSettings] != r.job(environment, image).Annotations[annotationSettings],
	}
	var pods corev1.PodList
	if err := r.Client.List(ctx, &pods, client.InNamespace(job.Namespace), client.MatchingLabels{batchv1.JobNameLabel: job.Name}); err != nil {
		return err
	}
	pods.Items = slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool { return !metav1.IsControlledBy(&pod, &job) })
	observed.Job.Ending = ending(&job, pods.Items)
	observed.Job.NotStarted, err = r.notStarted(ctx, &job, pods.Items)
	return err
}

func finished(job *batchv1.Job) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(condition batchv1.JobCondition) bool {
		return (condition.Type == batchv1.JobComplete || condition.Type == batchv1.JobFailed) && condition.Status == corev1.ConditionTrue
	})
}

// expired says whether a Job was ended by its deadline. The time until a pod starts counts there.
func expired(job *batchv1.Job) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(condition batchv1.JobCondition) bool {
		return condition.Type == batchv1.JobFailed && condition.Status == corev1.ConditionTrue && condition.Reason == batchv1.JobReasonDeadlineExceeded
	})
}

// ending is how the pod of a run ended.
func ending(job *batchv1.Job, pods []corev1.Pod) string {
	for i := range pods {
		for _, container := range pods[i].Status.ContainerStatuses {
			if ended := container.State.Terminated; ended != nil {
				return fmt.Sprintf("%s, exit code %d", ended.Reason, ended.ExitCode)
			}
		}
		if status := pods[i].Status; status.Phase == corev1.PodFailed {
			return strings.TrimSpace(status.Reason + " " + status.Message)
		}
	}
	for _, condition := range job.Status.Conditions {
		if condition.Type == batchv1.JobFailed {
			return condition.Reason
		}
	}
	return ""
}

// observeKept looks for the inputs that are kept.
func (r *Reconciler) observeKept(ctx context.Context, observed *plan.Observed) error {
	environment := observed.Environment
	operation := environment.Status.CurrentOperation
	kept, err := r.keptInputs(ctx, environment)
	if err != nil {
		return err
	}
	if operation != nil && operation.InputsSecret == environment.InputsSecretName(operation.Serial) {
		taken, err := r.isTaken(ctx, environment, operation.InputsSecret, v1alpha1.PartInputs)
		if err != nil {
			return err
		}
		observed.SerialTaken = observed.SerialTaken || taken
	}
	observed.KeptInputs = map[string]string{}
	for _, secret := range kept {
		observed.KeptInputs[secret.Annotations[annotationInputHash]] = secret.Name
		if operation != nil && operation.InputsSecret == secret.Name {
			observed.Frozen = keeps(&secret, operation)
		}
	}
	leftovers, err := r.leftovers(ctx, environment)
	observed.Leftovers = len(leftovers) > 0
	return err
}

// observeHead reads what the last run has said, where that matters: there is a run whose end is looked for, a status that
// was lost, or something to destroy.
func (r *Reconciler) observeHead(ctx context.Context, observed *plan.Observed) error {
	status := observed.Environment.Status
	deleted := !observed.Environment.DeletionTimestamp.IsZero()
	running := observed.Job != nil && !observed.Job.Finished && observed.Job.NotStarted == nil &&
		!slices.ContainsFunc(observed.Pods, func(pod plan.Pod) bool { return !pod.Deleted.IsZero() })
	if status.CurrentOperation != nil && running || status.CurrentOperation == nil && status.Serial > 0 && !deleted {
		if status.CurrentOperation != nil {
			return r.observeProgress(ctx, observed)
		}
		return nil
	}
	return r.readHead(ctx, observed)
}

// observeProgress looks now and then how far a run has come.
func (r *Reconciler) observeProgress(ctx context.Context, observed *plan.Observed) error {
	const apart = 10 * time.Second
	key, serial := client.ObjectKeyFromObject(observed.Environment), observed.Environment.Status.CurrentOperation.Serial
	known := r.memory.get(key).progress
	if known.serial == serial && observed.Now.Sub(known.looked) < apart {
		observed.Progress = known.resources
		return nil
	}
	now := progress{serial: serial, looked: observed.Now}
	if known.serial == serial { // It has had a while.
		head, err := r.store(observed.Environment).ReadHead(ctx)
		switch {
		case err != nil: // What is wrong with it is said when the run has ended.
			now.resources = known.resources
		case head.Record.Serial == serial:
			now.resources = &head.Record.ResourceCount
		}
	}
	observed.Progress = now.resources
	r.memory.set(key, func(known *remembered) { known.progress = now })
	return nil
}

func (r *Reconciler) readHead(ctx context.Context, observed *plan.Observed) error {
	if observed.Head != nil {
		return nil
	}
	environment := observed.Environment
	head, err := r.store(environment).ReadHead(ctx)
	switch {
	case apierrors.IsNotFound(err) || errors.Is(err, state.ErrForeign):
		return nil // Whose it is was seen by its name.
	case errors.Is(err, state.ErrDamaged):
		observed.Damaged = &plan.Problem{Reason: "StateUnusable", Message: sentence(err)}
		return nil
	}
	if err != nil {
		return err
	}
	observed.Head = head
	if head.Record.Serial > 0 {
		observed.PassphraseLost, err = r.isPassphraseLost(ctx, environment)
	}
	return err
}

// isPassphraseLost says whether there is no passphrase, or one of others in its place. One that the cache does not have is asked for:
// it may be new.
func (r *Reconciler) isPassphraseLost(ctx context.Context, environment *v1alpha1.Environment) (bool, error) {
	name := environment.PassphraseSecretName()
	metadata, err := r.metadataOf(ctx, "Secret", environment.Namespace, name)
	if apierrors.IsNotFound(err) {
		err = r.Direct.Get(ctx, client.ObjectKey{Namespace: environment.Namespace, Name: name}, metadata)
	}
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return err == nil && !ownership.IsPart(metadata, environment.Name, v1alpha1.PartPassphrase), err
}

func (r *Reconciler) store(environment *v1alpha1.Environment) *state.Store {
	return state.New(r.Direct, environment.Namespace, environment.Name)
}

// observeLease looks who has the stack to itself.
func (r *Reconciler) observeLease(ctx context.Context, observed *plan.Observed) error {
	environment := observed.Environment
	if environment.Status.CurrentOperation == nil {
		return nil
	}
	key := client.ObjectKey{Namespace: environment.Namespace, Name: environment.LeaseName()}
	var lease coordinationv1.Lease
	err := r.Client.Get(ctx, key, &lease)
	if apierrors.IsNotFound(err) && environment.Status.CurrentOperation.JobUID == "" {
		err = r.Direct.Get(ctx, key, &lease) // The cache has those with our label alone.
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if !ownership.IsPart(&lease, environment.Name, "") {
		observed.NameTaken = taken("Lease", lease.Name, ownership.Labels(environment.Name, ""))
		return nil
	}
	if holder := lease.Spec.HolderIdentity; holder != nil && *holder != "" {
		observed.Lease = &plan.Holder{
			UID: types.UID(*holder), Pod: lease.Annotations[v1alpha1.AnnotationPod], NotSaved: shorten(lease.Annotations[v1alpha1.AnnotationNotSaved]),
		}
	}
	return nil
}

// observeNamespace looks whether anything can still be created.
func (r *Reconciler) observeNamespace(ctx context.Context, observed *plan.Observed) error {
	environment := observed.Environment
	if environment.DeletionTimestamp.IsZero() {
		return nil
	}
	var namespace corev1.Namespace
	err := r.Direct.Get(ctx, client.ObjectKey{Name: environment.Namespace}, &namespace)
	observed.NamespaceTerminating = err == nil && namespace.DeletionTimestamp != nil
	return client.IgnoreNotFound(err)
}
