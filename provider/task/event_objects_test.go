package task

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// hookIn are the inputs of a hook in an event, which needs three accounts: its own, one that hooks in front of it need as well, and one
// that those behind it do.
func hookIn(e event) inputs {
	var with []map[string]any
	for _, name := range []string{"own", "found", "left"} {
		with = append(with, map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"name": name}})
	}
	e.found, e.left = []int{1}, []int{2}
	return inputs{with: with, hook: &hook{release: "shop", event: &e}}
}

func namesOf(all []needed) []string {
	names := []string{}
	for _, n := range all {
		names = append(names, n.object["metadata"].(map[string]any)["name"].(string))
	}
	return names
}

func TestWhatIsMadeForAnEvent(t *testing.T) { // [D93]
	t.Parallel()
	of := func(e event) []needed {
		all, err := hookIn(e).needs("migrate-01234567")
		require.NoError(t, err)
		return all
	}
	before := of(event{number: 1, stage: "before"})
	assert.Equal(t, before, of(event{number: 1, stage: "before", open: true}), "is the same for all hooks of it")
	for name, other := range map[string][]needed{"another event": of(event{number: 2, stage: "before"}), "another stage": of(event{number: 1, stage: "after"})} {
		assert.NotEqual(t, before[0].madeFor, other[0].madeFor, name)
	}
	assert.NotEqual(t, before[0].madeFor, before[1].madeFor, "another object")
	alone := hookIn(event{})
	alone.hook.event = nil
	all, err := alone.needs("migrate-01234567")
	require.NoError(t, err)
	assert.Equal(t, "migrate-01234567", all[0].madeFor, "what no event has is made for the run")
}

func TestWhatARunLeaves(t *testing.T) { // [D93]
	t.Parallel()
	all, err := hookIn(event{number: 1, open: true}).needs("")
	require.NoError(t, err)
	assert.Equal(t, []string{"own", "found"}, namesOf(unneeded(all, afterSuccess)), "one that has succeeded leaves what those behind it need")
	assert.Equal(t, []string{"own", "left"}, namesOf(unneeded(all, afterFailure)), "one that has failed leaves what those in front of it have used")
}

func TestWhatIsKeptOfTheLastRun(t *testing.T) { // [D93]
	t.Parallel()
	in := hookIn(event{number: 1, open: true})
	all, err := in.needs("")
	require.NoError(t, err)
	alone := append([]needed(nil), all...)
	for i := range alone {
		alone[i].found = false
	}
	for name, c := range map[string]struct {
		with []needed
		runs bool
		want []string
	}{
		"what hooks in front of it have left":                       {all, true, []string{"found"}},
		"what only it used, if a new hook in front of it has it":    {alone, true, []string{"found"}},
		"nothing for itself, if it does not run again":              {all, false, []string{}},
		"nothing that only it used, for hooks behind it":            {alone[2:], true, []string{}},
		"what hooks in front of it have left, for those behind it":  {[]needed{{madeFor: all[2].madeFor, object: all[2].object, found: true}}, false, []string{"left"}},
		"nothing that was made for something else with that object": {[]needed{{madeFor: "event-0-0", object: all[1].object, found: true}}, true, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept, err := in.kept(state{with: c.with}, decision{runs: c.runs})
			require.NoError(t, err)
			assert.Equal(t, c.want, namesOf(kept))
		})
	}
}

func TestWhatAHookRemovesThatHasNothingToRun(t *testing.T) { // [D93]
	t.Parallel()
	made := func(e event) []needed {
		all, err := hookIn(e).needs("")
		require.NoError(t, err)
		return all
	}
	first, second := event{number: 1, open: true}, event{number: 2, open: true}
	ended := second
	ended.ended = 1
	unsure := first
	unsure.unsure = true
	for name, c := range map[string]struct {
		now         event
		old         state
		stale, last []string
	}{
		"what those behind it still need stays":                   {first, state{event: 1, with: made(first)[2:]}, []string{}, []string{"found"}},
		"but not what none of them needs any more":                {first, state{event: 1, with: made(first)}, []string{"own", "found"}, []string{"found"}},
		"nor what was left for an event that never ended":         {second, state{event: 1, with: made(first)[2:]}, []string{"left"}, []string{"found"}},
		"what was left for one that has ended is gone already":    {ended, state{event: 1, with: made(first)[2:]}, []string{}, []string{"found"}},
		"what is there for a run that is not done is not touched": {first, state{event: 1, unfinished: failed, with: made(first)}, []string{}, []string{"found"}},
		"nothing, where no event is open":                         {event{number: 1}, state{event: 1, with: made(first)}, []string{}, []string{}},
		"nothing, where nobody knows what runs in it":             {unsure, state{event: 1, with: made(first)}, []string{}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := hookIn(c.now)
			stale, err := in.stale(c.old)
			require.NoError(t, err)
			last, err := in.last()
			require.NoError(t, err)
			assert.Equal(t, c.stale, namesOf(stale))
			assert.Equal(t, c.last, namesOf(last))
		})
	}
}

func TestWhatIsNotKnownInAPreviewIsLeftOut(t *testing.T) { // [D93]
	t.Parallel()
	in := hookIn(event{number: 1, open: true})
	in.with[2]["data"] = map[string]any{"password": values.Unknown{}}
	in.unknown = []string{"with[2].data.password"}
	p := &passedOn{}
	require.NoError(t, p.note(in, decision{runs: true}))
}
