package wait_test

import (
	"maps"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

// unmade is a Wait that does not exist yet, of a provider that has no cluster.
func unmade(t *testing.T) *verbs.Resource {
	t.Helper()
	server := verbs.NewServer(t)
	server.Stop()
	t.Cleanup(func() { assert.Empty(t, server.Asked(), "a Check asks nothing") })
	return verbs.New(t, "Wait", process(server))
}

func TestCheckOfAWaitKeepsWhatIsWritten(t *testing.T) {
	t.Parallel()
	for name, written := range map[string]property.Map{
		"as it is":                      program(forColor, m{"triggers": []any{"1", 2, true}}),
		"secret criteria":               program(m{"fieldValue": m{"data.color": verbs.Secret("blue")}}),
		"unknown criteria":              program(verbs.Unknown),
		"an unknown object":             program(forColor, m{"resourceRef": verbs.Unknown}),
		"unknown triggers":              program(forColor, m{"triggers": verbs.Unknown}),
		"a secret, unknown connection":  program(forColor, m{"clusterConnection": verbs.Unknown.WithSecret(true)}),
		"a reference with its revision": program(forColor, m{"resourceRef": m{"apiVersion": "v1", "kind": "ConfigMap", "name": "web", "uid": "1", "revision": "2"}}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checked, failures := unmade(t).Check(written)
			require.Empty(t, failures)
			assert.Equal(t, written, checked)
		})
	}
	t.Run("a connection is secret as a whole", func(t *testing.T) {
		t.Parallel()
		checked, failures := unmade(t).Check(program(forColor, m{"clusterConnection": m{"host": "https://127.0.0.1:1"}}))
		require.Empty(t, failures)
		assert.True(t, checked.Get("clusterConnection").Secret())
	})
}

func TestCheckRefusesAWaitThatIsWrongWithoutARequest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		written    property.Map
		at, reason string
	}{
		{"nothing to wait for", program(m{}), "waitFor", ""},
		{"criteria that there are none of", program(m{"feild": "data.color"}), "waitFor.feild", ""},
		{"a path that is none", program(m{"field": "data["}), "waitFor.field", ""},
		{"a timeout that is none", program(m{"field": "data.color", "timeout": "soon"}), "waitFor.timeout", ""},
		{"an end and a field", program(m{"field": "data.color", "deleted": true}), "waitFor.deleted", ""},
		{"no object", program(forColor, m{"resourceRef": nil}), "resourceRef", ""},
		{"an object without a name", program(forColor, m{"resourceRef": m{"apiVersion": "v1", "kind": "ConfigMap"}}), "resourceRef.name", ""},
		{"another way to fail", program(forColor, m{"onFailure": "ignore"}), "onFailure", "The value must be one of fail, warn."},
		{"triggers that are no list", program(forColor, m{"triggers": "1"}), "triggers", "The value must be a list."},
		{"an input that there is none of", program(forColor, m{"timeout": "1m"}), "timeout", `There is no input "timeout".`},
		{"a token without a host", program(forColor, m{"clusterConnection": m{"token": "x"}}), "clusterConnection.token", "needs host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, failures := unmade(t).Check(c.written)
			require.NotEmpty(t, failures)
			assert.Equal(t, c.at, failures[0].Property)
			assert.Contains(t, failures[0].Reason, c.reason)
		})
	}
}

