package readiness_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

// jobs are Jobs: the first are complete, then some run, and the last have failed.
func jobs(complete, running, failed int) (all []*unstructured.Unstructured) {
	for i := range complete + running + failed {
		condition := ""
		switch {
		case i < complete:
			condition = "Complete"
		case i >= complete+running:
			condition = "Failed"
		}
		all = append(all, job(fmt.Sprintf("job-%d", i), condition))
	}
	return all
}

func job(name, condition string) *unstructured.Unstructured {
	live := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "batch/v1", "kind": "Job"}}
	live.SetName(name)
	live.SetUID(types.UID("uid of " + name))
	if condition != "" {
		live.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": condition, "status": "True"}}}
	}
	return live
}

func goalOf(t *testing.T, criteria readiness.Criteria) *readiness.Goal {
	t.Helper()
	goal, problems := readiness.Compile(criteria)
	require.Empty(t, problems)
	return goal
}

func TestManyObjectsAreAtTheGoal(t *testing.T) { // [R21] [R26]
	t.Parallel()
	atLeast := func(n int) readiness.Count { return readiness.Count{AtLeast: n} }
	exactly := func(n int) readiness.Count { return readiness.Count{Exactly: n} }
	all, ready, gone := readiness.Count{}, readiness.Criteria{Ready: true}, readiness.Criteria{Deleted: true}
	for name, c := range map[string]struct {
		criteria readiness.Criteria
		objects  []*unstructured.Unstructured
		count    readiness.Count
		holds    bool
		says     string
		failed   string
	}{
		"all are, of none: it may still come": {ready, nil, all, false, "there are none", ""},
		"all are":                             {ready, jobs(3, 0, 0), all, true, "3 of 3 are ready", ""},
		"all but one are":                     {ready, jobs(2, 1, 0), all, false, "2 of 3 are ready", ""},
		"all can never be, if one has failed": {ready, jobs(2, 0, 1), all, false, "2 of 3 are ready", "job-2"},
		"at least so many are":                {ready, jobs(2, 1, 1), atLeast(2), true, "2 of at least 2 are ready; 4 exist", ""},
		"at least so many may still be":       {ready, jobs(1, 0, 3), atLeast(2), false, "1 of at least 2 are ready; 4 exist", ""},
		"at least so many, of none":           {ready, nil, atLeast(2), false, "there are none", ""},
		"exactly so many are":                 {ready, jobs(2, 0, 0), exactly(2), true, "2 of exactly 2 are ready; 2 exist", ""},
		"exactly so many, and one more":       {ready, jobs(2, 1, 0), exactly(2), false, "2 of exactly 2 are ready; 3 exist, which is 1 too many", ""},
		"exactly so many, too few exist":      {ready, jobs(2, 0, 0), exactly(3), false, "2 of exactly 3 are ready; 2 exist", ""},
		"exactly so many, and one has failed": {ready, jobs(2, 0, 1), exactly(3), false, "2 of exactly 3 are ready; 3 exist", "job-2"},
		"none is left":                        {gone, nil, all, true, "0 of them still exist", ""},
		"some are left":                       {gone, jobs(0, 2, 0), all, false, "2 of them still exist", ""},
		"none will be left, says failWhen": {
			readiness.Criteria{Deleted: true, FailWhen: "object.metadata.name == 'job-1'"}, jobs(0, 2, 0), all, false, "2 of them still exist", "job-1",
		},
		"another goal than readiness": {readiness.Criteria{Condition: "Complete"}, jobs(1, 1, 0), all, false, "1 of 2 are as awaited", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tally := goalOf(t, c.criteria).JudgeAll(c.objects, c.count)
			assert.Equal(t, c.holds, tally.Holds())
			assert.Equal(t, c.says, tally.String())
			first, failed := tally.Failed()
			assert.Equal(t, c.failed != "", failed)
			if failed {
				assert.Equal(t, c.failed, first.Live.GetName())
				assert.Equal(t, first, tally.Behind[0], "the worst is named first")
			}
		})
	}
}

// states shows one state after another of many objects, and then waits.
func states(all ...[]*unstructured.Unstructured) readiness.FollowAll {
	return func(ctx context.Context, see func(map[string]*unstructured.Unstructured) (bool, error)) error {
		for _, objects := range all {
			named := map[string]*unstructured.Unstructured{}
			for _, live := range objects {
				named[live.GetName()] = live
			}
			if done, err := see(named); done || err != nil {
				return err
			}
		}
		<-ctx.Done()
		return ctx.Err()
	}
}

