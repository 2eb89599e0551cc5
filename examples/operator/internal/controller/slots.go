package controller

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// slots bound how many programs run at a time. Who waits gets the next free one: what changes something comes before looks for drift,
// then the tenant that has the fewest, then the order of asking.
type slots struct {
	mutex   sync.Mutex
	limit   int
	taken   map[types.NamespacedName]bool
	waiting []waiter
	// tenants are the namespaces that share the slots, of who has one, waits or asks: see tenantOf.
	tenants map[types.NamespacedName]string
	begun   bool
}

// waiter is an Environment that waits for a slot, only to look for drift or for more.
type waiter struct {
	name types.NamespacedName
	look bool
	// since is when it began to wait, as far as this controller knows.
	since time.Time
}

func newSlots(limit int) *slots {
	return &slots{limit: limit, taken: map[types.NamespacedName]bool{}, tenants: map[types.NamespacedName]string{}}
}

// begin takes the slots of the runs that go on already.
func (s *slots) begin(list func() ([]v1alpha1.Environment, error), tenantOf func(*v1alpha1.Environment) string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.begun {
		return nil
	}
	all, err := list()
	if err != nil {
		return err
	}
	for i := range all {
		if operation := all[i].Status.CurrentOperation; operation != nil && operation.JobUID != "" {
			name := client.ObjectKeyFromObject(&all[i])
			s.taken[name], s.tenants[name] = true, tenantOf(&all[i])
		}
	}
	s.begun = true
	return nil
}

// take says whether an Environment of a tenant has a slot, or gives it one: for anything, or only if it does more than look for drift.
// Otherwise so many others come before it.
func (s *slots) take(name types.NamespacedName, tenant string) (free, freeForLook bool, ahead int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.tenants[name] = tenant
	if s.taken[name] {
		return true, true, 0
	}
	left := s.limit - len(s.taken)
	ahead = s.ahead(waiter{name: name})
	free, freeForLook = ahead < left, s.ahead(waiter{name: name, look: true}) < left
	if free {
		s.taken[name] = true
	}
	return free, freeForLook, ahead
}

// keep gives a slot to a run that goes on, whatever the limit is: after a restart, or with a smaller one.
func (s *slots) keep(name types.NamespacedName) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.taken[name] = true
	s.leave(name)
}

// free gives a slot back, and returns who gets one next. Who does not want one any more does not wait either.
func (s *slots) free(name types.NamespacedName, queued v1alpha1.OperationKind) []types.NamespacedName {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.taken, name)
	if queued == "" {
		s.leave(name)
		delete(s.tenants, name)
	} else {
		s.enter(waiter{name: name, look: queued == v1alpha1.OperationDriftCheck})
	}
	next := s.inOrder(s.waiting)
	next = next[:min(len(next), max(0, s.limit-len(s.taken)))]
	names := make([]types.NamespacedName, len(next))
	for i := range next {
		names[i] = next[i].name
	}
	return names
}

func (s *slots) is(name types.NamespacedName) func(waiter) bool {
	return func(other waiter) bool { return other.name == name }
}

// enter keeps the place of who waits already.
func (s *slots) enter(one waiter) {
	if i := slices.IndexFunc(s.waiting, s.is(one.name)); i >= 0 {
		one.since = s.waiting[i].since
		s.waiting[i] = one
		return
	}
	one.since = time.Now()
	s.waiting = append(s.waiting, one)
}

// load is how many slots there are and are taken, how many Environments wait for one, and how long the one that has waited longest.
func (s *slots) load() (limit, taken, waiting int, oldest time.Duration) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, one := range s.waiting {
		oldest = max(oldest, time.Since(one.since))
	}
	return s.limit, len(s.taken), len(s.waiting), oldest
}

func (s *slots) leave(name types.NamespacedName) {
	s.waiting = slices.DeleteFunc(s.waiting, s.is(name))
}

// ahead is how many come before one that waits, or that asks for the first time.
func (s *slots) ahead(one waiter) int {
	all := slices.Clone(s.waiting)
	if i := slices.IndexFunc(all, s.is(one.name)); i >= 0 {
		all[i] = one
	} else {
		all = append(all, one)
	}
	return slices.IndexFunc(s.inOrder(all), s.is(one.name))
}

// inOrder is the order in which those who wait get a slot: as if the slots were given one after the other.
func (s *slots) inOrder(waiting []waiter) []waiter {
	type place struct {
		waiter
		share int // how many its tenant would have before it
	}
	has := map[string]int{}
	for name := range s.taken {
		has[s.tenants[name]]++
	}
	places := make([]place, 0, len(waiting))
	for _, look := range []bool{false, true} {
		for _, one := range waiting {
			if one.look == look {
				tenant := s.tenants[one.name]
				places = append(places, place{one, has[tenant]})
				has[tenant]++
			}
		}
	}
	slices.SortStableFunc(places, func(a, b place) int {
		if a.look != b.look {
			return cmp.Compare(order(a.look), order(b.look))
		}
		return cmp.Compare(a.share, b.share)
	})
	ordered := make([]waiter, len(places))
	for i := range places {
		ordered[i] = places[i].waiter
	}
	return ordered
}

func order(look bool) int {
	if look {
		return 1
	}
	return 0
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