func TestCheckOfAWaitForMany(t *testing.T) { // [R24]
	t.Parallel()
	selecting := func(members m) m {
		all := m{"apiVersion": "v1", "kind": "ConfigMap"}
		maps.Copy(all, members)
		return m{"selector": all}
	}
	for name, written := range map[string]property.Map{
		"without a count":             many(forColor),
		"at least":                    many(forColor, m{"count": m{"atLeast": 3}}),
		"exactly":                     many(forColor, m{"count": m{"exactly": 1}}),
		"all":                         many(forColor, m{"count": m{"all": true}}),
		"an unknown count":            many(forColor, m{"count": verbs.Unknown}),
		"an unknown number":           many(forColor, m{"count": m{"atLeast": verbs.Unknown}}),
		"an unknown selector":         many(forColor, m{"selector": verbs.Unknown}),
		"unknown labels":              many(forColor, selecting(m{"labelSelector": verbs.Unknown})),
		"all of the kind":             many(forColor, selecting(m{})),
		"a set of values of a label":  many(forColor, selecting(m{"labelSelector": "stage in (dev, test),!old"})),
		"until none is left":          many(forDeletion),
		"a secret selector":           many(forColor, selecting(m{"labelSelector": verbs.Secret("team=red")})),
		"a reference that is nothing": many(forColor, m{"resourceRef": nil}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checked, failures := unmade(t).Check(written)
			require.Empty(t, failures)
			assert.Equal(t, written, checked)
		})
	}
	for _, c := range []struct {
		name       string
		written    property.Map
		at, reason string
	}{
		{"one and many", program(forColor, selecting(m{})), "selector", "Set either resourceRef, for one object, or selector, for many."},
		{"neither", program(forColor, m{"resourceRef": nil}), "resourceRef", "For many objects, set selector instead."},
		{"a count of one", program(forColor, m{"count": m{"atLeast": 1}}), "count", "Only a Wait with a selector counts objects."},
		{"a count of what is gone", many(forDeletion, m{"count": m{"exactly": 1}}), "count", "no object may be left"},
		{"a count of none", many(forColor, m{"count": m{"exactly": 0}}), "count.exactly", "waitFor { deleted: true }"},
		{"a number as a count", many(forColor, m{"count": 3}), "count", "{ atLeast: 3 }"},
		{"a count of nothing", many(forColor, m{"count": m{}}), "count", "exactly one of atLeast, exactly and all"},
		{"two counts", many(forColor, m{"count": m{"atLeast": 1, "exactly": 2}}), "count", "exactly one of atLeast, exactly and all"},
		{"fewer than none", many(forColor, m{"count": m{"atLeast": -1}}), "count.atLeast", "whole number"},
		{"at least none", many(forColor, m{"count": m{"atLeast": 0}}), "count.atLeast", "at least 1"},
		{"a count as a text", many(forColor, m{"count": m{"exactly": "2"}}), "count.exactly", "whole number"},
		{"not all", many(forColor, m{"count": m{"all": false}}), "count.all", "The value must be true."},
		{"a count that there is none of", many(forColor, m{"count": m{"atMost": 1}}), "count.atMost", `There is no "atMost"`},
		{"a selector that is a text", many(forColor, m{"selector": "team=red"}), "selector", "must be an object"},
		{"a selector without a kind", many(forColor, m{"selector": m{"apiVersion": "v1"}}), "selector.kind", "must be set"},
		{"a name in a selector", many(forColor, selecting(m{"name": "web"})), "selector.name", `There is no "name" in a selector`},
		{"labels that are none", many(forColor, selecting(m{"labelSelector": "team=="})), "", ""},
		{"labels that are no selector", many(forColor, selecting(m{"labelSelector": "team in red"})), "selector.labelSelector", "not a label selector"},
		{"labels that are no text", many(forColor, selecting(m{"labelSelector": m{"team": "red"}})), "selector.labelSelector", "must be a text"},
		{"a rollout of a kind that has none", many(m{"rollout": true}), "waitFor.rollout", "has no rollout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, failures := unmade(t).Check(c.written)
			if c.at == "" {
				require.Empty(t, failures)
				return
			}
			require.NotEmpty(t, failures)
			assert.Equal(t, c.at, failures[0].Property)
			assert.Contains(t, failures[0].Reason, c.reason)
		})
	}
	t.Run("a secret selector is not shown", func(t *testing.T) {
		t.Parallel()
		_, failures := unmade(t).Check(many(forColor, selecting(m{"labelSelector": verbs.Secret("team in hush")})))
		require.Len(t, failures, 1)
		assert.NotContains(t, failures[0].Reason, "hush")
	})
}
