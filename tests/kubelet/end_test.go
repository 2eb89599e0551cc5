package kubelet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// finalizer keeps a pod for a look at its last status, as that of Jobs does.
const finalizer = "example.com/look"

func (s surroundings) remove(name string, grace int64) {
	s.Helper()
	options := metav1.DeleteOptions{GracePeriodSeconds: &grace}
	require.NoError(s, s.client.CoreV1().Pods(s.namespace).Delete(s.Context(), name, options))
}

func (s surroundings) letGo(name string) {
	s.Helper()
	patch := []byte(`{"metadata":{"finalizers":null}}`)
	_, err := s.client.CoreV1().Pods(s.namespace).Patch(s.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{})
	require.NoError(s, err)
	s.gone(name)
}

func (s surroundings) gone(name string) {
	s.Helper()
	s.eventually(func() bool {
		_, err := s.client.CoreV1().Pods(s.namespace).Get(s.Context(), name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}, func() string { return name + " is still there" })
}

func TestTheEndOfAPod(t *testing.T) {
	t.Parallel()
	t.Run("a deleted pod gets SIGTERM, and reports how it ended before it is gone", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		wanted := pod("polite", "wait", "message bye")
		wanted.Finalizers = []string{finalizer}
		s.create(wanted)
		s.printed("polite", "waiting")
		s.remove("polite", 30)
		got := s.until("polite", ended)
		assert.Equal(t, corev1.PodSucceeded, got.Status.Phase)
		assert.Equal(t, "bye", state(got).Terminated.Message)
		s.letGo("polite")
	})
	t.Run("SIGKILL follows after the grace period, for all processes", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		wanted := pod("stubborn", "child", "stubborn")
		wanted.Finalizers = []string{finalizer}
		uid := s.create(wanted).UID
		s.printed("stubborn", "waiting")
		begin := time.Now()
		s.remove("stubborn", 1)
		got := s.until("stubborn", ended)
		assert.GreaterOrEqual(t, time.Since(begin), time.Second)
		assert.Equal(t, int32(137), state(got).Terminated.ExitCode)
		assert.Equal(t, "Error", state(got).Terminated.Reason)
		assert.Contains(t, s.logs("stubborn"), "terminated, and staying")
		s.letGo("stubborn")
		assert.Empty(t, left(t, string(uid)), "processes that have it in what they mount")
	})
	t.Run("a pod that is removed by force ends, too", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		uid := s.create(pod("forced", "stubborn")).UID
		s.printed("forced", "waiting")
		s.remove("forced", 0)
		s.gone("forced")
		s.eventually(func() bool { return len(left(t, string(uid))) == 0 }, func() string { return "it still runs" })
	})
	t.Run("a pod that waits for its image is gone at once", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		wanted := pod("never")
		wanted.Spec.Containers[0].Image = "example.com/unknown:1"
		s.create(wanted)
		s.until("never", waitsFor("ImagePullBackOff"))
		s.remove("never", 30)
		s.gone("never")
	})
	for _, death := range []Death{OOMKilled, KilledFromOutside} {
		t.Run("killed, it is reported with the code 137 and the reason "+string(death), func(t *testing.T) {
			t.Parallel()
			s := with(t)
			s.create(pod("killed", "message half", "child", "stubborn"))
			s.printed("killed", "waiting")
			require.NoError(t, s.player.Kill(s.namespace+"/killed", death))
			got := s.until("killed", ended)
			assert.Equal(t, corev1.PodFailed, got.Status.Phase)
			assert.Equal(t, int32(137), state(got).Terminated.ExitCode)
			assert.Equal(t, string(death), state(got).Terminated.Reason)
			assert.Equal(t, "half", state(got).Terminated.Message)
			assert.Error(t, s.player.Kill(s.namespace+"/killed", death))
		})
	}
}

