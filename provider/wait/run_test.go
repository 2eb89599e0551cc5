package wait_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

func TestAPreviewOfAWaitAsksNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		now    property.Map
		status property.Value
	}{
		{"fields are known after the wait", program(forColor), verbs.Unknown},
		{"an expression is no output", program(forBlue), property.Value{}},
		{"an end is no output", program(forDeletion), property.Value{}},
		{"criteria that are unknown may be about fields", program(verbs.Unknown), verbs.Unknown},
		{"a connection that is unknown", program(forColor, m{"clusterConnection": verbs.Unknown}), verbs.Unknown},
		{"an object that is unknown", program(forColor, m{"resourceRef": verbs.Unknown}), verbs.Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, web := waited(t, forColor)
			server.Stop()
			planned, err := web.Plan(c.now)
			require.NoError(t, err)
			assert.Equal(t, c.status, planned.Get("status"), "an update: what was waited for before is no answer to it")
			planned, err = verbs.New(t, "Wait", process(server)).PlanCreate(c.now)
			require.NoError(t, err)
			assert.Equal(t, c.status, planned.Get("status"))
			assert.Empty(t, server.Asked())
		})
	}
}

func TestAWaitInVainIsInTheState(t *testing.T) {
	t.Parallel()
	server, web := pending(t)
	assert.Equal(t, theID, web.ID)
	require.Len(t, web.Reasons, 1, "what depends on it is not made")
	assert.Equal(t, program(blueSoon()), web.Inputs)

	says(withColor(verbs.UID, "blue"))(server)
	require.NoError(t, web.Update(program(forBlue)))
	assert.Empty(t, web.Reasons)
	assert.True(t, web.Outputs.Get("__pendingWait").IsNull())
	assert.Empty(t, server.Wrote(), "a Wait never touches the object")
}

func TestAWaitThatMayFailGoesOn(t *testing.T) { // [M7]
	t.Parallel()
	server := verbs.NewServer(t)
	server.Says("GET "+verbs.Path, withColor(verbs.UID, "red"))
	server.Says("GET /api/v1/namespaces/shop/configmaps", verbs.Hang)
	web := verbs.New(t, "Wait", process(server))
	warned := m{"onFailure": "warn"}
	require.NoError(t, web.Create(program(blueSoon(), warned)))
	assert.Empty(t, web.Reasons, "what depends on it is made")
	assert.True(t, web.Outputs.Get("__pendingWait").IsNull())
	assert.Equal(t, property.New(true), web.Outputs.Get("__gaveUp"))
	require.NoError(t, web.Read())
	diff, err := web.Diff(program(blueSoon(), warned))
	require.NoError(t, err)
	assert.False(t, diff.HasChanges, "it does not wait again for what was not there")

	server.Stop()
	require.Error(t, verbs.New(t, "Wait", process(server)).Create(program(blueSoon(), warned)), "an object that cannot be read is an error")
}

func TestAnUpdateOfAWaitThatFailsKeepsTheFormerInputs(t *testing.T) {
	t.Parallel()
	server, web := waited(t, forColor)
	says(withColor(verbs.UID, "red"))(server)
	server.Says("GET /api/v1/namespaces/shop/configmaps", verbs.Hang)
	require.Error(t, web.Update(program(blueSoon())))
	assert.Equal(t, program(forColor), web.Inputs)
	assert.Equal(t, property.New(true), web.Outputs.Get("__pendingWait"))
	diff, err := web.Diff(program(forColor))
	require.NoError(t, err)
	assert.Equal(t, kinds{"__pendingWait": "update of the inputs"}, verbs.Kinds(diff), "also where the program says what it said before")
}

func TestAWaitForWhatIsUnknownIsRefused(t *testing.T) {
	t.Parallel()
	for what, now := range map[string]property.Map{
		"the criteria": program(verbs.Unknown), "the object": program(forColor, m{"resourceRef": verbs.Unknown}),
		"a trigger": program(forColor, m{"triggers": []any{verbs.Unknown}}), "the connection": program(forColor, m{"clusterConnection": verbs.Unknown}),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			server := verbs.NewServer(t)
			require.ErrorContains(t, verbs.New(t, "Wait", process(server)).Create(now), "the engine asked to wait for something that is unknown")
			assert.Empty(t, server.Asked())
		})
	}
}
