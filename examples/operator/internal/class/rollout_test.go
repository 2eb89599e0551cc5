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
			FailedBefore: rapid.Bool().Draw(t, "failedBefore"),
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

// counts says whether what becomes of a member says something of the newest revision.
func counts(member class.Member) bool {
	return !(member.Updated && member.Failing && member.FailedBefore)
}

func unsettled(all []class.Member) (n int) {
	for _, member := range all {
		if member.Updated && !member.Ready && counts(member) {
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
					assert.False(t, other.First && !(other.Updated && other.Ready) && counts(other), "%s comes before %s", other.Instance, member.Instance)
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

func TestARolloutSaysHowFarItIs(t *testing.T) { // [X62]
	t.Parallel()
	ready := func(name string) class.Member { return class.Member{Instance: name, Updated: true, Ready: true} }
	fails := func(name string) class.Member { return class.Member{Instance: name, Updated: true, Failing: true} }
	before := func(member class.Member) class.Member { member.FailedBefore = true; return member }
	first := func(member class.Member) class.Member { member.First = true; return member }
	runs, old := class.Member{Instance: "team/d", Updated: true}, class.Member{Instance: "team/e", Ready: true}
	for name, c := range map[string]struct {
		members []class.Member
		goesOn  bool // although something fails
		says    string
		updates []string
		stopped bool
	}{
		"nobody":           {says: "No object of the kind exists."},
		"all":              {members: []class.Member{ready("team/a")}, says: "1 of 1 are Ready on the newest revision."},
		"one is under way": {members: []class.Member{ready("team/a"), runs}, says: "1 of 2 are Ready on the newest revision, and 1 is under way."},
		"one waits":        {members: []class.Member{runs, old}, says: "0 of 2 are Ready on the newest revision, 1 is under way, and 1 waits."},
		"one waits for the first": {
			members: []class.Member{first(runs), old}, says: "0 of 2 are Ready on the newest revision, 1 is under way, and 1 waits for those that come first.",
		},
		"one fails": {
			members: []class.Member{ready("team/a"), fails("team/b"), old}, stopped: true,
			says: "Stopped: team/b fails on the newest revision. 1 of 3 are Ready on it, and 1 waits. It goes on when what fails is Ready, or with another revision.",
		},
		"the last one fails": {members: []class.Member{ready("team/a"), fails("team/b")}, says: "1 of 2 are Ready on the newest revision, and team/b fails."},
		"one fails, and it goes on": {
			members: []class.Member{fails("team/b"), old, ready("team/a")}, goesOn: true, says: "1 of 3 are Ready on the newest revision, team/b fails, and 1 waits.",
		},
		"one failed before, too": {
			members: []class.Member{ready("team/a"), before(fails("team/b")), old}, updates: []string{"team/e"},
			says: "1 of 3 are Ready on the newest revision, team/b fails as before it, and 1 is under way.",
		},
		"one that failed before has not run yet": {
			members: []class.Member{ready("team/a"), before(runs), old}, says: "1 of 3 are Ready on the newest revision, 1 is under way, and 1 waits.",
		},
		"the first one failed before, too": {
			members: []class.Member{first(before(fails("team/b"))), old}, updates: []string{"team/e"},
			says: "0 of 2 are Ready on the newest revision, team/b fails as before it, and 1 is under way.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := class.Plan(c.members, v1alpha1.Rollout{MaxUnavailable: new(int32(1)), PauseOnFailure: new(!c.goesOn)})
			assert.Equal(t, c.says, next.Message)
			assert.Equal(t, c.updates, next.Update)
			assert.Equal(t, c.stopped, next.Stopped)
		})
	}
}
