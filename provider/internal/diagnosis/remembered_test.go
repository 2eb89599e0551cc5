package diagnosis

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestAJobThatIsAboutToFail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		object string
		want   bool
	}{
		"a Job that deletes its pods":   {`{apiVersion: batch/v1, kind: Job, status: {conditions: [{type: FailureTarget, status: "True"}]}}`, true},
		"a Job that runs":               {`{apiVersion: batch/v1, kind: Job, status: {active: 1}}`, false},
		"a Job that is not to fail":     {`{apiVersion: batch/v1, kind: Job, status: {conditions: [{type: FailureTarget, status: "False"}]}}`, false},
		"a Job that has deleted them":   {`{apiVersion: batch/v1, kind: Job, status: {conditions: [{type: FailureTarget, status: "True"}, {type: Failed, status: "True"}]}}`, false},
		"another kind with a condition": {`{apiVersion: example.com/v1, kind: Job, status: {conditions: [{type: FailureTarget, status: "True"}]}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := &unstructured.Unstructured{}
			require.NoError(t, yaml.Unmarshal([]byte(c.object), &object.Object))
			assert.Equal(t, c.want, IsAboutToFail(object))
		})
	}
	assert.False(t, IsAboutToFail(nil))
}

func TestPodsThatAreRemembered(t *testing.T) { // [T3]
	t.Parallel()
	const deleted = `metadata: {name: migrate-a, namespace: shop, deletionTimestamp: "2026-01-02T15:05:30Z", deletionGracePeriodSeconds: 30}`
	failure := `{terminated: {exitCode: 3, reason: Error, message: the table is locked, finishedAt: "2026-01-02T15:04:00Z"}}`
	failed := Container{Namespace: "shop", Pod: "migrate-a", Name: "main"}
	before := failed
	before.Previous = true
	for name, c := range map[string]struct {
		status   string // of the container
		want     string
		log      Container
		exitCode int32
	}{
		"its container waits to be restarted": {
			`restartCount: 1, state: {waiting: {reason: CrashLoopBackOff}}, lastState: ` + failure,
			"container main: restarted once, exited with code 3 (Error): the table is locked", before, 3,
		},
		"its container runs again": {
			`restartCount: 1, ready: true, state: {running: {}}, lastState: ` + failure,
			"container main: restarted once, exited with code 3 (Error): the table is locked", before, 3,
		},
		"its container ran again and was killed": {
			`restartCount: 1, state: {terminated: {exitCode: 137, finishedAt: "2026-01-02T15:05:01Z"}}, lastState: ` + failure,
			"container main: restarted once, exited with code 3 (Error): the table is locked", before, 3,
		},
		"its container failed again by itself": {
			`restartCount: 1, state: {terminated: {exitCode: 4, reason: Error, finishedAt: "2026-01-02T15:04:59Z"}}, lastState: ` + failure,
			"container main: restarted once, exited with code 4 (Error)", failed, 4,
		},
		"its container ran for too long": {
			`restartCount: 0, ready: true, state: {running: {}}`, "container main: was still running when its pod was deleted", failed, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pod := &corev1.Pod{}
			require.NoError(t, yaml.Unmarshal([]byte("{"+deleted+", status: {phase: Running, containerStatuses: [{name: main, "+c.status+"}]}}"), pod))
			assert.Equal(t, []Container{c.log}, tellFailures(pod))
			r := &Remembered{pods: []*corev1.Pod{pod}, logs: map[Container]string{failed: "the log"}}
			issues := r.issues()
			require.Len(t, issues, 1)
			assert.Equal(t, c.want, issues[0].Long)
			assert.Equal(t, "the log", issues[0].Failed.log)
			assert.NotContains(t, issues[0].Advice, "kubectl logs", "it cannot be read any more")
			ended := endedLast(r.pods)
			if c.exitCode == 0 {
				assert.Empty(t, ended)
				return
			}
			require.Len(t, ended, 1)
			assert.Equal(t, c.exitCode, ended[0].ExitCode)
		})
	}
	assert.Empty(t, (*Remembered)(nil).issues())
}
