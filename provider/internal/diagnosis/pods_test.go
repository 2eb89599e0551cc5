package diagnosis

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAdviceForAPodWithoutANode(t *testing.T) { // [D108]
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "db-0", Namespace: "shop"}, Spec: corev1.PodSpec{Volumes: []corev1.Volume{
		{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-db-0"}}},
		{Name: "scratch", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}},
	}}}
	const room = "make room on the nodes, or ask for less in the pod's requests, selectors and affinities"
	const claims = "have its claims bound: see what they wait for with `kubectl describe pvc --namespace shop data-db-0 db-0-scratch`"
	for message, want := range map[string]string{
		"0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.":           claims,
		`0/1 nodes are available: persistentvolumeclaim "data-db-0" not found.`:                claims,
		"0/1 nodes are available: 1 node(s) didn't find available persistent volumes to bind.": claims,
		"0/1 nodes are available: 1 Insufficient cpu.":                                         room,
	} {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: message}}
		trouble, ok := issueOf(pod)
		assert.True(t, ok)
		assert.Equal(t, want, trouble.Advice, message)
	}
}
