package class

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// EnvironmentName is the name of the Environment of an object. It does not depend on the object's uid: after a restore from a backup, the
// state is found.
func EnvironmentName(class *v1alpha1.EnvironmentClass, instance types.NamespacedName) string {
	hash := sha256.Sum256([]byte(class.Spec.Kind.Kind + "/" + instance.String()))
	name := strings.ReplaceAll(instance.Name, ".", "-")
	if len(name) > 29 {
		name = name[:29]
	}
	return strings.TrimRight(name, "-") + "-" + hex.EncodeToString(hash[:5])
}

// SecretName is the name of the Secret with copies of the values that an object names.
func SecretName(environment string) string { return environment + "-config" }

// OutputsSuffix ends the name of the Secret with the outputs, which begins with that of the object.
const OutputsSuffix = "-outputs"

// InstanceOf is the object that an Environment is for.
func InstanceOf(environment metav1.Object) types.NamespacedName {
	namespace, name, _ := strings.Cut(environment.GetAnnotations()[v1alpha1.AnnotationInstance], "/")
	return types.NamespacedName{Namespace: namespace, Name: name}
}

// IsFor says whether an Environment, or a Secret beside it, is for this object of a class.
func IsFor(class *v1alpha1.EnvironmentClass, instance types.NamespacedName, object metav1.Object) bool {
	return IsOf(class.Name, object) && InstanceOf(object) == instance
}

// Metadata is that of an Environment, or a Secret beside it.
func Metadata(class *v1alpha1.EnvironmentClass, instance *unstructured.Unstructured, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: class.Spec.Namespace, Name: name,
		Labels: map[string]string{v1alpha1.LabelClass: class.Name},
		Annotations: map[string]string{
			v1alpha1.AnnotationInstance:    instance.GetNamespace() + "/" + instance.GetName(),
			v1alpha1.AnnotationInstanceUID: string(instance.GetUID()),
		},
	}
}

// Environment is the Environment of an object on a revision, which does not get the withheld keys.
func Environment(
	class *v1alpha1.EnvironmentClass, revision *Revision, instance *unstructured.Unstructured, withheld []string,
) (*v1alpha1.Environment, error) {
	name := EnvironmentName(class, types.NamespacedName{Namespace: instance.GetNamespace(), Name: instance.GetName()})
	environment := &v1alpha1.Environment{ObjectMeta: Metadata(class, instance, name), Spec: *revision.Template.DeepCopy()}
	environment.Annotations[v1alpha1.AnnotationRevision] = revision.Name
	environment.Annotations[v1alpha1.AnnotationInstanceGeneration] = strconv.FormatInt(instance.GetGeneration(), 10)
	for _, steering := range []string{v1alpha1.AnnotationRetry, v1alpha1.AnnotationRun} {
		if value, has := instance.GetAnnotations()[steering]; has {
			environment.Annotations[steering] = value
		}
	}
	if environment.Spec.Program.Image == "" {
		environment.Spec.Program.ConfigMapRef.Name = revision.Name
	}

	config, err := fixed(environment.Spec.Config, instance)
	if err != nil {
		return nil, err
	}
	chosen, secrets := choices(class, instance)
	notGiven := slices.Concat(keysOf(&revision.Template), withheld)
	for key, value := range chosen {
		if slices.Contains(notGiven, key) || !propertyName.MatchString(key) {
			continue
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("encode spec.%s: %w", key, err)
		}
		config[key] = apiextensionsv1.JSON{Raw: raw}
	}
	environment.Spec.Config = config
	for key := range secrets {
		if slices.Contains(notGiven, key) {
			continue
		}
		if environment.Spec.SecretConfig == nil {
			environment.Spec.SecretConfig = map[string]v1alpha1.SecretConfigSource{}
		}
		environment.Spec.SecretConfig[key] = v1alpha1.SecretConfigSource{SecretKeyRef: v1alpha1.SecretKeyReference{Name: SecretName(name), Key: key}}
	}
	return environment, nil
}

// choices are what a tenant has set: values, and keys of Secrets.
func choices(class *v1alpha1.EnvironmentClass, instance *unstructured.Unstructured) (map[string]any, map[string]v1alpha1.SecretKeyReference) {
	spec, _, _ := unstructured.NestedMap(instance.Object, "spec")
	values, secrets := maps.Clone(spec), map[string]v1alpha1.SecretKeyReference{}
	for key, value := range spec {
		if !slices.Contains(class.Spec.Secrets, key) {
			continue
		}
		delete(values, key)
		if source, is := value.(map[string]any); is {
			name, _, _ := unstructured.NestedString(source, "secretKeyRef", "name")
			of, _, _ := unstructured.NestedString(source, "secretKeyRef", "key")
			secrets[key] = v1alpha1.SecretKeyReference{Name: name, Key: of}
		}
	}
	return values, secrets
}

// Secrets are the keys of Secrets that an object names, by the property that names them.
func Secrets(class *v1alpha1.EnvironmentClass, instance *unstructured.Unstructured) map[string]v1alpha1.SecretKeyReference {
	_, secrets := choices(class, instance)
	return secrets
}

// CopiedSecret has the values of these keys, in the namespace of the platform team.
func CopiedSecret(class *v1alpha1.EnvironmentClass, instance *unstructured.Unstructured, values map[string][]byte) *corev1.Secret {
	name := EnvironmentName(class, types.NamespacedName{Namespace: instance.GetNamespace(), Name: instance.GetName()})
	return &corev1.Secret{ObjectMeta: Metadata(class, instance, SecretName(name)), Data: values}
}

// fixed is the configuration that the platform team has set.
func fixed(config map[string]apiextensionsv1.JSON, instance *unstructured.Unstructured) (map[string]apiextensionsv1.JSON, error) {
	replacer := strings.NewReplacer("{{ namespace }}", instance.GetNamespace(), "{{ name }}", instance.GetName())
	filled := map[string]apiextensionsv1.JSON{}
	for key, value := range config {
		if !strings.Contains(string(value.Raw), "{{ ") {
			filled[key] = value
			continue
		}
		var decoded any
		if err := json.Unmarshal(value.Raw, &decoded); err != nil {
			return nil, fmt.Errorf("decode template.config.%s: %w", key, err)
		}
		raw, err := json.Marshal(fill(decoded, replacer))
		if err != nil {
			return nil, fmt.Errorf("encode template.config.%s: %w", key, err)
		}
		filled[key] = apiextensionsv1.JSON{Raw: raw}
	}
	return filled, nil
}

func fill(value any, replacer *strings.Replacer) any {
	switch value := value.(type) {
	case string:
		return replacer.Replace(value)
	case []any:
		for i := range value {
			value[i] = fill(value[i], replacer)
		}
	case map[string]any:
		for key := range value {
			value[key] = fill(value[key], replacer)
		}
	}
	return value
}
