package class

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// Member is an Environment of a class, as the rollout of a revision sees it.
type Member struct {
	// Instance is the object of the tenant.
	Instance string
	// First says that it is of those that come first.
	First bool
	// Updated says that it is on the newest revision.
	Updated bool
	// Ready and Failing speak of what it is on.
	Ready, Failing bool
	// FailedBefore says that it failed already when the newest revision reached it.
	FailedBefore bool
}

// Fails says whether a run of what an Environment is on has failed. What its status says of an earlier spec says nothing of that.
func Fails(environment *v1alpha1.Environment) bool {
	state := environment.State()
	return environment.Status.ObservedGeneration == environment.Generation && (state == v1alpha1.StateStalled || state == v1alpha1.StateFailing)
}

// Next is what a rollout does now.
type Next struct {
	// Update are the members that get the newest revision now.
	Update []string
	// Failing are those that fail on it, and did not before.
	Failing []string
	// FailingAsBefore are those that failed before it, too: the revision is not what is wrong with them.
	FailingAsBefore []string
	// Done says that all members are Ready on the newest revision.
	Done bool
	// Stopped says that it does not go on by itself.
	Stopped bool
	// Message says how far it is.
	Message string
}

// Plan says how the rollout of the newest revision goes on. It counts whatever is on the newest revision and not Ready, whyever that is:
// so it never has more under way than it may, even if what it decided before is not seen yet. The order does not depend on what is
// under way. One that failed before the revision and fails with it counts for nothing: it says nothing of the revision.
func Plan(members []Member, rollout v1alpha1.Rollout) Next {
	members = slices.Clone(members)
	slices.SortFunc(members, func(a, b Member) int {
		if a.First != b.First {
			if a.First {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Instance, b.Instance)
	})
	var next Next
	underWay, waiting, firstWait, ready := 0, []Member{}, false, 0
	for _, member := range members {
		settled := member.Updated && member.Ready
		switch {
		case settled:
			ready++
		case member.Updated && member.Failing && member.FailedBefore:
			next.FailingAsBefore = append(next.FailingAsBefore, member.Instance)
			continue
		case member.Updated:
			underWay++
			if member.Failing {
				next.Failing = append(next.Failing, member.Instance)
			}
		default:
			waiting = append(waiting, member)
		}
		firstWait = firstWait || member.First && !settled
	}
	next.Done = ready == len(members)
	next.Stopped = len(next.Failing) > 0 && ptr.Deref(rollout.PauseOnFailure, true) && len(waiting) > 0
	if !next.Stopped {
		free := int(ptr.Deref(rollout.MaxUnavailable, 1)) - underWay
		for _, member := range waiting {
			if free <= 0 || firstWait && !member.First {
				break
			}
			next.Update, free = append(next.Update, member.Instance), free-1
		}
	}
	next.Message = next.say(ready, underWay-len(next.Failing)+len(next.Update), len(waiting)-len(next.Update), firstWait)
	return next
}

func (n Next) say(ready, underWay, waiting int, first bool) string {
	all := ready + len(n.Failing) + len(n.FailingAsBefore) + underWay + waiting
	if all == 0 {
		return "No object of the kind exists."
	}
	if n.Stopped {
		return fmt.Sprintf("Stopped: %s on the newest revision. %d of %d are Ready on it, and %s. It goes on when what fails is Ready, or with another revision.",
			failing(n.Failing), ready, all, number(waiting, "waits", "wait"))
	}
	parts := []string{fmt.Sprintf("%d of %d are Ready on the newest revision", ready, all)}
	if len(n.Failing) > 0 {
		parts = append(parts, failing(n.Failing))
	}
	if len(n.FailingAsBefore) > 0 {
		parts = append(parts, failing(n.FailingAsBefore)+" as before it")
	}
	if underWay > 0 {
		parts = append(parts, number(underWay, "is under way", "are under way"))
	}
	if waiting > 0 {
		waits := number(waiting, "waits", "wait")
		if first {
			waits += " for those that come first"
		}
		parts = append(parts, waits)
	}
	if last := len(parts) - 1; last > 0 {
		parts[last] = "and " + parts[last]
	}
	return strings.Join(parts, ", ") + "."
}

func number(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func failing(names []string) string {
	const shown = 3
	if len(names) == 1 {
		return names[0] + " fails"
	}
	if len(names) > shown {
		return fmt.Sprintf("%s and %d more fail", strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return strings.Join(names, ", ") + " fail"
}