func TestTheEndOfAPlayer(t *testing.T) {
	t.Parallel()
	s := with(t)
	dir := filepath.Join(t.TempDir(), "node")
	node := s.ownNode(func(o *Options) { o.Dir = dir })
	wanted := pod("lost", "child", "stubborn")
	wanted.Spec.NodeSelector[corev1.LabelHostname] = node.options.NodeName
	uid := s.create(wanted).UID
	s.printed("lost", "waiting")
	require.NotEmpty(t, left(t, string(uid)))
	require.DirExists(t, dir)

	require.NoError(t, s.player.PowerOff())
	assert.Empty(t, left(t, string(uid)), "processes")
	assert.Empty(t, mounted(t, dir), "mounts")
	assert.NoDirExists(t, dir)
	assert.Equal(t, corev1.PodRunning, s.get("lost").Status.Phase, "nobody has told anybody")

	again := s.ownNode()
	got := s.until("lost", ended)
	assert.Equal(t, corev1.PodFailed, got.Status.Phase)
	assert.Equal(t, int32(137), state(got).Terminated.ExitCode)
	assert.Equal(t, "ContainerStatusUnknown", state(got).Terminated.Reason)
	assert.Empty(t, again.Logs(s.namespace+"/lost"), "it ran twice")
}

func TestANodeThatIsLost(t *testing.T) {
	t.Parallel()
	s := with(t)
	player := s.ownNode()
	wanted := pod("far", "wait", "message over")
	wanted.Spec.NodeSelector[corev1.LabelHostname] = player.options.NodeName
	wanted.Spec.Tolerations = []corev1.Toleration{{
		Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(0)),
	}}
	wanted.Finalizers = []string{finalizer}
	s.create(wanted)
	s.printed("far", "waiting")
	for _, condition := range s.until("far", isReady).Status.Conditions {
		assert.Empty(t, condition.Reason+condition.Message, "what was said while it was not ready")
	}

	require.NoError(t, player.Lose(t.Context()))
	assert.ErrorIs(t, player.renewLease(t.Context()), errDisconnected)
	s.until("far", func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil && !isReady(pod) })
	assert.NotContains(t, s.logs("far"), "terminated")
	assert.True(t, running(s.get("far")))

	player.Connect()
	reported := s.until("far", func(pod *corev1.Pod) bool { return state(pod).Terminated != nil })
	assert.Equal(t, "over", state(reported).Terminated.Message)
	s.letGo("far")
	s.eventually(func() bool {
		node, err := s.client.CoreV1().Nodes().Get(t.Context(), player.options.NodeName, metav1.GetOptions{})
		return err == nil && node.Status.Conditions[0].Status == corev1.ConditionTrue
	}, func() string { return "the Node is not ready again" })
}

func TestAContainerIsNotStartedBeforeItsStatusSaysSo(t *testing.T) {
	t.Parallel()
	s := with(t)
	var said podLog
	player := s.ownNode(func(o *Options) { o.Log = &said })
	wanted := pod("again", "print begun", "sleep 100ms", "exit 1")
	wanted.Spec.NodeSelector[corev1.LabelHostname] = player.options.NodeName
	wanted.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	s.create(wanted)
	s.printed("again", "begun")
	player.Disconnect()
	s.eventually(func() bool { return strings.Count(said.String(), "again: reporting: ") >= 2 }, said.String)
	begun, restarts := strings.Count(s.logs("again"), "begun"), s.get("again").Status.ContainerStatuses[0].RestartCount
	assert.LessOrEqual(t, begun, int(restarts)+1, "it was restarted while nobody could know")
	player.Connect()
	s.until("again", func(pod *corev1.Pod) bool { return pod.Status.ContainerStatuses[0].RestartCount > restarts })
}

func isReady(pod *corev1.Pod) bool { return readiness(pod.Status) == corev1.ConditionTrue }

// ownNode starts a player that the test may break, always of the same Node.
func (s *surroundings) ownNode(changes ...func(*Options)) *Player {
	s.Helper()
	own := options(strings.ToLower(s.Name()))
	for _, change := range changes {
		change(&own)
	}
	player, err := Start(s.Context(), shared.Get(s.T).RESTConfig(), own)
	require.NoError(s, err)
	s.Cleanup(func() { assert.NoError(s, player.Stop()) })
	s.player = player
	return player
}

// left are the processes that have something mounted whose path has a word in it.
func left(t *testing.T, word string) []string {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/mountinfo")
	require.NoError(t, err)
	var processes []string
	for _, file := range found {
		content, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(content), word) { // it may just have ended
			processes = append(processes, filepath.Base(filepath.Dir(file)))
		}
	}
	return processes
}

// mounted are our own mounts below a folder.
func mounted(t *testing.T, dir string) []string {
	t.Helper()
	content, err := os.ReadFile("/proc/self/mountinfo")
	require.NoError(t, err)
	var mounts []string
	for line := range strings.Lines(string(content)) {
		if strings.Contains(line, dir) {
			mounts = append(mounts, line)
		}
	}
	return mounts
}
