package rpc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDriftThatStaysIsRemembered is about a Job that a queue controller has started, which its manifest makes suspended.
func TestDriftThatStaysIsRemembered(t *testing.T) {
	t.Parallel()
	queued := func(w world, more string) map[string]any {
		return object(t, `{apiVersion: batch/v1, kind: Job, metadata: {name: work, namespace: %s, labels: {rev: "`+more+`"}},
spec: {suspend: true, template: {spec: {restartPolicy: Never, nodeSelector: {pool: batch}, containers: [{name: main, image: "app:1"}]}}}}`, w.namespace)
	}
	admit := func(w world) {
		w.patch("Job", "work", map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"nodeSelector": map[string]any{"zone": "a"}}}}})
		w.patch("Job", "work", map[string]any{"spec": map[string]any{"suspend": false}})
	}
	const warning = "the API server does not accept them changed back"

	t.Run("the rest is updated in place, and each read says what stays [D50] [D61]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "work").mustUp("create", program(queued(w, "1")))
		admit(w)
		uid := w.get("Job", "work").GetUID()
		did, _, err := s.mustRead().preview(program(queued(w, "2")))
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		assert.Equal(t, map[string]string{"manifest.metadata.labels.rev": "update"}, s.mustDiff(program(queued(w, "2"))), "what the program has changed, and nothing else")
		assert.Contains(t, s.warned(), warning)
		assert.Contains(t, s.warned(), `spec.suspend: false instead of true (owned by`)
		assert.Contains(t, s.warned(), `ignoreFields: ["spec.suspend", "spec.template.spec.nodeSelector"]`)

		s.mustUp("update", program(queued(w, "2")))
		live := w.get("Job", "work")
		assert.Equal(t, uid, live.GetUID())
		assert.Equal(t, "2", live.GetLabels()["rev"])
		assert.Equal(t, false, w.value("Job", "work", "spec", "suspend"), "the Job runs on")

		again := s.in(s.process.again(t))
		asked := g.watchRequests()
		again.mustUp("same", program(queued(w, "2")))
		assert.Equal(t, []string{"GET"}, asked(), "nothing is tried again")
		assert.Equal(t, 1, strings.Count(again.warned(), warning), "a read says it once: %s", again.warned())

		t.Run("the advice of the warning works", func(t *testing.T) {
			ignored := program(queued(w, "2"), ignoring("spec.suspend", "spec.template.spec.nodeSelector"))
			s := again.in(again.process.again(t)).mustUp("same", ignored)
			s = s.in(s.process.again(t)).mustUp("same", ignored)
			assert.NotContains(t, s.warned(), warning)
			assert.Equal(t, uid, w.get("Job", "work").GetUID())
		})
	})

	t.Run("with the program as it was, it is a warning, and no error [D61]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(queued(w, "1"))
		s := start(t, inline(newUser(t))).resource(t, "work").mustUp("create", in)
		admit(w)
		s.in(s.process.again(t)).mustUp("update", in)
		assert.Contains(t, s.warned(), warning)
		s.in(s.process.again(t)).mustUp("same", in)
	})

	t.Run("a field that others change once more is tried again, and is ours again where that succeeds [D50]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		gated := func(rev string) map[string]any {
			return object(t, `{apiVersion: v1, kind: Pod, metadata: {name: work, namespace: %s, labels: {rev: "`+rev+`"}},
spec: {activeDeadlineSeconds: 3600, automountServiceAccountToken: false, containers: [{name: main, image: "app:1"}]}}`, w.namespace)
		}
		s := start(t, inline(newUser(t))).resource(t, "work").mustUp("create", program(gated("1")))
		w.patch("Pod", "work", map[string]any{"spec": map[string]any{"activeDeadlineSeconds": 60}})
		s.in(s.process.again(t)).mustUp("update", program(gated("2")))
		assert.EqualValues(t, 60, w.value("Pod", "work", "spec", "activeDeadlineSeconds"))
		w.patch("Pod", "work", map[string]any{"spec": map[string]any{"activeDeadlineSeconds": 30}})
		s.in(s.process.again(t)).mustUp("same", program(gated("2")))
		assert.Contains(t, s.warned(), "spec.activeDeadlineSeconds: 30 instead of 3600")

		lower := with(t, program(gated("2")), "manifest.spec.activeDeadlineSeconds", 20)
		s.in(s.process.again(t)).mustUp("update", lower)
		assert.EqualValues(t, 20, w.value("Pod", "work", "spec", "activeDeadlineSeconds"))
		s = s.in(s.process.again(t)).mustUp("same", lower)
		assert.NotContains(t, s.warned(), warning)
	})

	for _, from := range []string{"intern", "helm"} {
		t.Run("it stays with its manager, also where the program takes over from "+from+" [D50]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := start(t, inline(newUser(t))).resource(t, "work").mustUp("create", program(queued(w, "1")))
			admit(w)
			w.patch("Job", "work", map[string]any{"metadata": map[string]any{"labels": map[string]any{"rev": "theirs"}}})
			uid := w.get("Job", "work").GetUID()
			in := program(queued(w, "2"), m{"takeOverFrom": []any{from}})
			did, _, err := s.in(s.process.again(t)).preview(in)
			require.NoError(t, err)
			assert.Equal(t, "update", did)
			if from == "intern" {
				assert.Contains(t, s.process.log.all(), "takes over from intern: metadata.labels.rev; it keeps spec.suspend, spec.template.spec.nodeSelector\n")
			}
			s.in(s.process.again(t)).mustUp("update", in)
			assert.Contains(t, s.warned(), warning)
			assert.Equal(t, "2", w.get("Job", "work").GetLabels()["rev"])
			assert.Equal(t, false, w.value("Job", "work", "spec", "suspend"))
			assert.Equal(t, uid, w.get("Job", "work").GetUID())
			s.in(s.process.again(t)).mustUp("same", in)
		})
	}

	t.Run("a change that is refused itself is no drift: what was asked for is done or said [D50] [O44]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "work").mustUp("create", program(queued(w, "1")))
		admit(w)
		s.in(s.process.again(t))
		in := with(t, program(queued(w, "1")), `manifest.spec.completions`, 3)
		diff, err := s.mustRead().diff(in)
		require.NoError(t, err)
		assert.True(t, diff.Replace(), "completions of a running Job cannot be changed")
	})
}
