package readiness

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// FollowAll shows the states of many objects, by their names, until see returns true or an error, or the context ends.
// An object that has not changed is the same pointer as before.
type FollowAll func(ctx context.Context, see func(all map[string]*unstructured.Unstructured) (bool, error)) error

// Gathering waits until as many objects as necessary have reached a goal. Make it with [Gather].
type Gathering struct {
	goal   *Goal
	count  Count
	excuse Excuse

	stop    context.CancelFunc
	excuses sync.WaitGroup

	mu      sync.Mutex
	members map[string]*member
	seen    bool // the objects have been seen once
	holds   bool
	failed  bool
}

// member is one of the objects.
type member struct {
	Member

	decision decision
	warning  string
}

// Gather returns a Gathering that has not begun. excuse decides about doubts; nil excuses nothing.
func Gather(goal *Goal, count Count, excuse Excuse) *Gathering {
	return &Gathering{goal: goal, count: count, excuse: excuse, members: map[string]*member{}}
}

// Await waits. timeout bounds the wait; 0 leaves that to the context. It returns the objects that have reached the goal,
// and the warnings of their excuses. Every error is a *[NotReadyError].
func (g *Gathering) Await(ctx context.Context, timeout time.Duration, follow FollowAll) (reached []Member, warnings []string, err error) {
	began := time.Now()
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	ctx, g.stop = context.WithCancel(ctx)
	err = follow(ctx, func(all map[string]*unstructured.Unstructured) (bool, error) { return g.see(ctx, all), nil })
	ended := ctx.Err()
	g.stop()
	g.excuses.Wait()
	if g.holds {
		for _, name := range slices.Sorted(maps.Keys(g.members)) {
			if m := g.members[name]; m.Holds {
				reached = append(reached, m.Member)
				if m.warning != "" {
					warnings = append(warnings, m.warning)
				}
			}
		}
		return reached, warnings, nil
	}
	notReady := &NotReadyError{Reason: reasonOf(g.failed, ended), Goal: g.goal, Took: time.Since(began), Err: err}
	if tally, seen := g.Tally(); seen {
		notReady.Among, notReady.Missing = &tally, []string{tally.String()}
		if first, failed := tally.Failed(); failed {
			notReady.Why, notReady.Next, notReady.Suspended = first.Failed, first.Next, first.Suspended
		}
	}
	return nil, nil, notReady
}

// Tally returns what the objects mean together. seen is false as long as nothing is known about them.
func (g *Gathering) Tally() (tally Tally, seen bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	members := make([]Member, 0, len(g.members))
	for _, m := range g.members {
		members = append(members, m.Member)
	}
	return tallyOf(g.goal, g.count, members), g.seen
}

// see judges the objects that have changed, and reports whether the wait is over.
func (g *Gathering) see(ctx context.Context, all map[string]*unstructured.Unstructured) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.holds {
		return true
	}
	g.seen = true
	for name, m := range g.members {
		if live := all[name]; live == nil || live.GetUID() != m.Live.GetUID() {
			m.decision.end()
			delete(g.members, name)
		}
	}
	for name, live := range all {
		m := g.members[name]
		if m == nil {
			m = &member{}
			g.members[name] = m
		}
		if m.Live != live {
			g.judge(ctx, m, live)
		}
	}
	return g.settled()
}

// judge evaluates the state of one object. An excuse lasts as long as its doubt.
func (g *Gathering) judge(ctx context.Context, m *member, live *unstructured.Unstructured) {
	excused := m.Holds && m.Doubt != NoDoubt
	m.Live, m.Verdict = live, g.goal.Judge(live)
	changed := m.decision.about(ctx, &g.excuses, g.excuse, live, m.Doubt, func(ctx context.Context, warning string) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if ctx.Err() == nil {
			m.Holds, m.warning = true, warning
			if g.settled() {
				g.stop()
			}
		}
	})
	switch {
	case changed:
		m.warning = ""
	case excused:
		m.Holds = true
	}
}

// settled records whether the wait is over.
func (g *Gathering) settled() bool {
	reached := 0
	for _, m := range g.members {
		if m.Holds {
			reached++
		}
		g.failed = g.failed || m.Failed != "" && g.count.AtLeast == 0
	}
	g.holds = !g.failed && enough(g.goal, g.count, len(g.members), reached)
	return g.holds || g.failed
}
