package rpc_test

import (
	"context"
	"errors"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// noDiff is a provider whose Diff fails.
type noDiff struct{ plugin.Provider }

func (noDiff) Diff(context.Context, plugin.DiffRequest) (plugin.DiffResponse, error) {
	return plugin.DiffResult{}, errors.New("no diff")
}

// TestSessionDoesWhatTheEngineDoes is about what the engine does without being asked, on which the provider and the other
// tests rely without a word.
func TestSessionDoesWhatTheEngineDoes(t *testing.T) {
	t.Parallel()
	t.Run("a Diff that fails after a Read fails every command, and nothing is deleted", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(w.configMap("it", nil))
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in)
		healthy := s.process.Provider
		s.process.Provider = noDiff{healthy}
		for command, run := range map[string]func() error{
			"preview": func() error { _, _, err := s.preview(in); return err },
			"up":      func() error { _, err := s.up(in); return err },
			"refresh": s.read,
			"destroy": s.destroy,
		} {
			require.ErrorContains(t, run(), "the Diff after the Read: no diff", command)
		}
		require.True(t, w.exists("ConfigMap", "it"))
		s.process.Provider = healthy
		s.mustUp("same", in)
		require.NoError(t, s.destroy())
	})
	t.Run("a refresh shows what became of the resource", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(w.configMap("it", nil))
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in)
		assert.Empty(t, kinds(t, s.mustRead().refreshed))
		w.patch("ConfigMap", "it", data("a", nil))
		assert.Equal(t, map[string]string{"manifest.data.a": "delete"}, kinds(t, s.mustRead().refreshed))
		assert.Equal(t, map[string]string{"manifest.data.a": "add"}, s.mustDiff(in))
		s.ignore = []string{"manifest.data.a"}
		s.mustUp("same", in)
		assert.Empty(t, kinds(t, s.mustRead().refreshed), "the last run ignored it")
	})
	t.Run("the read before the program has the configuration of the last run", func(t *testing.T) {
		t.Parallel()
		w, last, next := newWorld(t), newGateway(t), newGateway(t)
		in, after := program(w.configMap("it", nil)), program(w.configMap("it", m{"a": "9"}))
		s := start(t, last.connection()).resource(t, "it").mustUp("create", in)
		asked := func(g *gateway) map[string]int { return tally(g.takeSeen()) }
		asked(last)
		s.reconfigured(start(t, next.connection()))
		did, _, err := s.preview(after)
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		assert.Equal(t, 1, asked(last)["GET"])
		assert.Equal(t, map[string]int{"discovery v1": 1, clusterID: 1, "PATCH dry-run": 1}, asked(next))
		s.mustUp("update", after)
		assert.Equal(t, map[string]int{"GET": 1}, asked(last), "a preview saves nothing")
		assert.Equal(t, map[string]int{"PATCH dry-run": 1, "PATCH": 1}, asked(next))
		s.mustUp("same", after)
		assert.Empty(t, asked(last))
		assert.Equal(t, map[string]int{"GET": 1}, asked(next), "what was new is that of the last run by now")

		s.reconfigured(start(t, last.connection()))
		require.NoError(t, s.destroy())
		assert.Empty(t, asked(last), "a destroy has no program")
		assert.Equal(t, map[string]int{"discovery v1": 1, "GET": 1, "DELETE": 1}, asked(next))
	})
}
