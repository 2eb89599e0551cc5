package controller

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// slots bound how many programs run at a time. Who waits gets the next free one in the order of asking.
type slots struct {
	mutex   sync.Mutex
	limit   int
	taken   map[types.NamespacedName]bool
	waiting []types.NamespacedName
	begun   bool
}

func newSlots(limit int) *slots {
	return &slots{limit: limit, taken: map[types.NamespacedName]bool{}}
}

// begin takes the slots of the runs that go on already.
func (s *slots) begin(ctx context.Context, from client.Reader) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.begun {
		return nil
	}
	var all v1alpha1.EnvironmentList
	if err := from.List(ctx, &all); err != nil {
		return err
	}
	for i := range all.Items {
		if operation := all.Items[i].Status.CurrentOperation; operation != nil && operation.JobUID != "" {
			s.taken[client.ObjectKeyFromObject(&all.Items[i])] = true
		}
	}
	s.begun = true
	return nil
}

// take says whether an Environment has a slot, or gives it one if one is free. Otherwise it waits for one.
func (s *slots) take(name types.NamespacedName) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.taken[name] && len(s.taken) >= s.limit {
		if !slices.Contains(s.waiting, name) {
			s.waiting = append(s.waiting, name)
		}
		return false
	}
	s.taken[name] = true
	s.leave(name)
	return true
}

// keep gives a slot to a run that goes on, whatever the limit is: after a restart, or with a smaller one.
func (s *slots) keep(name types.NamespacedName) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.taken[name] = true
	s.leave(name)
}

// free gives a slot back, and returns who waits for it. Who does not want one any more does not wait either.
func (s *slots) free(name types.NamespacedName, queued bool) []types.NamespacedName {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.taken, name)
	if !queued {
		s.leave(name)
	}
	next := min(len(s.waiting), max(0, s.limit-len(s.taken)))
	return slices.Clone(s.waiting[:next])
}

func (s *slots) leave(name types.NamespacedName) {
	s.waiting = slices.DeleteFunc(s.waiting, func(other types.NamespacedName) bool { return other == name })
}

// settleSlot keeps the slot of an Environment whose run goes on, and gives it back otherwise.
func (r *Reconciler) settleSlot(name types.NamespacedName, decision plan.Decision) {
	if decision.Slot {
		r.slots.keep(name)
		return
	}
	for _, next := range r.slots.free(name, decision.Queued) {
		if next == name {
			continue
		}
		waiting := &v1alpha1.Environment{}
		waiting.Namespace, waiting.Name = next.Namespace, next.Name
		r.wake <- event.GenericEvent{Object: waiting}
	}
}
