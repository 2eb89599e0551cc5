package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
)

// busyObject is an API server with one object that another client writes every 100 ms, a limited number of times. Like
// a slow link, it answers a read only after the next write.
func busyObject(t *testing.T, writes int) *cluster.Cluster {
	t.Helper()
	var mu sync.Mutex
	version, written := 1, make(chan struct{})
	write := func() {
		mu.Lock()
		defer mu.Unlock()
		version++
		close(written)
		written = make(chan struct{})
	}
	still := make(chan struct{})
	go func() {
		defer close(still)
		ticker := time.NewTicker(100 * time.Millisecond)
		defer ticker.Stop()
		for range writes {
			<-ticker.C
			write()
		}
	}()
	t.Cleanup(func() { <-still })
	f, c := newFake(t)
	f.says(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now, next := version, written
		mu.Unlock()
		object := fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"busy","namespace":"n","uid":"1","resourceVersion":"%d"}}`, now)
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.URL.Path == "/api/v1":
			says(200, `{"kind":"APIResourceList","resources":[{"name":"configmaps","kind":"ConfigMap","namespaced":true}]}`)(w, r)
			return
		case r.Method == http.MethodGet:
			select {
			case <-next:
			case <-still:
			}
		case string(body) != strconv.Itoa(now):
			status(409, "Conflict")(w, r)
			return
		}
		says(200, object)(w, r)
	})
	return c
}

func TestAnObjectThatIsWrittenAllTheTimeIsEditedInTheEnd(t *testing.T) {
	ref := cluster.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: "n", Name: "busy"}
	asItIs := func(live *unstructured.Unstructured) ([]byte, error) { return []byte(live.GetResourceVersion()), nil }
	t.Run("another client writes it every 100 ms for two seconds [D17]", func(t *testing.T) {
		require.NoError(t, busyObject(t, 20).Edit(t.Context(), ref, "1", "editor", asItIs))
	})
	t.Run("one that is written for ever is a conflict after about 10 s", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began, tries := time.Now(), 0
			err := cluster.RetryOnConflict(t.Context(), func() error {
				tries++
				return apierrors.NewConflict(schema.GroupResource{}, "busy", nil)
			})
			require.True(t, apierrors.IsConflict(err), "%v", err)
			assert.Equal(t, 16, tries)
			assert.InDelta(t, 10, time.Since(began).Seconds(), 3)
		})
	})
	t.Run("it is given up at once when the run is cancelled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			began := time.Now()
			err := cluster.RetryOnConflict(ctx, func() error {
				cancel()
				return apierrors.NewConflict(schema.GroupResource{}, "busy", nil)
			})
			require.True(t, apierrors.IsConflict(err), "%v", err)
			assert.Zero(t, time.Since(began))
		})
	})
	t.Run("another error is no conflict", func(t *testing.T) {
		tries := 0
		cause := errors.New("no")
		assert.ErrorIs(t, cluster.RetryOnConflict(t.Context(), func() error { tries++; return cause }), cause)
		assert.Equal(t, 1, tries)
	})
}
