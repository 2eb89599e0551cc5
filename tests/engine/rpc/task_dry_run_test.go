package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	t.Run("a Job that will not run is not tried [D76]", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		_, _, err := w.start().task(t, "it").preview(program(misspelled(w), m{"runOn": []any{"delete"}}))
		require.NoError(t, err)
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
}
