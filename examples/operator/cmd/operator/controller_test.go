package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestControllersWithTheSameSelectorElectALeader(t *testing.T) { // [X71]
	leaseOf := func(args ...string) string {
		t.Helper()
		options, err := controlOptions(args)
		require.NoError(t, err)
		return options.leaderElectionID()
	}
	assert.Equal(t, "environment-operator", leaseOf())
	assert.Equal(t, leaseOf("--namespace-selector=a=1,b=2"), leaseOf("--namespace-selector=b = 2, a = 1"))
	assert.NotEqual(t, leaseOf("--namespace-selector=shard=a"), leaseOf("--namespace-selector=shard=b"))
	assert.NotEqual(t, leaseOf(), leaseOf("--namespace-selector=shard=a"))
}

func TestFlagsThatCannotBeUsed(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"two answers to one question": {[]string{"--namespace=team", "--namespace-selector=shard=a"}, "exclude each other"},
		"a selector that is none":     {[]string{"--namespace-selector=shard in a"}, "--namespace-selector: "},
		"no runs":                     {[]string{"--runs=0"}, "at least 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := controlOptions(c.args)
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.says)
		})
	}
}
