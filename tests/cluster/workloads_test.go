package cluster_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

func TestDeploymentRollsOut(t *testing.T) {
	c := shared.Get(t)
	rollOut(t, c, c.Namespace(t))
}

func rollOut(t *testing.T, c *cluster.Cluster, namespace string) {
	t.Helper()
	replicas := int32(2)
	labels := map[string]string{"app": "web"}
	deployments := c.Client().AppsV1().Deployments(namespace)
	_, err := deployments.Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podSpec()},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually(t, func(ctx context.Context) error {
		deployment, err := deployments.Get(ctx, "web", metav1.GetOptions{})
		if err == nil && deployment.Status.AvailableReplicas != replicas {
			err = fmt.Errorf("%d of %d replicas", deployment.Status.AvailableReplicas, replicas)
		}
		return err
	})
}

func TestJobCompletes(t *testing.T) {
	c := shared.Get(t)
	jobs := c.Client().BatchV1().Jobs(c.Namespace(t))
	spec := podSpec()
	spec.RestartPolicy = corev1.RestartPolicyNever
	_, err := jobs.Create(t.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "once"},
		Spec:       batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: spec}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually(t, func(ctx context.Context) error {
		job, err := jobs.Get(ctx, "once", metav1.GetOptions{})
		if err == nil && job.Status.CompletionTime == nil {
			err = fmt.Errorf("not complete: %+v", job.Status)
		}
		return err
	})
}

func TestPodIsDeletedForReal(t *testing.T) {
	c := shared.Get(t)
	namespace := c.Namespace(t)
	createPod(t, c, namespace, nil)
	phase(t, c, namespace, corev1.PodRunning)

	pods := c.Client().CoreV1().Pods(namespace)
	require.NoError(t, pods.Delete(t.Context(), "pod", metav1.DeleteOptions{}))
	eventually(t, func(ctx context.Context) error {
		_, err := pods.Get(ctx, "pod", metav1.GetOptions{})
		return gone(err)
	})
}

func TestNamespaceIsDeletedForReal(t *testing.T) {
	c := shared.Get(t)
	namespaces := c.Client().CoreV1().Namespaces()
	created, err := namespaces.Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "short-lived-"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, namespaces.Delete(t.Context(), created.Name, metav1.DeleteOptions{}))
	eventually(t, func(ctx context.Context) error {
		_, err := namespaces.Get(ctx, created.Name, metav1.GetOptions{})
		return gone(err)
	})
}

func TestClaimBindsToVolume(t *testing.T) {
	c := shared.Get(t)
	namespace := c.Namespace(t)
	class := namespace // so that no other test's claim takes the volume
	capacity := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	modes := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	volumes := c.Client().CoreV1().PersistentVolumes()
	volume, err := volumes.Create(t.Context(), &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "volume-"},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: capacity, AccessModes: modes, StorageClassName: class,
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: "/nowhere"},
			},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, volumes.Delete(context.Background(), volume.Name, metav1.DeleteOptions{}))
	})

	claims := c.Client().CoreV1().PersistentVolumeClaims(namespace)
	_, err = claims.Create(t.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "claim"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: modes, StorageClassName: &class,
			Resources: corev1.VolumeResourceRequirements{Requests: capacity},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually(t, func(ctx context.Context) error {
		claim, err := claims.Get(ctx, "claim", metav1.GetOptions{})
		if err == nil && (claim.Status.Phase != corev1.ClaimBound || claim.Spec.VolumeName != volume.Name) {
			err = fmt.Errorf("claim is %s, of volume %q", claim.Status.Phase, claim.Spec.VolumeName)
		}
		return err
	})
}

// failing makes pods with the label "fails" fail as soon as they have a node.
const failing = `apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata:
  name: fail
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchLabels: {fails: "true"}
    matchExpressions:
    - {key: .status.phase, operator: In, values: [Pending]}
  weight: 1
  next:
    statusTemplate: |
      phase: Failed
      reason: Broken
`

func TestStagesOfATest(t *testing.T) {
	c := shared.Get(t)
	namespace := c.Namespace(t)
	require.NoError(t, c.SetStages(t.Context(), failing))
	t.Cleanup(func() { require.NoError(t, c.SetStages(context.Background())) })

	createPod(t, c, namespace, map[string]string{"fails": "true"})
	phase(t, c, namespace, corev1.PodFailed)
}

func createPod(t *testing.T, c *cluster.Cluster, namespace string, labels map[string]string) {
	t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Labels: labels}, Spec: podSpec()}
	pods := c.Client().CoreV1().Pods(namespace)
	// The namespace's service account comes a moment after it.
	eventually(t, func(ctx context.Context) error {
		_, err := pods.Create(ctx, pod, metav1.CreateOptions{})
		return err
	})
}

func phase(t *testing.T, c *cluster.Cluster, namespace string, want corev1.PodPhase) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		pod, err := c.Client().CoreV1().Pods(namespace).Get(ctx, "pod", metav1.GetOptions{})
		if err == nil && pod.Status.Phase != want {
			err = fmt.Errorf("phase is %s, not %s", pod.Status.Phase, want)
		}
		return err
	})
}

func podSpec() corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "registry.example/never-pulled"}}}
}

// gone turns the answer to a GET into an error unless the object is gone.
func gone(err error) error {
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err == nil:
		return fmt.Errorf("still there")
	default:
		return err
	}
}
