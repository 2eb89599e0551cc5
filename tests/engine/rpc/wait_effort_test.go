package rpc_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// footprint is what the process holds: the heap after a collection, and what the system counts.
func footprint(t testing.TB) (heap, resident int) {
	t.Helper()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	if text, err := os.ReadFile("/proc/self/status"); err == nil {
		_, rest, _ := strings.Cut(string(text), "VmRSS:")
		kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
		require.NoError(t, err)
		resident = kilobytes << 10
	}
	return int(stats.HeapAlloc + stats.StackInuse), resident
}

// TestManyWaitsAtOnce is not parallel, because it measures.
func TestManyWaitsAtOnce(t *testing.T) {
	const waits, measured = 200, 100
	w, user := newWorld(t), newUser(t)
	c := shared.Get(t)
	var writers errgroup.Group
	writers.SetLimit(16)
	name := func(i int) string { return fmt.Sprintf("w%d", i) }
	for i := range waits {
		writers.Go(func() error {
			_, err := w.objects("ConfigMap").Create(t.Context(), unstructuredOf(w.configMap(name(i), nil)), createOptions)
			return err
		})
	}
	require.NoError(t, writers.Wait())
	p := start(t, inline(user))
	p.wait(t, "warm").mustUp("create", waiting(refTo(w.configMap(name(0), nil)), until("field", "data.a", longTime)))
	take := requests(t, user)
	mark, err := c.AuditMark()
	require.NoError(t, err)
	heap, resident := footprint(t)

	returned := make([]chan time.Time, waits)
	sessions := make([]*session, waits)
	var all errgroup.Group
	for i := range waits {
		sessions[i], returned[i] = p.wait(t, name(i)), make(chan time.Time, 1)
		all.Go(func() error {
			err := sessions[i].create(waiting(refTo(w.configMap(name(i), nil)), until("field", "data.ready", longTime)))
			returned[i] <- time.Now()
			return err
		})
	}
	eventually(t, func() bool {
		requests, err := c.RequestsSince(mark)
		require.NoError(t, err)
		return len(requests.Where(func(r cluster.Request) bool { return r.User == user.Name && r.Verb == "watch" })) == waits
	}, "all are watched")
	busyHeap, busyResident := footprint(t)
	t.Logf("memory per waiting object: heap and stacks %d kB, resident %d kB",
		(busyHeap-heap)/waits>>10, (busyResident-resident)/waits>>10)

	var latencies []time.Duration
	for i := range waits {
		w.patch("ConfigMap", name(i), map[string]any{"data": map[string]any{"ready": name(i)}})
		if written := time.Now(); i < measured {
			latencies = append(latencies, (<-returned[i]).Sub(written))
		}
	}
	require.NoError(t, all.Wait())
	slices.Sort(latencies)
	t.Logf("from the write to the return of the RPC: median %v, of 100 the 90th %v", latencies[measured/2], latencies[measured*9/10])
	t.Run("they return at once, half of them within 50 ms of the write [W30]", func(t *testing.T) {
		assert.Less(t, latencies[measured/2], 50*time.Millisecond)
	})
	t.Run("each costs one look and one watch", func(t *testing.T) {
		assert.Equal(t, map[string]int{"GET": waits, "WATCH": waits}, tally(take()))
		for i, s := range sessions {
			assert.Equal(t, name(i), at(t, s.outputs, "status.data.ready"), "its own object")
		}
	})
}
