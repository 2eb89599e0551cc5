package operator

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// samples are an Environment and what it takes values and its program from.
const samples = manifests + "/samples/"

func TestDeletingTheSamples(t *testing.T) { // [X51]
	t.Parallel()
	s := with(t)
	run := func(args ...string) {
		t.Helper()
		out, err := kubectl(t.Context(), s.cluster, append(args, "-n", s.namespace)...)
		require.NoError(t, err, out)
	}
	run("apply", "-f", samples)
	e := &environment{surroundings: s, name: "shop"}
	e.ready()
	run("delete", "-f", samples, "--timeout=60s")
	assert.Nil(t, e.read())
	assert.Nil(t, s.configMap("shop-settings"))
	run("get", "serviceaccount", "environment-runner")
}

func TestTheAccountGoesBeforeTheEnvironment(t *testing.T) { // [X51]
	t.Parallel()
	s := with(t)
	s.program(greeting)
	e := s.create("shop", text("hello"))
	e.ready()
	out, err := kubectl(t.Context(), s.cluster, "delete", "-f", runner, "-n", s.namespace)
	require.NoError(t, err, out)
	require.NoError(t, s.client.Delete(t.Context(), e.read()))
	s.eventually(func() bool {
		return strings.Contains(e.status().condition("Ready").Message, "environment-runner")
	}, "the status names the account")
	s.apply(runner)
	e.gone()
	assert.Nil(t, s.configMap("greeting"))
}
