package class

import (
	"maps"
	"reflect"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
)

// Unknown are the keys that an object has and the program of a revision does not know. It refuses to run with them.
func Unknown(revision *Revision, instance *unstructured.Unstructured) []string {
	project, err := stack.Project(revision.Files, "")
	if err != nil {
		return nil // It does not run in any case.
	}
	spec, _, _ := unstructured.NestedMap(instance.Object, "spec")
	return stack.Unknown(project, revision.Files, slices.Collect(maps.Keys(spec)))
}

// Withheld are the unknown keys that a revision does not get, because nobody has meant them for it: the newest revision brings them, or they
// are defaults of the kind. What a tenant has set, and the newest program does not know any more either, is not among them: without it, the
// program would do something else than the object says.
func Withheld(unknown []string, newest *Revision, kind *apiextensionsv1.CustomResourceDefinition, instance *unstructured.Unstructured) []string {
	lost := unknown
	if newest != nil {
		lost = Unknown(newest, instance)
	}
	var withheld []string
	for _, key := range unknown {
		if !slices.Contains(lost, key) || isDefault(kind, instance, key) {
			withheld = append(withheld, key)
		}
	}
	return withheld
}

// isDefault says whether an object has the default of its kind under a key.
func isDefault(kind *apiextensionsv1.CustomResourceDefinition, instance *unstructured.Unstructured, key string) bool {
	if len(kind.Spec.Versions) == 0 || kind.Spec.Versions[0].Schema == nil {
		return false
	}
	property := kind.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties[key]
	if property.Default == nil {
		return false
	}
	value, _, _ := unstructured.NestedFieldNoCopy(instance.Object, "spec", key)
	var byDefault any
	return json.Unmarshal(property.Default.Raw, &byDefault) == nil && reflect.DeepEqual(value, byDefault)
}
