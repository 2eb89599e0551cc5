package rpc_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The engine was killed after an update, or could not save its state: the object is ahead of it.
func TestAnUpdateWhoseStateWasLost(t *testing.T) {
	t.Parallel()
	first := func(t *testing.T) (world, *session) {
		w := newWorld(t)
		return w, start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.deployment(t, "web"), atOnce))
	}
	more := func(t *testing.T, w world) map[string]any {
		manifest := w.deployment(t, "web")
		manifest["metadata"].(m)["labels"] = m{"added": "lately"}
		container := manifest["spec"].(m)["template"].(m)["spec"].(m)["containers"].([]any)[0].(m)
		container["env"], container["args"] = []any{m{"name": "ADDED", "value": "hunter2-hunter2"}}, []any{"--added"}
		return manifest
	}
	lose := func(t *testing.T, w world, s *session) {
		saved := s.stored
		s.mustUp("update", program(more(t, w), atOnce))
		s.stored = saved
		s.in(start(t, inline(newUser(t))))
	}
	t.Run("and whose program is taken back: what it added is drift, hidden, and goes", func(t *testing.T) {
		t.Parallel()
		w, s := first(t)
		lose(t, w, s)
		in := program(w.deployment(t, "web"), atOnce)
		did, _, err := s.preview(in)
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		diff := s.mustRead().mustDiff(in)
		assert.Contains(t, diff, "manifest.metadata.labels")
		assert.Empty(t, readableIn(s.outputs, "hunter2-hunter2"), "nothing says whether the lost program had it as a secret")
		s.mustUp("update", in).mustUp("same", in)
		live := w.get("Deployment", "web")
		assert.NotContains(t, live.GetLabels(), "added")
		assert.NotContains(t, w.ours(t, s, "Deployment", "web"), "ADDED")
		assert.NotContains(t, w.ours(t, s, "Deployment", "web"), "f:args")
	})
	t.Run("and whose program stays: it is taken up", func(t *testing.T) {
		t.Parallel()
		w, s := first(t)
		lose(t, w, s)
		before := w.get("Deployment", "web")
		in := program(more(t, w), atOnce)
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, before.GetGeneration(), w.get("Deployment", "web").GetGeneration())
		assert.Equal(t, "hunter2-hunter2", at(t, s.outputs, "manifest.spec.template.spec.containers[0].env[0].value"), "no secret of the program")
	})
	t.Run("what others put into a map that we apply empty is not taken for it", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		manifest := w.configMap("web", nil)
		manifest["metadata"].(m)["labels"], manifest["metadata"].(m)["annotations"] = m{}, m{}
		in := program(manifest)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		w.patch("ConfigMap", "web", m{"metadata": m{"labels": m{"theirs": "x"}, "annotations": m{"theirs": "x"}}})
		s.mustUp("same", in)
	})
}

// What a lost run of ours has applied, and the API server does not accept changed back, is a change of the program like any other: it
// is refused, or the object is replaced.
func TestALostUpdateThatCannotBeTakenBackIsNoDrift(t *testing.T) {
	t.Parallel()
	t.Run("a Job is replaced [D50]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		job := func(image string) resource.PropertyMap {
			return program(object(t, `{apiVersion: batch/v1, kind: Job, metadata: {name: work, namespace: %s}, spec: {suspend: true, template: {spec:
				{restartPolicy: Never, containers: [{name: main, image: "`+image+`"}]}}}}`, w.namespace), m{"deletionPropagation": "Background"})
		}
		s := start(t, inline(newUser(t))).resource(t, "work").mustUp("create", job("app:1"))
		for _, back := range []string{"app:1", "app:3"} {
			older := s.stored
			s.in(s.process.again(t)).mustUp("replace", job("app:2"))
			s.stored = older // an older deployment is imported
			did, _, err := s.in(s.process.again(t)).preview(job(back))
			require.NoError(t, err)
			assert.Equal(t, "replace", did)
			s.in(s.process.again(t)).mustUp("replace", job(back))
			assert.Contains(t, fmt.Sprint(w.value("Job", "work", "spec", "template", "spec", "containers")), back)
		}
		t.Run("and refused where nobody has read it", func(t *testing.T) {
			connection := inline(newUser(t))
			connection["driftDetection"] = "refresh"
			s.in(start(t, connection)).mustUp("replace", job("app:1"))
			older := s.stored
			s.in(s.process.again(t)).mustUp("replace", job("app:2"))
			s.stored = older
			_, err := s.in(s.process.again(t)).up(job("app:3"))
			require.ErrorContains(t, err, "exists already, and cannot be changed")
			assert.Contains(t, fmt.Sprint(w.value("Job", "work", "spec", "template", "spec", "containers")), "app:2")
		})
	})
	t.Run("a value that may not shrink is refused, with all that the program changes beside it [D50]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		group := w.group()
		w.define(definitionOf(t, group, "Grows", `{type: object, properties: {rev: {type: string}, size: {type: integer,
			x-kubernetes-validations: [{rule: "self >= oldSelf", message: "no shrinking"}]}}}`))
		w.served(group, "Grows")
		grown := func(spec string) resource.PropertyMap { return program(custom(t, group, "Grows", w.namespace, spec)) }
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", grown(`{size: 3, rev: "1"}`))
		older := s.stored
		s.in(s.process.again(t)).mustUp("update", grown(`{size: 5, rev: "2"}`))
		for _, spec := range []string{`{size: 3, rev: "1"}`, `{size: 3, rev: "3"}`} {
			s.stored = older
			_, err := s.in(s.process.again(t)).up(grown(spec))
			require.ErrorContains(t, err, "no shrinking")
		}
		s.in(s.process.again(t)).mustUp("update", grown(`{size: 5, rev: "1"}`))
		live, err := w.client.Resource(customKind(group, "Grows")).Namespace(w.namespace).Get(t.Context(), "it", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, map[string]any{"size": int64(5), "rev": "1"}, live.Object["spec"])
		s.in(s.process.again(t)).mustUp("same", grown(`{size: 5, rev: "1"}`))
	})
}

// A write that is not confirmed is settled by the next update. Until then its preview says what would be refused.
func TestThePreviewOfAnUnconfirmedWriteLooks(t *testing.T) {
	t.Parallel()
	pending := func(t *testing.T) (world, *gateway, *session) {
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "web").mustUp("create", program(w.configMap("web", nil)))
		g.next(isRealApply, loseReply)
		_, err := s.up(program(w.configMap("web", m{"a": "9"})))
		requirePending(t, s, err)
		return w, g, s
	}
	t.Run("and fails where the cluster cannot be read [D30]", func(t *testing.T) {
		t.Parallel()
		w, g, s := pending(t)
		g.always(anything, refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "down"))
		_, _, err := s.preview(program(w.configMap("web", m{"a": "9"})))
		require.Error(t, err)
		g.heal()
		s.mustUp("update", program(w.configMap("web", m{"a": "9"})))
	})
	t.Run("and fails where another object has taken the place, as the update does", func(t *testing.T) {
		t.Parallel()
		w, _, s := pending(t)
		w.delete("ConfigMap", "web")
		w.create(w.configMap("web", m{"a": "theirs"}))
		in := program(w.configMap("web", m{"a": "9"}))
		_, _, previewed := s.preview(in)
		_, updated := s.up(in)
		require.Error(t, updated)
		require.ErrorContains(t, previewed, "already exists")
		require.ErrorContains(t, updated, "already exists")
	})
}