func TestManyObjectsAreAwaited(t *testing.T) { // [R20]
	t.Parallel()
	ready := goalOf(t, readiness.Criteria{Ready: true})
	await := func(t *testing.T, count readiness.Count, follow readiness.FollowAll) ([]readiness.Member, error) {
		reached, _, err := readiness.Gather(ready, count, nil).Await(t.Context(), 50*time.Millisecond, follow)
		return reached, err
	}
	t.Run("one after the other becomes ready", func(t *testing.T) {
		t.Parallel()
		reached, err := await(t, readiness.Count{Exactly: 2}, states(nil, jobs(0, 1, 0), jobs(0, 2, 0), jobs(1, 1, 0), jobs(2, 0, 0)))
		require.NoError(t, err)
		assert.Len(t, reached, 2)
	})
	t.Run("one that is deleted is not missed", func(t *testing.T) {
		t.Parallel()
		_, err := await(t, readiness.Count{}, states(jobs(1, 1, 0), jobs(1, 0, 0)))
		require.NoError(t, err)
	})
	t.Run("one that is made again counts from the beginning", func(t *testing.T) {
		t.Parallel()
		again := job("job-0", "")
		again.SetUID("another")
		_, err := await(t, readiness.Count{AtLeast: 2}, states(jobs(1, 1, 0), []*unstructured.Unstructured{again, job("job-1", "Complete")}))
		notReady := (*readiness.NotReadyError)(nil)
		require.ErrorAs(t, err, &notReady)
		assert.Equal(t, readiness.TimedOut, notReady.Reason)
		assert.Equal(t, "1 of at least 2 are ready; 2 exist", notReady.Among.String())
	})
	t.Run("nothing was seen", func(t *testing.T) {
		t.Parallel()
		_, err := await(t, readiness.Count{}, states())
		notReady := (*readiness.NotReadyError)(nil)
		require.ErrorAs(t, err, &notReady)
		assert.Equal(t, readiness.TimedOut, notReady.Reason)
		assert.Nil(t, notReady.Among)
	})
	t.Run("one fails for good", func(t *testing.T) {
		t.Parallel()
		_, err := await(t, readiness.Count{}, states(jobs(1, 1, 0), jobs(1, 0, 1)))
		notReady := (*readiness.NotReadyError)(nil)
		require.ErrorAs(t, err, &notReady)
		assert.Equal(t, readiness.Failed, notReady.Reason)
		assert.Contains(t, notReady.Why, "condition Failed=True")
	})
}

func TestADoubtAboutOneOfMany(t *testing.T) { // [R20]
	t.Parallel()
	ticket := func(name, version string, generation int64) *unstructured.Unstructured {
		live := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "shop.example.org/v1", "kind": "Ticket", "spec": map[string]any{"a": "b"}}}
		live.SetName(name)
		live.SetUID(types.UID(name))
		live.SetResourceVersion(version)
		live.SetGeneration(generation)
		return live
	}
	ready := goalOf(t, readiness.Criteria{Ready: true})
	require.Equal(t, readiness.NoStatus, ready.Judge(ticket("one", "1", 1)).Doubt)
	var asked atomic.Int32
	excuse := func(context.Context, *unstructured.Unstructured, readiness.Doubt) (string, bool) {
		asked.Add(1)
		return "it has no status", true
	}
	g := readiness.Gather(ready, readiness.Count{Exactly: 3}, excuse)
	follow := func(ctx context.Context, see func(map[string]*unstructured.Unstructured) (bool, error)) error {
		one, two, three := ticket("one", "1", 1), ticket("two", "1", 1), ticket("three", "1", 1)
		if done, err := see(map[string]*unstructured.Unstructured{"one": one, "two": two}); done || err != nil {
			return err
		}
		assert.Eventually(t, func() bool { tally, _ := g.Tally(); return tally.Reached == 2 }, time.Minute, time.Millisecond)
		if done, err := see(map[string]*unstructured.Unstructured{"one": ticket("one", "2", 1), "two": two, "three": three}); done || err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}
	reached, warnings, err := g.Await(t.Context(), time.Minute, follow)
	require.NoError(t, err)
	assert.Len(t, reached, 3)
	assert.Len(t, warnings, 3)
	assert.EqualValues(t, 3, asked.Load(), "it is decided once for each, also when an object changes and the doubt stays")
}
