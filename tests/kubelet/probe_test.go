package kubelet

import (
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// port is a free one, as a string and as a number.
func port(t *testing.T) (string, int32) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	number := listener.Addr().(*net.TCPAddr).Port
	return strconv.Itoa(number), int32(number)
}

func get(port intstr.IntOrString) *corev1.Probe {
	return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: port}}, PeriodSeconds: 1}
}

func TestProbes(t *testing.T) {
	t.Parallel()
	t.Run("a Deployment is available when its pod answers that it is ready", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		text, number := port(t)
		labels := map[string]string{"app": "web"}
		template := pod("", "serve 127.0.0.1:"+text+" /ready", "sleep 1s", "write /ready", "wait")
		template.Spec.RestartPolicy = corev1.RestartPolicyAlways
		c := &template.Spec.Containers[0]
		c.Ports = []corev1.ContainerPort{{Name: "health", ContainerPort: number}}
		c.ReadinessProbe = get(intstr.FromString("health"))
		deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: template.Spec},
		}}
		_, err := s.client.AppsV1().Deployments(s.namespace).Create(t.Context(), deployment, metav1.CreateOptions{})
		require.NoError(t, err)
		seen := false
		s.eventually(func() bool {
			pods, err := s.client.CoreV1().Pods(s.namespace).List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			for _, pod := range pods.Items {
				seen = seen || running(&pod) && !pod.Status.ContainerStatuses[0].Ready
			}
			deployment, err = s.client.AppsV1().Deployments(s.namespace).Get(t.Context(), "web", metav1.GetOptions{})
			return err == nil && deployment.Status.AvailableReplicas == 1
		}, func() string { return deployment.Status.String() })
		assert.True(t, seen, "it ran without being ready before")
	})
	t.Run("a container that does not answer that it lives is restarted", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		_, number := port(t)
		wanted := pod("dead", "wait")
		wanted.Spec.RestartPolicy = corev1.RestartPolicyAlways
		probe := get(intstr.FromInt32(number))
		probe.FailureThreshold = 2
		wanted.Spec.Containers[0].LivenessProbe = probe
		s.create(wanted)
		got := s.until("dead", func(pod *corev1.Pod) bool {
			return len(pod.Status.ContainerStatuses) > 0 && pod.Status.ContainerStatuses[0].RestartCount > 0
		})
		assert.Equal(t, int32(0), got.Status.ContainerStatuses[0].LastTerminationState.Terminated.ExitCode, "SIGTERM has ended it")
	})
}
