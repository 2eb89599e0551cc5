package readiness

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Count says how many objects must reach a goal. The zero value means all that exist, and at least one. A goal that is
// absence has no count: no object may be left.
type Count struct {
	// AtLeast is how many objects must have reached the goal. Others may exist.
	AtLeast int
	// Exactly is how many objects must exist, all of which must have reached the goal.
	Exactly int
}

// String describes the count.
func (c Count) String() string {
	switch {
	case c.AtLeast > 0:
		return fmt.Sprintf("at least %d", c.AtLeast)
	case c.Exactly > 0:
		return fmt.Sprintf("exactly %d", c.Exactly)
	default:
		return "all"
	}
}

// Member is one of many objects, and what its state means.
type Member struct {
	Verdict

	Live *unstructured.Unstructured
}

// Tally is what the states of many objects mean together.
type Tally struct {
	// Total is how many objects there are, and Reached how many of them have reached the goal.
	Total, Reached int
	// Behind are those that have not reached the goal, the worst first: those that never will, then by name.
	Behind []Member

	goal  *Goal
	count Count
}

// JudgeAll evaluates one state of many objects.
func (g *Goal) JudgeAll(objects []*unstructured.Unstructured, count Count) Tally {
	members := make([]Member, len(objects))
	for i, live := range objects {
		members[i] = Member{g.Judge(live), live}
	}
	return tallyOf(g, count, members)
}

func tallyOf(goal *Goal, count Count, members []Member) Tally {
	t := Tally{Total: len(members), goal: goal, count: count}
	for _, m := range members {
		if m.Holds {
			t.Reached++
		} else {
			t.Behind = append(t.Behind, m)
		}
	}
	slices.SortFunc(t.Behind, func(a, b Member) int {
		return cmp.Or(rank(a)-rank(b), cmp.Compare(a.Live.GetName(), b.Live.GetName()))
	})
	return t
}

func rank(m Member) int {
	if m.Failed != "" {
		return 0
	}
	return 1
}

// Holds reports whether as many objects as necessary have reached the goal.
func (t Tally) Holds() bool { return enough(t.goal, t.count, t.Total, t.Reached) }

func enough(goal *Goal, count Count, total, reached int) bool {
	switch {
	case goal.deleted:
		return total == 0
	case count.AtLeast > 0:
		return reached >= count.AtLeast
	case count.Exactly > 0:
		return total == count.Exactly && reached == total
	default:
		return total > 0 && reached == total
	}
}

// Failed returns the object that makes it impossible to succeed. If a number of objects is enough, there is none: others
// may take the place of what has failed.
func (t Tally) Failed() (Member, bool) {
	if t.count.AtLeast > 0 || len(t.Behind) == 0 || t.Behind[0].Failed == "" {
		return Member{}, false
	}
	return t.Behind[0], true
}

// String says how many of how many objects have reached the goal.
func (t Tally) String() string {
	are := "are as awaited"
	if _, ready := t.goal.ready(); ready && len(t.goal.criteria) == 1 {
		are = "are ready"
	}
	switch {
	case t.goal.deleted:
		return fmt.Sprintf("%d of them still exist", t.Total)
	case t.Total == 0:
		return "there are none"
	case t.count.AtLeast > 0:
		return fmt.Sprintf("%d of %s %s; %d exist", t.Reached, t.count, are, t.Total)
	case t.count.Exactly > 0 && t.Total > t.count.Exactly:
		return fmt.Sprintf("%d of %s %s; %d exist, which is %d too many", t.Reached, t.count, are, t.Total, t.Total-t.count.Exactly)
	case t.count.Exactly > 0:
		return fmt.Sprintf("%d of %s %s; %d exist", t.Reached, t.count, are, t.Total)
	default:
		return fmt.Sprintf("%d of %d %s", t.Reached, t.Total, are)
	}
}
