package controller

import (
	"context"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// conflictDelay is how long a cache needs to see what this controller has just written.
const conflictDelay = 100 * time.Millisecond

// Indexes of Environments by the names of what they read.
const (
	indexProgram      = "program"
	indexSecrets      = "secrets"
	indexDependencies = "dependencies"
)

// CacheOptions keep in memory only what is looked at: of the objects that belong to runs all, of Secrets and ConfigMaps
// the metadata, of events those about Jobs whose pods cannot be created. A namespace that is not "" is the only one looked at.
func CacheOptions(namespace string) cache.Options {
	ours, err := labels.NewRequirement(v1alpha1.LabelEnvironment, selection.Exists, nil)
	if err != nil {
		panic(err) // the label is a constant
	}
	selected := cache.ByObject{Label: labels.NewSelector().Add(*ours), Transform: cache.TransformStripManagedFields()}
	var namespaces map[string]cache.Config
	if namespace != "" {
		namespaces = map[string]cache.Config{namespace: {}}
	}
	return cache.Options{
		DefaultNamespaces: namespaces,
		DefaultTransform:  cache.TransformStripManagedFields(),
		ByObject: map[client.Object]cache.ByObject{
			&batchv1.Job{}:          selected,
			&corev1.Pod{}:           selected,
			&coordinationv1.Lease{}: selected,
			&corev1.Event{}: {Field: fields.SelectorFromSet(fields.Set{
				"involvedObject.kind": "Job", "reason": "FailedCreate",
			})},
		},
	}
}

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(manager ctrl.Manager) error {
	r.slots = newSlots(r.Options.Runs)
	r.wake = make(chan event.GenericEvent, 1024)
	r.memory = newMemory()
	r.metrics = newMetrics()
	if err := r.setupDrift(manager); err != nil {
		return err
	}

	indexer := manager.GetFieldIndexer()
	for name, read := range map[string]func(*v1alpha1.Environment) []string{
		indexProgram: programOf, indexSecrets: secretsOf, indexDependencies: (*v1alpha1.Environment).Dependencies,
	} {
		index := func(object client.Object) []string { return read(object.(*v1alpha1.Environment)) }
		if err := indexer.IndexField(context.Background(), &v1alpha1.Environment{}, name, index); err != nil {
			return err
		}
	}
	labelled := handler.EnqueueRequestsFromMapFunc(byLabel)
	watches := r.watchNamespaces(ctrl.NewControllerManagedBy(manager))
	if r.Options.Approvals {
		if err := indexer.IndexField(context.Background(), &v1alpha1.Approval{}, indexApprovals, approves); err != nil {
			return err
		}
		watches.Watches(&v1alpha1.Approval{}, handler.EnqueueRequestsFromMapFunc(byApproval), builder.WithPredicates(predicate.GenerationChangedPredicate{}))
	}
	if err := watches.
		Named("environment").
		For(&v1alpha1.Environment{}).
		Watches(&v1alpha1.Environment{}, handler.EnqueueRequestsFromMapFunc(r.byDependency), builder.WithPredicates(predicate.Funcs{UpdateFunc: mattersToOthers})).
		Watches(&batchv1.Job{}, labelled).
		Watches(&corev1.Pod{}, labelled).
		Watches(&coordinationv1.Lease{}, labelled, builder.WithPredicates(predicate.Funcs{UpdateFunc: holderChanged})).
		Watches(&corev1.Event{}, handler.EnqueueRequestsFromMapFunc(r.byJobEvent)).
		WatchesMetadata(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(r.byIndex(indexProgram))).
		WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.bySecret), builder.WithPredicates(predicate.Funcs{UpdateFunc: noCheckpoint})).
		WatchesRawSource(source.Channel(r.wake, &handler.EnqueueRequestForObject{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: r.Options.Reconciles}).
		Complete(r); err != nil || !r.Options.Classes {
		return err
	}
	return r.setupClasses(manager)
}

func programOf(environment *v1alpha1.Environment) []string {
	if name := environment.Spec.Program.ConfigMapRef.Name; name != "" {
		return []string{name}
	}
	return nil
}

// secretsOf are the Secrets that an Environment reads, and those that it writes, whose names others may have.
func secretsOf(environment *v1alpha1.Environment) []string {
	names := []string{environment.OutputsSecretName(), environment.StateSecretName(), environment.PassphraseSecretName()}
	for _, from := range environment.Spec.SecretConfig {
		names = append(names, from.SecretKeyRef.Name)
	}
	if name := credentialsOf(environment); name != "" {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func byLabel(_ context.Context, object client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: types.NamespacedName{
		Namespace: object.GetNamespace(), Name: object.GetLabels()[v1alpha1.LabelEnvironment],
	}}}
}

// byIndex finds the Environments that read an object.
func (r *Reconciler) byIndex(index string) handler.MapFunc {
	return func(ctx context.Context, object client.Object) []reconcile.Request {
		var readers v1alpha1.EnvironmentList
		if err := r.Client.List(ctx, &readers, client.InNamespace(object.GetNamespace()), client.MatchingFields{index: object.GetName()}); err != nil {
			return nil // the cache has stopped
		}
		requests := make([]reconcile.Request, len(readers.Items))
		for i := range readers.Items {
			requests[i].NamespacedName = client.ObjectKeyFromObject(&readers.Items[i])
		}
		return requests
	}
}

// bySecret finds the Environments that read a Secret, or that it is a part of.
func (r *Reconciler) bySecret(ctx context.Context, object client.Object) []reconcile.Request {
	switch object.GetLabels()[v1alpha1.LabelPart] {
	case v1alpha1.PartHead, v1alpha1.PartPassphrase, v1alpha1.PartInputs:
		return byLabel(ctx, object)
	case v1alpha1.PartChunk:
		if object.GetDeletionTimestamp() == nil {
			return nil
		}
		return byLabel(ctx, object) // The Environment may be gone.
	}
	return r.byIndex(indexSecrets)(ctx, object)
}

// noCheckpoint leaves out the head that a run has written: how the run ends is seen by its Job. One that is deleted is looked at.
func noCheckpoint(update event.UpdateEvent) bool {
	head := update.ObjectNew
	return head.GetLabels()[v1alpha1.LabelPart] != v1alpha1.PartHead || head.GetDeletionTimestamp() != nil
}

// byJobEvent finds the Environment whose Job cannot create its pod.
func (r *Reconciler) byJobEvent(ctx context.Context, object client.Object) []reconcile.Request {
	about := object.(*corev1.Event).InvolvedObject
	var job batchv1.Job
	if err := r.Client.Get(ctx, client.ObjectKey{Namespace: about.Namespace, Name: about.Name}, &job); err != nil {
		return nil // another one's, or gone
	}
	return byLabel(ctx, &job)
}

func holderChanged(update event.UpdateEvent) bool {
	before, after := update.ObjectOld.(*coordinationv1.Lease), update.ObjectNew.(*coordinationv1.Lease)
	return !equalPointers(before.Spec.HolderIdentity, after.Spec.HolderIdentity) ||
		before.Annotations[v1alpha1.AnnotationNotSaved] != after.Annotations[v1alpha1.AnnotationNotSaved]
}

func equalPointers(a, b *string) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// metadataOf reads the metadata of a Secret, a ConfigMap or a Namespace from the cache.
func (r *Reconciler) metadataOf(ctx context.Context, kind, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	metadata := &metav1.PartialObjectMetadata{}
	metadata.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
	return metadata, r.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, metadata)
}
