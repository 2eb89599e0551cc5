package kubelet

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubectl/pkg/util/resource"
	"k8s.io/utils/ptr"
)

// file is one of a volume.
type file struct {
	content string
	mode    os.FileMode
	owner   int
}

// mountVolumes makes the folders of the volumes that are not there yet.
func (w *worker) mountVolumes(ctx context.Context, pod *corev1.Pod) error {
	for i := range pod.Spec.Volumes {
		volume := &pod.Spec.Volumes[i]
		if w.volumes[volume.Name] != "" {
			continue
		}
		dir := filepath.Join(w.dir, "volumes", volume.Name)
		err := os.RemoveAll(dir) // what is left of a failure
		if err == nil && volume.EmptyDir != nil {
			err = makeDir(dir, 0o777, fsGroup(pod))
		} else if err == nil {
			var files map[string]file
			if files, err = w.files(ctx, pod, volume); err == nil {
				err = writeVolume(dir, files, fsGroup(pod))
			}
		}
		if err != nil {
			return fmt.Errorf("MountVolume.SetUp failed for volume %q : %w", volume.Name, err)
		}
		w.volumes[volume.Name] = dir
	}
	return nil
}

func fsGroup(pod *corev1.Pod) *int64 {
	if pod.Spec.SecurityContext == nil {
		return nil
	}
	return pod.Spec.SecurityContext.FSGroup
}

// files are those of a volume by their paths.
func (w *worker) files(ctx context.Context, pod *corev1.Pod, volume *corev1.Volume) (map[string]file, error) {
	switch source := volume.VolumeSource; {
	case source.Secret != nil:
		values, err := w.secret(ctx, pod.Namespace, source.Secret.SecretName, source.Secret.Optional)
		if err != nil {
			return nil, err
		}
		return chosen(values, source.Secret.Items, source.Secret.DefaultMode, source.Secret.Optional)
	case source.ConfigMap != nil:
		values, err := w.configMap(ctx, pod.Namespace, source.ConfigMap.Name, source.ConfigMap.Optional)
		if err != nil {
			return nil, err
		}
		return chosen(values, source.ConfigMap.Items, source.ConfigMap.DefaultMode, source.ConfigMap.Optional)
	case source.DownwardAPI != nil:
		return described(pod, source.DownwardAPI.Items, source.DownwardAPI.DefaultMode)
	case source.Projected != nil:
		all := map[string]file{}
		for _, part := range source.Projected.Sources {
			files, err := w.projected(ctx, pod, part, source.Projected.DefaultMode)
			if err != nil {
				return nil, err
			}
			maps.Copy(all, files)
		}
		return all, nil
	}
	return nil, fmt.Errorf("volume %s is of a kind that is not played", volume.Name)
}

func (w *worker) projected(ctx context.Context, pod *corev1.Pod, part corev1.VolumeProjection, mode *int32) (map[string]file, error) {
	switch {
	case part.Secret != nil:
		values, err := w.secret(ctx, pod.Namespace, part.Secret.Name, part.Secret.Optional)
		if err != nil {
			return nil, err
		}
		return chosen(values, part.Secret.Items, mode, part.Secret.Optional)
	case part.ConfigMap != nil:
		values, err := w.configMap(ctx, pod.Namespace, part.ConfigMap.Name, part.ConfigMap.Optional)
		if err != nil {
			return nil, err
		}
		return chosen(values, part.ConfigMap.Items, mode, part.ConfigMap.Optional)
	case part.DownwardAPI != nil:
		return described(pod, part.DownwardAPI.Items, mode)
	case part.ServiceAccountToken != nil:
		return w.token(ctx, pod, part.ServiceAccountToken, mode)
	}
	return nil, fmt.Errorf("a source of a projected volume is not played")
}

// token is one of the pod's service account, which ends with the pod.
func (w *worker) token(ctx context.Context, pod *corev1.Pod, source *corev1.ServiceAccountTokenProjection, mode *int32) (map[string]file, error) {
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: source.ExpirationSeconds,
		BoundObjectRef:    &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID},
	}}
	if source.Audience != "" {
		request.Spec.Audiences = []string{source.Audience}
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	accounts := w.player.client.CoreV1().ServiceAccounts(pod.Namespace)
	answer, err := accounts.CreateToken(ctx, pod.Spec.ServiceAccountName, request, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("token of service account %s: %w", pod.Spec.ServiceAccountName, err)
	}
	token := file{content: answer.Status.Token, mode: permissions(nil, mode)}
	// A token is for one user alone if all containers are that user's.
	if owner := theUser(pod); fsGroup(pod) != nil {
		token.mode = 0o600 // and the group
	} else if owner != nil {
		token.mode, token.owner = 0o600, int(*owner)
	}
	return map[string]file{source.Path: token}, nil
}

// theUser is the one as whom all containers run, if the pod says so.
func theUser(pod *corev1.Pod) *int64 {
	users := map[int64]bool{}
	for i := range pod.Spec.Containers {
		user := security(pod, &pod.Spec.Containers[i]).RunAsUser
		if user == nil {
			return nil
		}
		users[*user] = true
	}
	if len(users) != 1 {
		return nil
	}
	return new(slices.Collect(maps.Keys(users))[0])
}

// permissions are a file's own, or those of its volume.
func permissions(own, volumes *int32) os.FileMode {
	return os.FileMode(ptr.Deref(own, ptr.Deref(volumes, 0o644)))
}

// chosen are the files of a Secret or ConfigMap.
func chosen(values map[string]string, items []corev1.KeyToPath, mode *int32, optional *bool) (map[string]file, error) {
	files := map[string]file{}
	if len(items) == 0 {
		for key, value := range values {
			files[key] = file{content: value, mode: permissions(nil, mode)}
		}
		return files, nil
	}
	for _, item := range items {
		value, there := values[item.Key]
		switch {
		case there:
			files[item.Path] = file{content: value, mode: permissions(item.Mode, mode)}
		case !ptr.Deref(optional, false):
			return nil, fmt.Errorf("references non-existent key: %s", item.Key)
		}
	}
	return files, nil
}

// described are the files of the downward API.
func described(pod *corev1.Pod, items []corev1.DownwardAPIVolumeFile, mode *int32) (map[string]file, error) {
	files := map[string]file{}
	for _, item := range items {
		var value string
		var err error
		switch {
		case item.FieldRef != nil:
			value, err = field(pod, item.FieldRef.FieldPath)
		case item.ResourceFieldRef != nil:
			at := slices.IndexFunc(pod.Spec.Containers, func(c corev1.Container) bool { return c.Name == item.ResourceFieldRef.ContainerName })
			if at < 0 {
				return nil, fmt.Errorf("no container %s", item.ResourceFieldRef.ContainerName)
			}
			value, err = resource.ExtractContainerResourceValue(item.ResourceFieldRef, &pod.Spec.Containers[at])
		}
		if err != nil {
			return nil, err
		}
		files[item.Path] = file{content: value, mode: permissions(item.Mode, mode)}
	}
	return files, nil
}
