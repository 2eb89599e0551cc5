package class

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// Revision is a class as it was at a time. It is kept in a ConfigMap, which is the program of the Environments that are on it, unless the
// template names an image: they keep the old program until it is their turn.
type Revision struct {
	Name     string
	Template v1alpha1.EnvironmentSpec
	// Files are those of the program.
	Files map[string][]byte
}

// Snapshot is the ConfigMap of the revision that a class has with this program.
func Snapshot(class *v1alpha1.EnvironmentClass, program *corev1.ConfigMap) (*corev1.ConfigMap, error) {
	template, err := json.Marshal(class.Spec.Template)
	if err != nil {
		return nil, fmt.Errorf("encode spec.template: %w", err)
	}
	content, err := json.Marshal([]any{json.RawMessage(template), program.Data, program.BinaryData})
	if err != nil {
		return nil, fmt.Errorf("encode the program: %w", err)
	}
	hash := sha256.Sum256(content)
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: class.Spec.Namespace, Name: class.Name + "-" + hex.EncodeToString(hash[:5]),
			Labels:      map[string]string{v1alpha1.LabelClass: class.Name},
			Annotations: map[string]string{v1alpha1.AnnotationTemplate: string(template)},
		},
		Immutable: new(true),
		Data:      maps.Clone(program.Data), BinaryData: maps.Clone(program.BinaryData),
	}, nil
}

// Open reads a revision from its ConfigMap.
func Open(class string, snapshot *corev1.ConfigMap) (*Revision, error) {
	revision := &Revision{Name: snapshot.Name, Files: map[string][]byte{}}
	for name, content := range snapshot.Data {
		revision.Files[name] = []byte(content)
	}
	maps.Copy(revision.Files, snapshot.BinaryData)
	if !IsOf(class, snapshot) {
		return nil, fmt.Errorf("the ConfigMap %s/%s is not a revision of the class %s", snapshot.Namespace, snapshot.Name, class)
	}
	if err := json.Unmarshal([]byte(snapshot.Annotations[v1alpha1.AnnotationTemplate]), &revision.Template); err != nil {
		return nil, fmt.Errorf("the ConfigMap %s/%s has no template: %w", snapshot.Namespace, snapshot.Name, err)
	}
	return revision, nil
}

// IsOf says whether an object is one that a class made. A name proves nothing.
func IsOf(class string, object metav1.Object) bool {
	return class != "" && object.GetLabels()[v1alpha1.LabelClass] == class
}
