package readiness

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// state is an object of a uid in a phase.
func state(uid, phase string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object{
		"apiVersion": "acme.io/v1", "kind": "Widget", "metadata": object{"name": "web", "uid": uid}, "status": object{"phase": phase},
	}}
}

// errScript ends a script that was not ended by who followed it.
var errScript = errors.New("the API server is away")

// script shows states one after another, and then fails.
func script(states ...*unstructured.Unstructured) Follow {
	return func(_ context.Context, see func(*unstructured.Unstructured) (bool, error)) error {
		for _, live := range states {
			if done, err := see(live); done || err != nil {
				return err
			}
		}
		return errScript
	}
}

// forever shows states, and then nothing more until the context ends.
func forever(states ...*unstructured.Unstructured) Follow {
	return func(ctx context.Context, see func(*unstructured.Unstructured) (bool, error)) error {
		if err := script(states...)(ctx, see); !errors.Is(err, errScript) {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}
}

var (
	active  = Criteria{FieldValue: map[string]string{"status.phase": "Active"}}
	deleted = Criteria{Deleted: true}
)

func TestAwait(t *testing.T) {
	const gone, replaced = "the object was deleted", "the object was deleted, and another one has its name now"
	pending, ready, other := state("1", "Pending"), state("1", "Active"), state("2", "Active")
	type states = []*unstructured.Unstructured
	for name, c := range map[string]struct {
		criteria Criteria
		options  Options
		states   states

		last   *unstructured.Unstructured // returned, or in the error
		failed string
		shown  int // states that Progress was called with
	}{
		"it holds at once [W2]":                            {criteria: active, states: states{ready}, last: ready},
		"it holds later [W2]":                              {criteria: active, states: states{pending, pending, ready}, last: ready, shown: 2},
		"it appears later [W15]":                           {criteria: active, states: states{nil, nil, pending, ready}, last: ready, shown: 3},
		"the one that is meant is there [W24]":             {criteria: active, options: Options{UID: "1"}, states: states{pending, ready}, last: ready, shown: 1},
		"it is deleted [W14]":                              {criteria: active, states: states{pending, nil}, last: pending, failed: gone, shown: 1},
		"it appears and is deleted [W14]":                  {criteria: active, states: states{nil, pending, nil}, last: pending, failed: gone, shown: 2},
		"it is deleted and made again [W14]":               {criteria: active, states: states{pending, other}, last: pending, failed: replaced, shown: 1},
		"the one that is meant is gone [W14]":              {criteria: active, options: Options{UID: "1"}, states: states{nil}, failed: gone},
		"another one has the name [W14]":                   {criteria: active, options: Options{UID: "1"}, states: states{other}, failed: replaced},
		"failWhen comes true [W14]":                        {criteria: Criteria{Field: "status.url", FailWhen: `object.status.phase == "Active"`}, states: states{pending, ready}, last: ready, failed: `failWhen is true: object.status.phase == "Active"`, shown: 1},
		"it is gone already [W9]":                          {criteria: deleted, states: states{nil}},
		"the one that is meant is gone already [W9]":       {criteria: deleted, options: Options{UID: "1"}, states: states{nil}},
		"it goes [W9]":                                     {criteria: deleted, states: states{pending, ready, nil}, shown: 2},
		"it goes, and another has its name [W9]":           {criteria: deleted, states: states{pending, other}, shown: 1},
		"the one meant is gone, another has its name [W9]": {criteria: deleted, options: Options{UID: "1"}, states: states{other}},
	} {
		t.Run(name, func(t *testing.T) {
			var shown states
			goal := compile(t, c.criteria)
			c.options.Progress = func(live *unstructured.Unstructured, verdict Verdict) {
				assert.False(t, verdict.Holds)
				assert.Empty(t, verdict.Failed)
				assert.NotEmpty(t, verdict.Missing)
				shown = append(shown, live)
			}
			live, err := Await(context.Background(), goal, script(c.states...), c.options)
			assert.Equal(t, append(states(nil), c.states[:c.shown]...), shown, "all states but the last are shown")
			if c.failed == "" {
				require.NoError(t, err)
				assert.Equal(t, c.last, live)
				return
			}
			assert.Nil(t, live)
			notReady := (*NotReadyError)(nil)
			require.ErrorAs(t, err, &notReady)
			assert.Equal(t, Failed, notReady.Reason)
			assert.Equal(t, c.failed, notReady.Why)
			assert.Equal(t, c.last, notReady.Last, "the last state is kept")
			assert.Same(t, goal, notReady.Goal)
			assert.NoError(t, notReady.Err)
			assert.ErrorContains(t, err, "waiting for "+goal.String()+": failed: "+c.failed)
		})
	}
}

func TestAWaitThatEndsTellsWhatItSawLast(t *testing.T) {
	pending := state("1", "Pending")
	missing := []string{`status.phase is "Pending", it should be "Active"`}
	cancelled := func() context.Context {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(20*time.Millisecond, cancel)
		return ctx
	}
	late := func() context.Context {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	for name, c := range map[string]struct {
		ctx     context.Context
		timeout time.Duration
		follow  Follow
		want    NotReadyError
	}{
		"its timeout is over [W12]":                {context.Background(), 20 * time.Millisecond, forever(nil, pending), NotReadyError{Reason: TimedOut, Last: pending, Missing: missing, Err: context.DeadlineExceeded}},
		"a millisecond is over [W11]":              {context.Background(), time.Millisecond, forever(), NotReadyError{Reason: TimedOut, Err: context.DeadlineExceeded}},
		"the context's time is over [W17]":         {late(), time.Hour, forever(pending), NotReadyError{Reason: TimedOut, Last: pending, Missing: missing, Err: context.DeadlineExceeded}},
		"it never appears [W15]":                   {late(), 0, forever(nil), NotReadyError{Reason: TimedOut, Missing: []string{"it does not exist yet"}, Err: context.DeadlineExceeded}},
		"it was cancelled":                         {cancelled(), time.Hour, forever(pending), NotReadyError{Reason: Interrupted, Last: pending, Missing: missing, Err: context.Canceled}},
		"the object cannot be read":                {context.Background(), time.Hour, script(), NotReadyError{Reason: Unreadable, Err: errScript}},
		"the object cannot be read any more":       {context.Background(), time.Hour, script(pending), NotReadyError{Reason: Unreadable, Last: pending, Missing: missing, Err: errScript}},
		"there are no more states, for no reason":  {context.Background(), 0, quiet(pending), NotReadyError{Reason: Unreadable, Last: pending, Missing: missing}},
		"there was no state at all, for no reason": {context.Background(), 0, quiet(), NotReadyError{Reason: Unreadable}},
	} {
		t.Run(name, func(t *testing.T) {
			live, err := Await(c.ctx, compile(t, active), c.follow, Options{Timeout: c.timeout})
			assert.Nil(t, live)
			notReady := (*NotReadyError)(nil)
			require.ErrorAs(t, err, &notReady)
			assert.Equal(t, c.want.Reason, notReady.Reason)
			assert.Equal(t, c.want.Last, notReady.Last)
			assert.Equal(t, c.want.Missing, notReady.Missing)
			assert.Empty(t, notReady.Why)
			assert.Positive(t, notReady.Took)
			assert.ErrorIs(t, notReady.Err, c.want.Err)
			assert.ErrorContains(t, err, `waiting for status.phase = "Active": `+string(c.want.Reason))
		})
	}
}

// quiet shows states, and then returns as though all were well.
func quiet(states ...*unstructured.Unstructured) Follow {
	return func(ctx context.Context, see func(*unstructured.Unstructured) (bool, error)) error {
		if err := script(states...)(ctx, see); !errors.Is(err, errScript) {
			return err
		}
		return nil
	}
}

func TestWhatHoldsIsNotLostByAnErrorAfterwards(t *testing.T) {
	ready := state("1", "Active")
	live, err := Await(context.Background(), compile(t, active), func(_ context.Context, see func(*unstructured.Unstructured) (bool, error)) error {
		done, err := see(ready)
		assert.True(t, done)
		assert.NoError(t, err)
		return errScript
	}, Options{})
	require.NoError(t, err)
	assert.Equal(t, ready, live)
}
