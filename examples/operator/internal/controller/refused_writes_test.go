package controller_test

import (
	"crypto/rand"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

func (p *place) stalled() bool {
	return meta.IsStatusConditionTrue(p.read().Status.Conditions, v1alpha1.ConditionStalled)
}

func (p *place) change(change func(*v1alpha1.Environment)) {
	p.Helper()
	p.eventually(func() bool {
		environment := p.read()
		change(environment)
		return p.Update(p.Context(), environment) == nil
	}, "it is changed")
}

func TestARunnerThatIsNoneStallsUntilItIsOne(t *testing.T) { // [X49]
	p := newPlaceFor(t, 1)
	p.environment(func(spec *v1alpha1.EnvironmentSpec) {
		spec.Runner.Resources = &corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("2Gi")},
			Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")},
		}
	})
	message := p.becomes("WriteRefused")
	assert.Contains(t, message, "The Job of the run cannot be created:")
	assert.Contains(t, message, "must be less than or equal to memory limit")
	require.True(t, p.stalled())
	other := p.and("other")
	other.environment()
	other.job(1) // The slot is not held.
	other.runs(1)
	p.change(func(environment *v1alpha1.Environment) { environment.Spec.Runner.Resources = nil })
	p.job(2)
	require.False(t, p.stalled())
}

func TestInputsThatAreTooBigStall(t *testing.T) { // [X49]
	p := newPlace(t)
	half := make([]byte, 600<<10)
	_, _ = rand.Read(half)
	p.make(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "big"}, Data: map[string][]byte{"half": half}})
	program := &corev1.ConfigMap{}
	require.NoError(t, p.Get(t.Context(), client.ObjectKey{Namespace: p.namespace, Name: "program"}, program))
	program.BinaryData = map[string][]byte{"half": half[1:]}
	require.NoError(t, p.Update(t.Context(), program))
	p.environment(func(spec *v1alpha1.EnvironmentSpec) {
		spec.SecretConfig = map[string]v1alpha1.SecretConfigSource{"half": {SecretKeyRef: v1alpha1.SecretKeyReference{Name: "big", Key: "half"}}}
	})
	message := p.becomes("WriteRefused")
	assert.Contains(t, message, "What the run needs cannot be created:")
	assert.Contains(t, message, "Too long")
	require.True(t, p.stalled())
	program.BinaryData = nil
	require.NoError(t, p.Update(t.Context(), program))
	p.eventually(func() bool { return !p.stalled() && p.read().Status.CurrentOperation.JobUID != "" }, "it runs")
}

func TestAQuotaIsSaidAndWaitedFor(t *testing.T) { // [X49]
	p := newPlace(t)
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "none"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/jobs.batch": resource.MustParse("0")}},
	}
	p.make(quota)
	quota.Status = corev1.ResourceQuotaStatus{Hard: quota.Spec.Hard, Used: quota.Spec.Hard}
	require.NoError(t, p.Status().Update(t.Context(), quota))
	template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "a", Image: "a"}}}}
	p.eventually(func() bool {
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "any"}, Spec: batchv1.JobSpec{Template: template}}
		return p.Create(t.Context(), job, client.DryRunAll) != nil
	}, "the quota is in force")
	p.environment()
	assert.Contains(t, p.becomes("WriteRefused"), "exceeded quota")
	require.False(t, p.stalled())
	require.NoError(t, p.Delete(t.Context(), quota))
	p.runs(1)
	p.becomes("Applied")
}

func TestAStateThatIsDamagedIsSaid(t *testing.T) { // [X49]
	p := newPlace(t)
	p.applied()
	head := p.secret("shop-state")
	whole := head.Data
	head.Data = map[string][]byte{"revision": []byte("many")}
	require.NoError(t, p.Update(t.Context(), head))
	p.remove()
	message := p.becomes("StateUnusable")
	assert.Contains(t, message, "Secret "+p.namespace+"/shop-state: revision:")
	assert.Contains(t, message, v1alpha1.AnnotationOrphan+"=true")
	head.Data = whole
	require.NoError(t, p.Update(t.Context(), head))
	p.runs(2, func(head *state.Head) { head.Record.ResourceCount = 0 })
	p.eventually(func() bool { return p.read() == nil }, "it is gone")
}

func TestAPodThatCannotStartHoldsNoSlot(t *testing.T) { // [X48]
	p := newPlaceFor(t, 1)
	p.environment()
	job := p.job(1)
	other := p.and("other")
	other.environment()
	assert.Contains(t, other.becomes("Queued"), "0 wait before it")
	p.make(&corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: "no-account"},
		InvolvedObject: corev1.ObjectReference{Kind: "Job", APIVersion: "batch/v1", Namespace: p.namespace, Name: job.Name, UID: job.UID},
		Reason:         "FailedCreate", Message: "serviceaccount \"runner\" not found", LastTimestamp: metav1.Now(),
	})
	p.becomes("PodNotStarted")
	other.runs(1)
	other.becomes("Applied")
}

