package rpc_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// A preview has the API server check what will run, and nothing else.
func TestAPreviewTriesWhatATaskWillRun(t *testing.T) {
	t.Parallel()
	misspelled := func(w *hookWorld) m {
		job := w.job("migrate", "shop:2")
		job["spec"].(m)["backofLimit"] = 1
		return job
	}
	t.Run("a Job that the API server refuses fails it, also where one of its name exists [D76]", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		s := w.start().task(t, "it")
		_, _, err := s.preview(program(misspelled(w)))
		require.ErrorContains(t, err, "backofLimit")
		require.ErrorContains(t, err, "[Invalid]")
		hook := hookOf("shop", nil, m{"runOn": []any{"create", "update"}})
		s.mustUp("create", program(w.job("migrate", "shop:1"), hook))
		_, _, err = s.preview(program(misspelled(w), hook))
		require.ErrorContains(t, err, "cannot create Job "+w.namespace+"/migrate")
		assert.Equal(t, 1, w.runs("migrate"))
		assert.Equal(t, 1, w.countJobs())
	})
	t.Run("an object of others that has the name of one of `with` fails it, and what an earlier run has left does not [D76]", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		with := m{"with": []any{w.account("migrate")}}
		s := w.start().task(t, "it")
		w.apply("others", w.account("migrate"))
		_, _, err := s.preview(program(w.job("migrate", "shop:1"), with))
		require.ErrorContains(t, err, "ServiceAccount "+w.namespace+"/migrate exists already, and this Task did not make it")
		require.ErrorContains(t, err, "take it out of `with`")
		w.delete("ServiceAccount", "migrate")

		w.hold("migrate")
		_, err = s.up(program(w.job("migrate", "shop:1"), with, m{"timeout": "1s"}))
		require.ErrorContains(t, err, "[WaitTimedOut]")
		require.True(t, w.exists("ServiceAccount", "migrate"))
		_, _, err = s.preview(program(w.job("migrate", "shop:2"), with))
		require.NoError(t, err, "it is there for a run of this Task")
	})
	t.Run("a Job that a destroy will run is tried too, and a refusal is a warning [D76]", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		s := w.start().task(t, "it")
		_, _, err := s.preview(program(misspelled(w), m{"runOn": []any{"delete"}}))
		require.NoError(t, err)
		assert.Contains(t, s.process.log.all(), "It runs when it is deleted, and a destroy would fail, because the API server refuses it: ")
		assert.Contains(t, s.process.log.all(), "backofLimit")
		assert.Zero(t, w.countJobs())
	})
	t.Run("and one that the API server accepts is no warning [D76]", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		s := w.start().task(t, "it")
		_, _, err := s.preview(program(w.job("migrate", "shop:1"), m{"runOn": []any{"delete"}}))
		require.NoError(t, err)
		assert.NotContains(t, s.process.log.all(), "a destroy would fail")
		assert.Zero(t, w.countJobs())
	})
	t.Run("nor is a hook that the deletion of a release will run, and a new version is tried again [D76]", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		s := w.start().releaseHooks(t, "pre-delete")
		in := deleteHooks(nil, hookStep(w.job("clean", "shop:1")))
		_, _, err := s.preview(in)
		require.NoError(t, err)
		assert.NotContains(t, s.process.log.all(), "a destroy would fail")
		s.mustUp("create", in)
		_, _, err = s.preview(deleteHooks(nil, hookStep(misspelled(w))))
		require.NoError(t, err)
		assert.Contains(t, s.process.log.all(), "a destroy would fail, because the API server refuses it: cannot create Job "+w.namespace+"/migrate")
		assert.Zero(t, w.countJobs())
	})
	t.Run("a Job that will not run is not tried [D76]", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		s := w.start().task(t, "it")
		_, _, err := s.preview(program(misspelled(w), m{"runOn": []any{"update"}}))
		require.NoError(t, err)
		assert.NotContains(t, s.process.log.all(), "backofLimit")
	})
	for name, of := range map[string]func(w *hookWorld) m{
		"the account of a Pod": func(w *hookWorld) m {
			return m{
				"apiVersion": "v1", "kind": "Pod", "metadata": m{"name": "migrate", "namespace": w.namespace},
				"spec": m{"serviceAccountName": "later", "restartPolicy": "Never", "containers": []any{m{"name": "main", "image": "shop:1"}}},
			}
		},
		"the namespace": func(w *hookWorld) m {
			job := w.job("migrate", "shop:1")
			job["metadata"].(m)["namespace"] = w.namespace + "-later"
			return job
		},
	} {
		t.Run(name+" may come with the update, and a message says that it was not tried [D76]", func(t *testing.T) {
			t.Parallel()
			w := newHookWorld(t)
			s := w.start().task(t, "it")
			_, _, err := s.preview(program(of(w)))
			require.NoError(t, err)
			assert.Contains(t, s.process.log.all(), "It could not be tried, because something that it needs may come with the update")
		})
	}
	t.Run("a webhook that does not answer may be repaired by the update [D76] [D34]", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		w.gate.always(func(r *http.Request) bool { return r.Method == http.MethodPatch && r.URL.Query().Get("dryRun") != "" },
			func(rw http.ResponseWriter, _ *http.Request, _ func() *httptest.ResponseRecorder) {
				answer := apierrors.NewInternalError(errors.New(`failed calling webhook "jobs.example.com": failed to call webhook: Post "https://x": EOF`)).Status()
				answer.Kind, answer.APIVersion = "Status", "v1"
				rw.Header().Set("Content-Type", "application/json")
				rw.WriteHeader(int(answer.Code))
				assert.NoError(t, json.NewEncoder(rw).Encode(answer))
			})
		s := w.start().task(t, "it")
		_, _, err := s.preview(program(w.job("migrate", "shop:1")))
		assert.Contains(t, s.process.log.all(), `Admission webhook "jobs.example.com" could not be called`)
		require.NoError(t, err)
	})
}
