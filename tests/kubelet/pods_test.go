package kubelet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestPods(t *testing.T) {
	t.Parallel()
	t.Run("a Job succeeds, and the message of its pod arrives", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		template := pod("", "print hello", "message done")
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "job"}, Spec: batchv1.JobSpec{
			BackoffLimit:         new(int32(0)),
			PodReplacementPolicy: new(batchv1.Failed),
			Template:             corev1.PodTemplateSpec{Spec: template.Spec},
		}}
		_, err := s.client.BatchV1().Jobs(s.namespace).Create(t.Context(), job, metav1.CreateOptions{})
		require.NoError(t, err)
		s.eventually(func() bool {
			job, err = s.client.BatchV1().Jobs(s.namespace).Get(t.Context(), "job", metav1.GetOptions{})
			return err == nil && job.Status.Succeeded == 1
		}, func() string { return job.String() })
		pods, err := s.client.CoreV1().Pods(s.namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "job-name=job"})
		require.NoError(t, err)
		require.Len(t, pods.Items, 1)
		found := pods.Items[0]
		require.NotNil(t, state(&found).Terminated)
		assert.Equal(t, "done", state(&found).Terminated.Message)
		assert.Equal(t, "Completed", state(&found).Terminated.Reason)
		assert.False(t, state(&found).Terminated.StartedAt.IsZero())
		assert.Equal(t, "hello\n", s.logs(found.Name))
	})
	t.Run("an exit code fails the pod, and the last 4096 bytes of the message are kept", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		s.create(pod("fails", "long", "exit 3"))
		got := s.until("fails", ended)
		assert.Equal(t, corev1.PodFailed, got.Status.Phase)
		terminated := state(got).Terminated
		assert.Equal(t, int32(3), terminated.ExitCode)
		assert.Equal(t, "Error", terminated.Reason)
		assert.Len(t, terminated.Message, 4096)
		assert.True(t, strings.HasSuffix(terminated.Message, "-end"))
	})
	t.Run("a command that is not there is a StartError", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		wanted := pod("missing")
		wanted.Spec.Containers[0].Command = []string{"/no/such"}
		s.create(wanted)
		terminated := state(s.until("missing", ended)).Terminated
		assert.Equal(t, int32(128), terminated.ExitCode)
		assert.Equal(t, "StartError", terminated.Reason)
		assert.Contains(t, terminated.Message, "/no/such")
	})
	t.Run("a container that fails is restarted where the policy says so", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		wanted := pod("restarts", "exit 1")
		wanted.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
		s.create(wanted)
		got := s.until("restarts", func(pod *corev1.Pod) bool { return waitsFor("CrashLoopBackOff")(pod) })
		assert.Equal(t, corev1.PodRunning, got.Status.Phase)
		assert.Equal(t, int32(1), got.Status.ContainerStatuses[0].LastTerminationState.Terminated.ExitCode)
		assert.GreaterOrEqual(t, got.Status.ContainerStatuses[0].RestartCount, int32(1))
	})
	t.Run("a pod that runs for longer than it may is DeadlineExceeded", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		wanted := pod("late", "wait")
		wanted.Spec.ActiveDeadlineSeconds = new(int64(1))
		s.create(wanted)
		got := s.until("late", ended)
		assert.Equal(t, corev1.PodFailed, got.Status.Phase)
		assert.Equal(t, "DeadlineExceeded", got.Status.Reason)
	})
	t.Run("what is not played fails at once", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		wanted := pod("init", "wait")
		wanted.Spec.InitContainers = []corev1.Container{{Name: "before", Image: programImage}}
		s.create(wanted)
		got := s.until("init", ended)
		assert.Equal(t, "Unsupported", got.Status.Reason)
		assert.Contains(t, got.Status.Message, "init containers")
	})
	t.Run("an unknown image cannot be pulled", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		wanted := pod("unknown")
		wanted.Spec.Containers[0].Image = "example.com/unknown:1"
		s.create(wanted)
		s.until("unknown", waitsFor("ErrImagePull"))
		got := s.until("unknown", waitsFor("ImagePullBackOff"))
		assert.Equal(t, corev1.PodPending, got.Status.Phase)
	})
	t.Run("a Secret of the environment that is missing is waited for", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		wanted := pod("config", "env PASSWORD")
		wanted.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "PASSWORD", ValueFrom: &corev1.EnvVarSource{
			SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "later"}, Key: "password"},
		}}}
		s.create(wanted)
		got := s.until("config", waitsFor("CreateContainerConfigError"))
		assert.Equal(t, `secrets "later" not found`, state(got).Waiting.Message)
		s.secret("later", "password", "hunter2")
		assert.Equal(t, corev1.PodSucceeded, s.until("config", ended).Status.Phase)
		assert.Equal(t, "PASSWORD=hunter2\n", s.logs("config"))
	})
	t.Run("a Secret of a volume that is missing is waited for, and an event says so", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		wanted := pod("volume", "read /secret/password")
		wanted.Spec.Volumes = []corev1.Volume{{Name: "secret", VolumeSource: corev1.VolumeSource{
			Secret: &corev1.SecretVolumeSource{SecretName: "later"},
		}}}
		wanted.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "secret", MountPath: "/secret"}}
		s.create(wanted)
		s.eventually(func() bool {
			events, err := s.client.CoreV1().Events(s.namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "reason=FailedMount"})
			return err == nil && len(events.Items) == 1 && strings.Contains(events.Items[0].Message, `secrets "later" not found`)
		}, func() string { return "no event FailedMount" })
		s.until("volume", waitsFor("ContainerCreating"))
		s.secret("later", "password", "hunter2")
		assert.Equal(t, corev1.PodSucceeded, s.until("volume", ended).Status.Phase)
		assert.Contains(t, s.logs("volume"), "hunter2")
	})
}

func (s surroundings) secret(name, key, value string) {
	s.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: map[string]string{key: value}}
	_, err := s.client.CoreV1().Secrets(s.namespace).Create(s.Context(), secret, metav1.CreateOptions{})
	require.NoError(s, err)
}
