package kubelet

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubectl/pkg/util/fieldpath"
	"k8s.io/kubectl/pkg/util/resource"
	"k8s.io/utils/ptr"
)

// environment are the variables of a container: those of its image, of the Service of the API server, of envFrom and
// of env; later ones win.
func (w *worker) environment(ctx context.Context, pod *corev1.Pod, c *corev1.Container, image Image) (map[string]string, error) {
	all := map[string]string{
		"PATH":                    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOSTNAME":                pod.Name,
		"KUBERNETES_SERVICE_HOST": w.player.host,
		"KUBERNETES_SERVICE_PORT": w.player.port,
	}
	for _, variable := range image.Env {
		name, value, _ := strings.Cut(variable, "=")
		all[name] = value
	}
	for _, source := range c.EnvFrom {
		values, err := w.envFrom(ctx, pod.Namespace, source)
		if err != nil {
			return nil, err
		}
		for name, value := range values {
			all[source.Prefix+name] = value
		}
	}
	for _, variable := range c.Env {
		value, there := expand(variable.Value, all), true
		if variable.ValueFrom != nil {
			var err error
			if value, there, err = w.valueFrom(ctx, pod, c, variable.ValueFrom); err != nil {
				return nil, err
			}
		}
		if there {
			all[variable.Name] = value
		}
	}
	return all, nil
}

func (w *worker) envFrom(ctx context.Context, namespace string, source corev1.EnvFromSource) (map[string]string, error) {
	switch {
	case source.ConfigMapRef != nil:
		return w.configMap(ctx, namespace, source.ConfigMapRef.Name, source.ConfigMapRef.Optional)
	case source.SecretRef != nil:
		return w.secret(ctx, namespace, source.SecretRef.Name, source.SecretRef.Optional)
	}
	return nil, nil
}

// valueFrom is the value of a variable; an optional one may be missing.
func (w *worker) valueFrom(ctx context.Context, pod *corev1.Pod, c *corev1.Container, source *corev1.EnvVarSource) (value string, there bool, err error) {
	var values map[string]string
	var key, object string
	var optional *bool
	switch {
	case source.FieldRef != nil:
		value, err = field(pod, source.FieldRef.FieldPath)
		return value, true, err
	case source.ResourceFieldRef != nil:
		value, err = resource.ExtractContainerResourceValue(source.ResourceFieldRef, c)
		return value, true, err
	case source.SecretKeyRef != nil:
		ref := source.SecretKeyRef
		key, object, optional = ref.Key, "Secret "+pod.Namespace+"/"+ref.Name, ref.Optional
		values, err = w.secret(ctx, pod.Namespace, ref.Name, optional)
	case source.ConfigMapKeyRef != nil:
		ref := source.ConfigMapKeyRef
		key, object, optional = ref.Key, "ConfigMap "+pod.Namespace+"/"+ref.Name, ref.Optional
		values, err = w.configMap(ctx, pod.Namespace, ref.Name, optional)
	}
	if err != nil {
		return "", false, err
	}
	value, there = values[key]
	if !there && !ptr.Deref(optional, false) {
		return "", false, fmt.Errorf("couldn't find key %s in %s", key, object)
	}
	return value, there, nil
}

// field is a field of the pod, those of its status and node included, which a kubelet knows first.
func field(pod *corev1.Pod, path string) (string, error) {
	switch path {
	case "spec.nodeName":
		return pod.Spec.NodeName, nil
	case "spec.serviceAccountName":
		return pod.Spec.ServiceAccountName, nil
	case "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs":
		return address, nil
	}
	return fieldpath.ExtractFieldPathAsString(pod, path)
}

// secret are the values of a Secret, none if it is missing and optional.
func (w *worker) secret(ctx context.Context, namespace, name string, optional *bool) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	secret, err := w.player.client.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) && ptr.Deref(optional, false) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for key, value := range secret.Data {
		values[key] = string(value)
	}
	return values, nil
}

// configMap are the values of a ConfigMap, none if it is missing and optional.
func (w *worker) configMap(ctx context.Context, namespace, name string, optional *bool) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	configMap, err := w.player.client.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) && ptr.Deref(optional, false) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	values := maps.Clone(configMap.Data)
	if values == nil {
		values = map[string]string{}
	}
	for key, value := range configMap.BinaryData {
		values[key] = string(value)
	}
	return values, nil
}

// expand replaces $(NAME) by the variable's value, if there is one; $$ is a dollar.
func expand(text string, variables map[string]string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		if strings.HasPrefix(rest, "$$") {
			out.WriteByte('$')
			i++
			continue
		}
		if strings.HasPrefix(rest, "$(") {
			if name, _, closed := strings.Cut(rest[2:], ")"); closed {
				if value, there := variables[name]; there {
					out.WriteString(value)
					i += len(name) + 2
					continue
				}
			}
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// command is what a container runs.
func command(c *corev1.Container, image Image, variables map[string]string) []string {
	args := slices.Concat(c.Command, c.Args)
	if len(c.Command) == 0 {
		args = slices.Concat(image.Entrypoint, c.Args)
	}
	for i := range args {
		args[i] = expand(args[i], variables)
	}
	return args
}
