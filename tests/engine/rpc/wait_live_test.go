package rpc_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheLiveStatusOfAWait(t *testing.T) {
	t.Parallel()
	t.Run("shows what is missing and the worst pod, a line a second at most, and ends cleared", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.deployment(t, "web"))
		w.report("Deployment", "web", object(t, "{observedGeneration: 1, replicas: 2, updatedReplicas: 2}"))
		for name, state := range map[string]string{
			"web-a": "{waiting: {reason: ContainerCreating}}", "web-b": "{waiting: {reason: ImagePullBackOff, message: no such image}}",
		} {
			w.create(object(t, `{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: %s, labels: {app: web}},
				spec: {containers: [{name: web, image: "nginx:1"}]}}`, name, w.namespace))
			w.report("Pod", name, object(t, `{phase: Pending, containerStatuses: [{name: web, image: "nginx:1", imageID: "", state: %s}]}`, state))
		}
		s := start(t, inline(newUser(t))).wait(t, "web")
		began := time.Now()
		done := w.begin("web", func() error {
			return s.create(waiting(refTo(w.deployment(t, "web")), map[string]any{"rollout": true, "timeout": longTime}))
		})
		shown := func(want string) func() bool {
			return func() bool { return strings.Contains(last(s.process.log.statuses()), want) }
		}
		eventually(t, shown("Waiting: 0 of 2 updated replicas are available"), "what is missing is shown")
		for i := range 301 { // far more changes of the line than there may be lines
			w.report("Deployment", "web", map[string]any{"readyReplicas": 1, "availableReplicas": 1 - i%2})
		}
		eventually(t, shown("Waiting: 1 of 2 updated replicas are available"), "it is renewed")
		eventually(t, shown("Waiting: 1 of 2 updated replicas are available; pod web-b: ImagePullBackOff"), "the worst pod is shown")
		require.Empty(t, done)
		w.report("Deployment", "web", object(t, "{readyReplicas: 2, availableReplicas: 2}"))
		require.NoError(t, ended(t, done))
		lines := s.process.log.statuses()
		assert.Equal(t, "", last(lines), "it is cleared")
		assert.LessOrEqual(t, len(lines), int(time.Since(began)/time.Second)+2, "%q", lines)
		assert.Empty(t, s.process.log.warnings())
	})
	t.Run("is not shown by a wait that is over at once", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s := start(t, inline(newUser(t))).wait(t, "it").mustUp("create", waiting(refTo(w.configMap("it", nil)), until("field", "data.a", longTime)))
		assert.Empty(t, s.process.log.statuses())
	})
	t.Run("shows only what changed, and one line of it", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", map[string]any{"a": strings.Repeat("ä", 500)}))
		s := start(t, inline(newUser(t))).wait(t, "it")
		want := map[string]any{}
		for i := range 10 {
			want[fmt.Sprintf("data.never%d", i)] = "x"
		}
		want["data.a"] = "y"
		err := s.create(waiting(refTo(w.configMap("it", nil)), until("fieldValue", want, "2500ms")))
		requireWaitPending(t, s, err)
		lines := s.process.log.statuses()
		require.Len(t, lines, 2, "%q", lines)
		assert.LessOrEqual(t, len([]rune(lines[0])), 240)
		assert.NotContains(t, lines[0], "\n")
		assert.Equal(t, "", lines[1])
	})
}