func TestAJobWhosePodNeverStartedIsNoAttempt(t *testing.T) { // [X77]
	p := newPlace(t)
	p.environment(func(spec *v1alpha1.EnvironmentSpec) { spec.Retry.Limit = new(int32(0)) })
	job := p.job(1)
	p.make(&corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: "no-account"},
		InvolvedObject: corev1.ObjectReference{Kind: "Job", APIVersion: "batch/v1", Namespace: p.namespace, Name: job.Name, UID: job.UID},
		Reason:         "FailedCreate", Message: "serviceaccount \"runner\" not found", LastTimestamp: metav1.Now(),
	})
	p.becomes("PodNotStarted")
	now := metav1.Now()
	job.Status.StartTime = &now
	for _, condition := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed} {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: condition, Status: corev1.ConditionTrue, Reason: batchv1.JobReasonDeadlineExceeded, LastTransitionTime: now,
		})
	}
	require.NoError(t, p.Status().Update(t.Context(), job))
	p.eventually(func() bool {
		var another batchv1.Job
		return p.stalled() || p.Get(t.Context(), client.ObjectKeyFromObject(job), &another) == nil && another.UID != job.UID
	}, "it gets another Job, or gives up")
	require.False(t, p.stalled())
	p.runs(1)
	p.becomes("Applied")
}

func TestAStateThatCannotBeSavedIsSaid(t *testing.T) { // [X49]
	p := newPlace(t)
	p.environment()
	job := p.job(1)
	p.eventually(func() bool { return p.read().Status.CurrentOperation.JobUID == job.UID }, "the Job is in the status")
	pod := p.pod(job)
	holder := string(pod.UID)
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "shop-run", Labels: map[string]string{v1alpha1.LabelEnvironment: "shop"}},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder},
	}
	p.make(lease)
	metav1.SetMetaDataAnnotation(&lease.ObjectMeta, v1alpha1.AnnotationNotSaved, "exceeded quota: small")
	require.NoError(t, p.Update(t.Context(), lease))
	assert.Contains(t, p.becomes("StateNotSaved"), "its state cannot be saved: exceeded quota: small.")
	delete(lease.Annotations, v1alpha1.AnnotationNotSaved)
	require.NoError(t, p.Update(t.Context(), lease))
	p.becomes("Updating")
}

// pod makes the pod of a Job, which has no controller here.
func (p *place) pod(job *batchv1.Job) *corev1.Pod {
	p.Helper()
	p.make(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: job.Name + "-a", Labels: job.Spec.Template.Labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "runner", Image: "runner"}}},
	}
	pod.Labels[batchv1.JobNameLabel] = job.Name
	p.make(pod)
	return pod
}

// A Job that is deleted with --cascade=orphan leaves its pod at work.
func TestAPodWhoseJobIsGoneIsWaitedFor(t *testing.T) { // [X49] [X50]
	p := newPlace(t)
	p.environment()
	job := p.job(1)
	p.eventually(func() bool { return p.read().Status.CurrentOperation.JobUID == job.UID }, "the Job is in the status")
	pod := p.pod(job)
	orphan := metav1.DeletePropagationOrphan
	job.Finalizers = nil
	require.NoError(t, p.Delete(t.Context(), job, &client.DeleteOptions{PropagationPolicy: &orphan}))
	p.eventually(func() bool {
		var left batchv1.Job
		err := p.Get(t.Context(), client.ObjectKeyFromObject(job), &left)
		if err == nil && len(left.Finalizers) > 0 { // as the garbage collector does
			left.Finalizers = nil
			_ = p.Update(t.Context(), &left)
		}
		return apierrors.IsNotFound(err) || err == nil && left.UID != job.UID
	}, "the Job is gone")
	p.eventually(func() bool { // It is restored from a backup, say.
		environment := p.read()
		environment.Status = v1alpha1.EnvironmentStatus{}
		return p.Status().Update(t.Context(), environment) == nil
	}, "the status is lost")
	message := p.becomes("EarlierRun")
	assert.Contains(t, message, "If its Job is gone, delete the pod: kubectl delete --namespace "+p.namespace+" pod "+pod.Name)
	require.NoError(t, p.Delete(t.Context(), pod, client.GracePeriodSeconds(0)))
	p.becomes("Updating")
	p.runs(2)
	p.becomes("Applied")
}
