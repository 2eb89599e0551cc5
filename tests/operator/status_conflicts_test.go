package operator

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestStatusConflicts(t *testing.T) {
	t.Parallel()
	s := with(t)
	s.program(greeting)
	e := s.create("shop", text("text-0"))
	t.Run("[X15] what others write to the Environment meanwhile neither stops it nor is lost nor runs anything twice", func(*testing.T) {
		var writes int
		var writing sync.WaitGroup
		over := make(chan struct{})
		stop := sync.OnceFunc(func() { close(over); writing.Wait() })
		defer stop()
		writing.Go(func() {
			for ; ; writes++ {
				select {
				case <-over:
					return
				case <-time.After(50 * time.Millisecond):
				}
				object := e.read()
				before := object.DeepCopy()
				object.SetAnnotations(map[string]string{"test.example.com/writes": strconv.Itoa(writes)})
				if !assert.NoError(t, s.client.Patch(s.Context(), object, client.MergeFrom(before))) {
					return
				}
			}
		})
		e.applied(1)
		for n := 1; n <= 3; n++ {
			e.change(text("text-" + strconv.Itoa(n)))
			e.eventually(func() bool { return s.text("greeting") == "text-"+strconv.Itoa(n) }, "the change is applied")
			e.ready()
		}
		stop()
		done := e.ready()
		require.Greater(t, writes, 100)
		assert.Equal(t, strconv.Itoa(writes-1), e.read().GetAnnotations()["test.example.com/writes"])
		assert.EqualValues(t, 4, done.Serial)
		assert.Equal(t, map[int64]string{1: "Update Succeeded", 2: "Update Succeeded", 3: "Update Succeeded", 4: "Update Succeeded"}, done.results())
		assert.Equal(t, "text-3", done.Outputs["text"])
	})
}
