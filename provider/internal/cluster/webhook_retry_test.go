package cluster_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
)

func TestPatience(t *testing.T) {
	t.Parallel()
	try := func(t *testing.T, timeout time.Duration, again func(calls int) bool) (calls int, took time.Duration) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			began := time.Now()
			cluster.Patiently(ctx, cluster.WebhookTimeout, func() bool {
				calls++
				return again(calls)
			})
			took = time.Since(began)
		})
		return calls, took
	}
	always := func(int) bool { return true }
	t.Run("tries often at first, and every few seconds later, until it is over [D34 b]", func(t *testing.T) {
		t.Parallel()
		calls, took := try(t, time.Hour, always)
		assert.Equal(t, 2*time.Minute, took)
		assert.Greater(t, calls, 30)
		assert.Less(t, calls, 50)
	})
	t.Run("is bounded by the context, which is customTimeouts, and leaves the last try a second [D34 b]", func(t *testing.T) {
		t.Parallel()
		_, took := try(t, 7*time.Second, always)
		assert.Equal(t, 6*time.Second, took)
		calls, _ := try(t, time.Second, always)
		assert.Zero(t, calls)
	})
	t.Run("ends with the first try that is not to be repeated", func(t *testing.T) {
		t.Parallel()
		calls, took := try(t, time.Hour, func(calls int) bool { return calls < 3 })
		assert.Equal(t, 3, calls)
		assert.Less(t, took, 2*time.Second)
	})
}
