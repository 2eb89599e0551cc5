package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

const (
	renewEvery  = 10 * time.Second
	renewWithin = 40 * time.Second
	lookEvery   = time.Second
)

// nobody holds a Lease that the controller took away.
const nobody = "nobody"

// errForeignLease says that a Lease of others has the name. The controller lets no run begin then: it was made a moment ago.
var errForeignLease = errors.New("it is not of this Environment")

var errFaster = errors.New("someone else has changed it at the same time")

// lease is the Environment's, held by this run. Whether another holder is still alive is not for a run to judge: it
// would have to compare its clock with the other's. The controller, which sees the pod, takes the Lease away from the dead.
type lease struct {
	run  *run
	stop context.CancelFunc
	done chan struct{}
}

// acquire waits until the Lease is free.
func acquire(life, interrupted context.Context, r *run) (*lease, error) {
	l := &lease{run: r, done: make(chan struct{})}
	waitingFor := ""
	for {
		holder, err := l.take(life, false)
		if err == nil && holder == "" {
			break
		}
		if apierrors.IsForbidden(err) || errors.Is(err, errForeignLease) {
			return nil, fmt.Errorf("take the Lease %s/%s: %w", r.Namespace, r.Lease, err)
		}
		if err != nil {
			r.log.Error("the Lease could not be taken; trying again", "lease", r.Lease, "error", err)
		} else if waitingFor != holder {
			waitingFor = holder
			r.log.Info("another run holds the Lease; waiting", "lease", r.Lease, "holder", holder)
		}
		select {
		case <-interrupted.Done():
			return nil, errInterrupted
		case <-time.After(lookEvery):
		}
	}
	var renewing context.Context
	renewing, l.stop = context.WithCancel(life)
	go l.renew(renewing)
	return l, nil
}

// take tries to become the holder, or to stay it, and names another one.
func (l *lease) take(ctx context.Context, stay bool) (holder string, err error) {
	r := l.run
	found := &coordinationv1.Lease{}
	err = r.Client.Get(ctx, client.ObjectKey{Namespace: r.Namespace, Name: r.Lease}, found)
	missing := apierrors.IsNotFound(err)
	if missing && stay {
		return nobody, nil
	} else if missing {
		found = &coordinationv1.Lease{}
		found.Namespace, found.Name = r.Namespace, r.Lease
		found.Labels = ownership.Labels(r.Environment, "")
	} else if err != nil {
		return "", err
	} else if !ownership.IsPart(found, r.Environment, "") {
		return "", errForeignLease
	}
	self := string(r.PodUID)
	switch by := ptr.Deref(found.Spec.HolderIdentity, ""); {
	case by == "" && stay:
		return nobody, nil
	case by != "" && by != self:
		return by, nil
	}
	now := metav1.NowMicro()
	seconds := int32(renewWithin.Seconds())
	metav1.SetMetaDataAnnotation(&found.ObjectMeta, v1alpha1.AnnotationPod, r.Pod)
	if why := r.notSaved.Load(); why != nil {
		metav1.SetMetaDataAnnotation(&found.ObjectMeta, v1alpha1.AnnotationNotSaved, *why)
	} else {
		delete(found.Annotations, v1alpha1.AnnotationNotSaved)
	}
	found.Spec.HolderIdentity, found.Spec.AcquireTime, found.Spec.RenewTime = &self, &now, &now
	found.Spec.LeaseDurationSeconds = &seconds
	if missing {
		err = r.Client.Create(ctx, found)
	} else {
		err = r.Client.Update(ctx, found)
	}
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return "", errFaster
	}
	return "", err
}

// renew keeps the Lease. It ends the run when that fails for too long, or someone else has it.
func (l *lease) renew(ctx context.Context) {
	defer close(l.done)
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(renewEvery):
		}
		attempt, cancel := context.WithTimeout(ctx, renewEvery)
		holder, err := l.take(attempt, true)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && holder == "":
			last = time.Now()
			continue
		case err == nil:
			l.run.lost(fmt.Errorf("%w: %s holds the Lease %s", state.ErrOvertaken, holder, l.run.Lease))
			return
		case time.Since(last) > renewWithin:
			l.run.lost(fmt.Errorf("%w, as far as this one can know: it could not renew the Lease %s for %s (%w)", state.ErrOvertaken, l.run.Lease, renewWithin, err))
			return
		}
		l.run.log.Error("the Lease could not be renewed; trying again", "lease", l.run.Lease, "error", err)
	}
}

// release lets the next run begin at once. If it fails, the controller does the same when the pod is gone.
func (l *lease) release() {
	l.stop()
	<-l.done
	ctx, cancel := context.WithTimeout(context.Background(), renewEvery)
	defer cancel()
	var found coordinationv1.Lease
	err := l.run.Client.Get(ctx, client.ObjectKey{Namespace: l.run.Namespace, Name: l.run.Lease}, &found)
	if err != nil || ptr.Deref(found.Spec.HolderIdentity, "") != string(l.run.PodUID) {
		return
	}
	found.Spec.HolderIdentity = new(string)
	delete(found.Annotations, v1alpha1.AnnotationNotSaved)
	if err := l.run.Client.Update(ctx, &found); err != nil {
		l.run.log.Error("the Lease could not be released; the controller does it when the pod is gone", "error", err)
	}
}
