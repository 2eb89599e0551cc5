package class_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

func members(t *rapid.T) []class.Member {
	all := make([]class.Member, rapid.IntRange(0, 12).Draw(t, "members"))
	for i := range all {
		all[i] = class.Member{
			Instance: fmt.Sprintf("team/%02d", i), First: rapid.Bool().Draw(t, "first"), Updated: rapid.Bool().Draw(t, "updated"),
		}
		switch rapid.IntRange(0, 2).Draw(t, "is") {
		case 0:
			all[i].Ready = true
		case 1:
			all[i].Failing = true
		}
	}
	return all
}

func rollout(t *rapid.T) v1alpha1.Rollout {
	return v1alpha1.Rollout{MaxUnavailable: new(rapid.Int32Range(1, 4).Draw(t, "maxUnavailable")), PauseOnFailure: new(rapid.Bool().Draw(t, "pauseOnFailure"))}
}

func unsettled(all []class.Member) (n int) {
	for _, member := range all {
		if member.Updated && !member.Ready {
			n++
		}
	}
	return n
}

// update does what a plan says.
func update(all []class.Member, names []string) {
	for i := range all {
		if slices.Contains(names, all[i].Instance) {
			all[i].Updated, all[i].Ready, all[i].Failing = true, false, false
		}
	}
}

func TestARolloutNeverHasMoreUnderWayThanItMay(t *testing.T) { // [X62]
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all, with := members(t), rollout(t)
		before := unsettled(all)
		next := class.Plan(all, with)
		update(all, next.Update)
		assert.LessOrEqual(t, unsettled(all), max(before, int(*with.MaxUnavailable)))
		if len(next.Failing) > 0 && *with.PauseOnFailure {
			assert.Empty(t, next.Update)
		}
		for _, member := range all {
			if slices.Contains(next.Update, member.Instance) && !member.First {
				for _, other := range all {
					assert.False(t, other.First && !(other.Updated && other.Ready), "%s comes before %s", other.Instance, member.Instance)
				}
			}
		}
	})
}

func TestARolloutThatFailsNowhereComesToItsEnd(t *testing.T) { // [X62]
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all, with := members(t), rollout(t)
		for round := 0; ; round++ {
			next := class.Plan(all, with)
			if next.Done {
				return
			}
			update(all, next.Update)
			if round > 2*len(all)+1 {
				t.Fatalf("it never ends: %+v", all)
			}
			for i := range all {
				if all[i].Updated {
					all[i].Ready, all[i].Failing = true, false
				}
			}
		}
	})
}

func TestWhatARolloutDecidesDoesNotChangeWhenItIsSeenLate(t *testing.T) { // [X62]
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all, with := members(t), rollout(t)
		first := class.Plan(all, with)
		// The cache has some of what was decided.
		update(all, rapid.SliceOfDistinct(rapid.SampledFrom(append(first.Update, "")), rapid.ID).Draw(t, "seen"))
		for _, name := range class.Plan(all, with).Update {
			assert.Contains(t, first.Update, name)
		}
	})
}
