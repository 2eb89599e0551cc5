package kinds

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// eachField visits the fields of a Go type as an object has them, with one key in each map and one item in each list.
func eachField(t reflect.Type, path []any, above []reflect.Type, visit func(path []any, t reflect.Type)) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if visit(path, t); slices.Contains(above, t) || t == reflect.TypeFor[resource.Quantity]() || t == reflect.TypeFor[[]byte]() {
		return
	}
	at := func(segment any) []any { return append(slices.Clip(path), segment) }
	above = append(slices.Clip(above), t)
	switch t.Kind() {
	case reflect.Map:
		eachField(t.Elem(), at("x"), above, visit)
	case reflect.Slice:
		eachField(t.Elem(), at(0), above, visit)
	case reflect.Struct:
		for field := range t.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			switch {
			case name != "" && name != "-":
				eachField(field.Type, at(name), above, visit)
			case field.Anonymous:
				eachField(field.Type, path, above, visit)
			}
		}
	default:
	}
}

func TestEncodedValuesAreOfTheTypesThatClientGoKnows(t *testing.T) {
	found := map[string]bool{}
	for kind, object := range scheme.Scheme.AllKnownTypes() {
		eachField(object, nil, nil, func(path []any, typ reflect.Type) {
			if value := EncodedValue(kind.GroupKind(), path); value != nil {
				assert.Equal(t, typ, reflect.TypeOf(value).Elem(), "%s %v [O50]", kind, path)
				found[kind.Kind] = true
			} else if typ == reflect.TypeFor[resource.Quantity]() && isCommon(kind.GroupKind()) && !slices.Contains(path, any("status")) {
				assert.Failf(t, "a quantity is not known", "%s %v [O50]", kind, path)
			}
		})
	}
	for _, kind := range []string{
		"ConfigMap", "CronJob", "DaemonSet", "Deployment", "HorizontalPodAutoscaler", "Job", "LimitRange",
		"MutatingWebhookConfiguration", "PersistentVolume", "PersistentVolumeClaim", "Pod", "ResourceQuota",
		"Secret", "StatefulSet",
	} {
		assert.True(t, found[kind], kind)
	}
}

// isCommon reports whether all quantities of a kind are known.
func isCommon(kind schema.GroupKind) bool {
	_, hasPods := PodTemplate(kind)
	return hasPods || slices.Contains([]string{"LimitRange", "PersistentVolume", "PersistentVolumeClaim", "ResourceQuota"}, kind.Kind)
}

func TestOnlyFieldsOfKubernetesItselfAreEncodedValues(t *testing.T) {
	for _, c := range []struct {
		sentence, kind string
		path           []any
		is             bool
	}{
		{"a limit of a container", "Deployment.apps", []any{"spec", "containers", 0, "resources", "limits", "cpu"}, true},
		{"a field of a custom kind", "Gadget.example.com", []any{"spec", "limits", "cpu"}, false},
		{"an annotation", "Pod", []any{"metadata", "annotations", "limits"}, false},
		{"a value of a Secret", "Secret", []any{"data", "key"}, true},
		{"a text of a ConfigMap", "ConfigMap", []any{"data", "limits"}, false},
		{"a schema in a definition", "CustomResourceDefinition.apiextensions.k8s.io", []any{"default", "a"}, false},
		{"a field at the top", "LimitRange", []any{"limits"}, false},
	} {
		t.Run(c.sentence+" [O50]", func(t *testing.T) {
			assert.Equal(t, c.is, EncodedValue(schema.ParseGroupKind(c.kind), c.path) != nil)
		})
	}
}
