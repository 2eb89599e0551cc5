package controller

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
)

const (
	// user runs the programs. It has no name in the image.
	user = 65532
	// grace is how long a run that is ended may take to complete what is under way and to save.
	grace = 60
	// reserve is what a run gets beyond its time-out: it ends itself, and says so, long before.
	reserve = 120
	// lostNode is how long the pod of a lost node counts as running.
	lostNode = 30
)

// runnerImage is the image of the current operation's pod: the one that the program is in, if it is in one. Like all inputs of an operation,
// it is frozen; but a destroy, which has no program, has the present one, as that may be the cure.
func (r *Reconciler) runnerImage(ctx context.Context, environment *v1alpha1.Environment) (string, error) {
	operation := environment.Status.CurrentOperation
	image := environment.Spec.Program.Image
	if !operation.Kind.IsOfDeletion() {
		kept, err := r.metadataOf(ctx, "Secret", environment.Namespace, operation.InputsSecret)
		if apierrors.IsNotFound(err) {
			err = r.Direct.Get(ctx, client.ObjectKey{Namespace: environment.Namespace, Name: operation.InputsSecret}, kept)
		}
		if client.IgnoreNotFound(err) != nil {
			return "", err
		}
		image = kept.Annotations[annotationImage]
	}
	return cmp.Or(image, r.Options.RunnerImage), nil
}

// job is the Job of the current operation, whose pod has this image.
func (r *Reconciler) job(environment *v1alpha1.Environment, image string) *batchv1.Job {
	operation := environment.Status.CurrentOperation
	labels := map[string]string{
		v1alpha1.LabelEnvironment: environment.Name,
		v1alpha1.LabelSerial:      strconv.FormatInt(operation.Serial, 10),
	}
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: environment.Namespace, Name: operation.Job, Labels: labels,
			Annotations: map[string]string{ownership.AnnotationUID: string(environment.UID), annotationInputHash: operation.InputHash},
		},
		Spec: batchv1.JobSpec{
			BackoffLimit:          new(int32(0)),
			PodReplacementPolicy:  new(batchv1.Failed),
			ActiveDeadlineSeconds: new(int64(environment.Spec.RunTimeout().Seconds()) + reserve),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: map[string]string{
					"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
					"karpenter.sh/do-not-disrupt":                    "true",
				}},
				Spec: pod(environment, operation, image),
			},
		},
	}
	job.Annotations[annotationSettings] = settings(&job.Spec)
	if environment.DeletionTimestamp.IsZero() {
		job.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(environment, v1alpha1.GroupVersion.WithKind("Environment"))}
	}
	return job
}

// settings are what a Job's pod is created with. What the API server adds is not compared.
func settings(spec *batchv1.JobSpec) string {
	hash := sha256.New()
	_ = json.NewEncoder(hash).Encode(spec) // a JobSpec can always be encoded
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

func pod(environment *v1alpha1.Environment, operation *v1alpha1.Operation, image string) corev1.PodSpec {
	return corev1.PodSpec{
		ServiceAccountName:            environment.Spec.ServiceAccountName,
		RestartPolicy:                 corev1.RestartPolicyNever,
		TerminationGracePeriodSeconds: new(int64(grace)),
		Tolerations:                   tolerations(environment),
		EnableServiceLinks:            new(false),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(int64(user)), RunAsGroup: new(int64(user)), FSGroup: new(int64(user)),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{{
			Name:    "run",
			Image:   image,
			Command: []string{"/operator", "run"},
			Args: []string{
				"--environment=" + environment.Name,
				"--serial=" + strconv.FormatInt(operation.Serial, 10),
				"--kind=" + string(operation.Kind),
				"--state-secret=" + environment.StateSecretName(),
				"--lease=" + environment.LeaseName(),
				"--grace=50s",
			},
			Env: []corev1.EnvVar{
				field("POD_NAME", "metadata.name"), field("POD_NAMESPACE", "metadata.namespace"), field("POD_UID", "metadata.uid"),
				// There is no entry in /etc/passwd to look them up.
				{Name: "HOME", Value: "/work/home"}, {Name: "USER", Value: "operator"},
				{Name: "TMPDIR", Value: "/work/tmp"}, {Name: "PULUMI_HOME", Value: "/work/pulumi"},
				{Name: "MEMORY_LIMIT", ValueFrom: &corev1.EnvVarSource{ResourceFieldRef: &corev1.ResourceFieldSelector{
					ContainerName: "run", Resource: "limits.memory", Divisor: resource.MustParse("1"),
				}}},
			},
			Resources: resources(environment),
			VolumeMounts: []corev1.VolumeMount{
				{Name: "work", MountPath: "/work"},
				{Name: "inputs", MountPath: "/inputs", ReadOnly: true},
				{Name: "passphrase", MountPath: "/passphrase", ReadOnly: true},
			},
			SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
				Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			},
		}},
		Volumes: []corev1.Volume{
			{Name: "work", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			secretVolume("inputs", operation.InputsSecret),
			secretVolume("passphrase", environment.PassphraseSecretName()),
		},
	}
}

func field(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}}
}

func secretVolume(name, secret string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
		SecretName: secret, DefaultMode: new(int32(0o440)),
	}}}
}

// tolerations of the Environment, and a short one for nodes that are lost: the state is safe, another pod goes on.
func tolerations(environment *v1alpha1.Environment) []corev1.Toleration {
	all := append([]corev1.Toleration{}, environment.Spec.Runner.Tolerations...)
	for _, taint := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		all = append(all, corev1.Toleration{
			Key: taint, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(lostNode)),
		})
	}
	return all
}

// resources default to what stacks of up to some hundred objects need.
func resources(environment *v1alpha1.Environment) corev1.ResourceRequirements {
	if chosen := environment.Spec.Runner.Resources; chosen != nil {
		return *chosen
	}
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("256Mi"),
			corev1.ResourceEphemeralStorage: resource.MustParse("256Mi"),
		},
		Limits: corev1.ResourceList{
			corev1.ResourceMemory: resource.MustParse("1Gi"), corev1.ResourceEphemeralStorage: resource.MustParse("2Gi"),
		},
	}
}
