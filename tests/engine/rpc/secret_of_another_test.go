package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the program gives one resource as a secret, another one reads in the cluster.
func TestASecretOfOneResourceIsHiddenInTheOutputsOfOthers(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) (w world, p *process, object *session, in resource.PropertyMap) {
		w, p = newWorld(t), start(t, inline(newUser(t)))
		in = program(w.configMap("web", m{"password": secret(hush), "plain": "plain", "url": secret("https://" + hush + "@db"), "n": secret("1"), "one": "1"}))
		return w, p, p.resource(t, "web").mustUp("create", in), in
	}
	// reads is a Wait for something in the data.
	reads := func(w world, field string, more ...m) resource.PropertyMap {
		return waiting(refTo(w.configMap("web", nil)), m{"field": field}, more...)
	}
	places := func(s *session) []string { return secretLeaves(resource.NewProperty(s.outputs)) }
	t.Run("in the status of a Wait, after every verb and in every run", func(t *testing.T) {
		t.Parallel()
		w, p, object, in := begin(t)
		for _, field := range []string{"data.password", "data.url"} {
			s := p.wait(t, field).mustUp("create", reads(w, field))
			assert.NotEmpty(t, at(t, s.outputs, "status."+field))
			assert.Equal(t, []string{"status." + field}, places(s))
			s.mustUp("same", reads(w, field))

			s.in(start(t, inline(newUser(t)))).mustRead().mustUp("same", reads(w, field))
			assert.Equal(t, []string{"status." + field}, places(s), "where the object is not in this run")
			s.mustUp("update", reads(w, field, m{"triggers": []any{"again"}}))
			assert.Equal(t, []string{"status." + field}, places(s), "nor when it waits again")

			q := start(t, inline(newUser(t)))
			object.in(q).mustUp("same", in)
			s.in(q).mustUp("same", reads(w, field, m{"triggers": []any{"again"}}))
			requireHidden(t, s)
		}
	})
	t.Run("in the status of a Wait that shows it in an older state", func(t *testing.T) {
		t.Parallel()
		w, _, object, in := begin(t)
		s := start(t, inline(newUser(t))).wait(t, "it").mustUp("create", reads(w, "data.password"))
		require.Empty(t, places(s), "this process has not seen the object")
		q := start(t, inline(newUser(t)))
		object.in(q).mustUp("same", in)
		older := s.stored
		s.in(q).mustUp("same", reads(w, "data.password"))
		assert.Equal(t, []string{"status.data.password"}, places(s), "by the read of it")

		s.in(start(t, inline(newUser(t)))).stored = older
		s.reconfigured(q)
		did, outputs, err := s.preview(reads(w, "data.password"))
		require.NoError(t, err)
		assert.Equal(t, "update", did, "where the read of it did not know the text")
		assert.NotContains(t, clear(outputs), hush)
		s.mustUp("update", reads(w, "data.password"))
		assert.Equal(t, []string{"status.data.password"}, places(s))
		s.mustUp("same", reads(w, "data.password")).mustRead()
		assert.Equal(t, []string{"status.data.password"}, places(s))
	})
	t.Run("and nothing else is, nor what is too short to tell", func(t *testing.T) {
		t.Parallel()
		w, p, _, _ := begin(t)
		for _, field := range []string{"data.plain", "data.one", "metadata.name"} {
			s := p.wait(t, field).mustUp("create", reads(w, field))
			assert.Empty(t, places(s), field)
		}
		s := p.wait(t, "all").mustUp("create", reads(w, "data"))
		assert.ElementsMatch(t, []string{"status.data.password", "status.data.url"}, places(s))
	})
}
