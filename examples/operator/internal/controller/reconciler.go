package controller

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/drift"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// FieldManager is the name under which the controller owns fields.
const FieldManager = "environment-operator"

// Options say how the controller works.
type Options struct {
	// RunnerImage is the image of the pods that run programs.
	RunnerImage string
	// Runs is how many programs may run at a time.
	Runs int
	// Reconciles is how many Environments are looked at at a time.
	Reconciles int
	// Namespaces selects the namespaces that the controller looks after by their labels; nil selects all.
	Namespaces labels.Selector
	// Namespace is the only one that the controller looks after; "" is all.
	Namespace string
	// Classes says whether the controller looks after classes and their kinds, which are of the whole cluster.
	Classes bool
	// Approvals says whether the definition of Approvals is installed.
	Approvals bool
}

// Reconciler looks after Environments.
type Reconciler struct {
	// Client reads what is watched from the cache.
	Client client.Client
	// Direct has no cache.
	Direct   client.Client
	Clock    *ServerClock
	Recorder events.EventRecorder
	Options  Options

	slots   *slots
	memory  memory
	metrics metrics
	wake    chan event.GenericEvent
	drift   *drift.Watcher
}

// Reconcile does the next thing that an Environment needs.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	tenantOf := func(environment *v1alpha1.Environment) string { return r.tenantOf(ctx, environment) }
	if err := r.slots.begin(func() ([]v1alpha1.Environment, error) { return r.environments(ctx) }, tenantOf); err != nil {
		return ctrl.Result{}, err
	}
	if ours, err := r.isOurs(ctx, request.Namespace); err != nil {
		return ctrl.Result{}, err
	} else if !ours {
		r.letGo(request.NamespacedName)
		r.drift.Want(request.NamespacedName, nil)
		return ctrl.Result{}, nil
	}
	environment := &v1alpha1.Environment{}
	if err := r.Client.Get(ctx, request.NamespacedName, environment); err != nil {
		if apierrors.IsNotFound(err) {
			r.settleSlot(request.NamespacedName, plan.Decision{})
			r.memory.forget(request.NamespacedName)
			r.drift.Want(request.NamespacedName, nil)
			err := errors.Join(r.deleteApprovals(ctx, request.NamespacedName), r.releaseOrphans(ctx, request.NamespacedName))
			if apierrors.IsConflict(err) {
				return ctrl.Result{RequeueAfter: conflictDelay}, nil
			}
			return ctrl.Result{}, err
		}
		return ctrl.Result{}, err
	}
	observed, err := r.observe(ctx, environment)
	if err != nil {
		return ctrl.Result{}, err
	}
	observed.FreeSlot, observed.FreeSlotForLook, observed.Ahead = r.slots.take(request.NamespacedName, tenantOf(environment))
	decision := plan.Decide(observed)
	defer r.settleSlot(request.NamespacedName, decision)

	if err := r.carryOut(ctx, environment, observed, decision); err != nil {
		if apierrors.IsConflict(err) {
			// Decided from an old version. The new one is on its way to the cache.
			return ctrl.Result{RequeueAfter: conflictDelay}, nil
		}
		if r.noteRefusal(ctx, environment, decision.Step, err) {
			return ctrl.Result{RequeueAfter: conflictDelay}, nil // The next decision says it.
		}
		return ctrl.Result{}, fmt.Errorf("%s: %w", decision.Step, err)
	}
	r.forgetRefusal(environment, decision.Step)
	if decision.Step == plan.WriteStatus {
		r.metrics.note(environment, &decision.Status)
		r.tell(ctx, environment, decision.Events)
	}
	if err := r.tellApprovals(ctx, environment); err != nil {
		if apierrors.IsConflict(err) {
			return ctrl.Result{RequeueAfter: conflictDelay}, nil
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: decision.After}, nil
}

// say makes an event about an object.
func (r *Reconciler) say(about runtime.Object, event plan.Event) {
	kind := corev1.EventTypeNormal
	if event.Warning {
		kind = corev1.EventTypeWarning
	}
	r.Recorder.Eventf(about, nil, kind, event.Reason, "Reconcile", "%s", shorten(event.Message))
}

// shorten cuts what the API server would refuse.
func shorten(message string) string {
	const longest = 1000
	if len(message) > longest {
		message = message[:longest] + "…"
	}
	return message
}
