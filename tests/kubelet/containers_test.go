package kubelet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// restricted is a pod as the operator's are: not root, a read-only root, and one folder to write to.
func restricted(name string, steps ...string) *corev1.Pod {
	wanted := pod(name, steps...)
	wanted.Spec.SecurityContext = &corev1.PodSecurityContext{
		RunAsNonRoot: new(true), RunAsUser: new(int64(65532)), RunAsGroup: new(int64(65532)), FSGroup: new(int64(2000)),
	}
	wanted.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
		Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
	wanted.Spec.Volumes = []corev1.Volume{
		{Name: "work", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		{Name: "secret", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "secret", DefaultMode: new(int32(0o400))}}},
		{Name: "pod", VolumeSource: corev1.VolumeSource{DownwardAPI: &corev1.DownwardAPIVolumeSource{Items: []corev1.DownwardAPIVolumeFile{
			{Path: "labels/all", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.labels"}},
		}}}},
	}
	wanted.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{
		{Name: "work", MountPath: "/work"},
		{Name: "secret", MountPath: "/work/inside/secret"},
		{Name: "pod", MountPath: "/pod"},
	}
	return wanted
}

func TestWhatAContainerSees(t *testing.T) {
	t.Parallel()
	t.Run("its volumes, a root that is read-only, and nothing of the machine", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		s.secret("secret", "password", "hunter2")
		wanted := restricted("sees",
			"id",
			"read /work/inside/secret/password", "write /work/inside/secret/password",
			"write /work/mine", "write /mine", "write /bin/mine", "write /etc/hosts", "write /proc/sys/kernel/hostname",
			"read /pod/labels/all",
			"read /var/run/secrets/kubernetes.io/serviceaccount/namespace",
			"list /", "list /dev", "files", "read /etc/hosts",
			"message seen")
		wanted.Labels = map[string]string{"of": "mine"}
		s.create(wanted)
		got := s.until("sees", ended)
		logs := s.logs("sees")
		assert.Equal(t, "seen", state(got).Terminated.Message)
		for _, line := range []string{
			"id 65532 65532 [2000] 1 sees",
			"/work/inside/secret/password: hunter2<nil>",
			"write /work/inside/secret/password: open /work/inside/secret/password: read-only file system",
			"write /work/mine: <nil>",
			"write /mine: open /mine: read-only file system",
			"write /bin/mine: open /bin/mine: read-only file system",
			"write /etc/hosts: open /etc/hosts: read-only file system",
			"write /proc/sys/kernel/hostname: open /proc/sys/kernel/hostname: read-only file system",
			`/pod/labels/all: of="mine"<nil>`,
			"/var/run/secrets/kubernetes.io/serviceaccount/namespace: " + s.namespace,
			"/: [d bin/ d dev/ d etc/ d pod/ d proc/ d var/ d work/] <nil>",
			"/dev: [L fd - full - null - random d shm/ L stderr L stdin L stdout - termination-log - tty - urandom - zero] <nil>",
			"open: /dev/null pipe pipe",
			"127.0.0.1\tlocalhost",
		} {
			assert.Contains(t, logs, line)
		}
	})
	t.Run("a root that it may write to, which is gone with it", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		s.create(pod("writes", "write /bin/program", "write /new", "read /new"))
		s.until("writes", ended)
		assert.Contains(t, s.logs("writes"), "write /new: <nil>\n/new: written<nil>")
		s.create(pod("again", "read /new", "read /etc/hostname"))
		assert.Equal(t, corev1.PodSucceeded, s.until("again", ended).Status.Phase)
		assert.Contains(t, s.logs("again"), "/new: open /new: no such file or directory\n/etc/hostname: again\n")
	})
	t.Run("variables from everywhere", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		s.secret("secret", "KEY", "s3cret")
		values := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "values"}, Data: map[string]string{"A": "1", "FROM_IMAGE": "no"}}
		_, err := s.client.CoreV1().ConfigMaps(s.namespace).Create(t.Context(), values, metav1.CreateOptions{})
		require.NoError(t, err)
		wanted := pod("env")
		c := &wanted.Spec.Containers[0]
		c.EnvFrom = []corev1.EnvFromSource{
			{Prefix: "P_", ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "values"}}},
			{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "secret"}}},
		}
		of := func(path string) *corev1.EnvVarSource {
			return &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}
		}
		c.Env = []corev1.EnvVar{
			{Name: "POD_NAME", ValueFrom: of("metadata.name")},
			{Name: "POD_NAMESPACE", ValueFrom: of("metadata.namespace")},
			{Name: "POD_UID", ValueFrom: of("metadata.uid")},
			{Name: "ACCOUNT", ValueFrom: of("spec.serviceAccountName")},
			{Name: "MEMORY", ValueFrom: &corev1.EnvVarSource{ResourceFieldRef: &corev1.ResourceFieldSelector{ContainerName: "run", Resource: "limits.cpu"}}},
			{Name: "MISSING", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: "secret"}, Key: "none", Optional: new(true)}}},
			{Name: "BOTH", Value: "$(POD_NAME)-$(P_A)-$$(KEY)-$(NONE)"},
		}
		var names []string
		for _, name := range []string{"POD_NAME", "POD_NAMESPACE", "POD_UID", "ACCOUNT", "BOTH", "KEY", "MISSING", "FROM_IMAGE", "P_FROM_IMAGE",
			"KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"} {
			names = append(names, "env "+name)
		}
		c.Args = append(names, "print $(POD_NAME)")
		created := s.create(wanted)
		s.until("env", ended)
		_, port, _ := strings.Cut(strings.TrimPrefix(shared.Get(t).Host(), "https://"), ":")
		assert.Equal(t, strings.Join([]string{
			"POD_NAME=env", "POD_NAMESPACE=" + s.namespace, "POD_UID=" + string(created.UID), "ACCOUNT=default",
			"BOTH=env-1-$(KEY)-$(NONE)", "KEY=s3cret", "MISSING=", "FROM_IMAGE=yes", "P_FROM_IMAGE=no",
			"KUBERNETES_SERVICE_HOST=127.0.0.1", "KUBERNETES_SERVICE_PORT=" + port,
			"env",
		}, "\n")+"\n", s.logs("env"))
	})
	t.Run("no root where it must not be", func(t *testing.T) {
		t.Parallel()
		s := with(t)
		wanted := pod("root")
		wanted.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsNonRoot: new(true)}
		s.create(wanted)
		got := s.until("root", waitsFor("CreateContainerConfigError"))
		assert.Contains(t, state(got).Waiting.Message, "runAsNonRoot")
	})
}
