package rpc_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"
)

// TestManyObjectsAtOnce is one stack in the engine's hands, 64 operations at a time; in CI, the race detector watches.
func TestManyObjectsAtOnce(t *testing.T) {
	t.Parallel()
	const objects, workers = 300, 64
	w := newWorld(t)
	user := newUser(t)
	p := start(t, inline(user))
	take := requests(t, user)
	name := func(i int) string { return fmt.Sprintf("scale-%04d", i) }
	// Each object has a value of its own, so that one taken for another is seen.
	wanted := func(i int, generation string) string { return name(i) + " " + generation }
	manifest := func(i int, generation string) map[string]any {
		return w.configMap(name(i), map[string]any{"value": wanted(i, generation), "same": "x"})
	}
	stack := make([]*session, objects)
	for i := range stack {
		stack[i] = p.resource(t, name(i))
	}
	all := func(t *testing.T, do func(i int, s *session) error) {
		t.Helper()
		var group errgroup.Group
		group.SetLimit(workers)
		for i, s := range stack {
			group.Go(func() error {
				if err := do(i, s); err != nil {
					return fmt.Errorf("%s: %w", name(i), err)
				}
				return nil
			})
		}
		require.NoError(t, group.Wait())
	}
	up := func(t *testing.T, generation, want string) {
		t.Helper()
		all(t, func(i int, s *session) error {
			did, err := s.up(program(manifest(i, generation)))
			if err == nil && did != want {
				err = fmt.Errorf("it did %q", did)
			}
			return err
		})
	}
	// agree wants the cluster and the states to hold a generation, of the same objects as before.
	uids := map[string]types.UID{}
	agree := func(t *testing.T, generation string) {
		t.Helper()
		list, err := w.objects("ConfigMap").List(t.Context(), listAll)
		require.NoError(t, err)
		values := map[string]string{}
		for _, item := range list.Items {
			data, _ := item.Object["data"].(map[string]any)
			values[item.GetName()], _ = data["value"].(string)
			if uid, known := uids[item.GetName()]; known {
				assert.Equal(t, uid, item.GetUID(), "%s is another object", item.GetName())
			}
			uids[item.GetName()] = item.GetUID()
		}
		want := map[string]string{}
		for i, s := range stack {
			want[name(i)] = wanted(i, generation)
			assert.Equal(t, wanted(i, generation), at(t, s.outputs, "manifest.data.value"))
			assert.Equal(t, string(uids[name(i)]), at(t, s.outputs, "resourceRef.uid"))
		}
		assert.Equal(t, want, values)
	}
	step := func(name string, run func(t *testing.T)) {
		t.Helper()
		if !t.Run(name, run) {
			t.FailNow()
		}
	}

	step("create is one PATCH for each [O77]", func(t *testing.T) {
		all(t, func(i int, s *session) error { return s.create(program(manifest(i, "1"))) })
		assert.Equal(t, map[string]int{clusterID: 1, "discovery v1": 1, "PATCH": objects}, tally(take()))
		agree(t, "1")
	})
	step("an unchanged up is one GET for each [O77]", func(t *testing.T) {
		up(t, "1", "same")
		assert.Equal(t, map[string]int{"GET": objects}, tally(take()))
		agree(t, "1")
	})
	step("an update is one GET, one dry-run and one PATCH for each [O77]", func(t *testing.T) {
		up(t, "2", "update")
		assert.Equal(t, map[string]int{"GET": objects, "PATCH dry-run": objects, "PATCH": objects}, tally(take()))
		agree(t, "2")
	})
	step("a delete is one DELETE for each [O77]", func(t *testing.T) {
		all(t, func(_ int, s *session) error { return s.remove() })
		assert.Equal(t, map[string]int{"DELETE": objects}, tally(take()))
		list, err := w.objects("ConfigMap").List(t.Context(), listAll)
		require.NoError(t, err)
		assert.Empty(t, list.Items)
	})
	assert.Empty(t, p.log.warnings())
}
