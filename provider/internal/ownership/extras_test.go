package ownership_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

func TestExtrasAreTheOutermostThingsThatStandForThemselves(t *testing.T) {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Thing"}}
	entry := func(manager, subresource, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Subresource: subresource,
			FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields),
		}
	}
	object.SetManagedFields([]metav1.ManagedFieldsEntry{
		entry("helm", "", `{"f:metadata":{"f:finalizers":{".":{},"v:\"a\"":{}}},"f:spec":{"f:replicas":{},"f:template":{
			"k:{\"name\":\"web\"}":{".":{},"f:name":{},"f:env":{".":{},"k:{\"name\":\"A\"}":{".":{},"f:name":{}}}},
			"k:{\"name\":\"app\"}":{".":{},"f:name":{},"f:image":{},"f:env":{"k:{\"name\":\"B\"}":{".":{},"f:name":{}}}}},
			"f:names":{"v:\"x\"":{}}},"f:data":{".":{},"f:a":{},"f:b":{}}}`),
		entry("edit", "", `{"f:spec":{"f:template":{"k:{\"name\":\"web\"}":{"f:image":{}}}}}`),
		entry("controller", "status", `{"f:spec":{"f:template":{"k:{\"name\":\"other\"}":{".":{}}}}}`),
	})
	known, err := ownership.Decode(`{"f:spec":{"f:template":{"k:{\"name\":\"app\"}":{".":{},"f:name":{}}}},"f:data":{"f:a":{}}}`)
	require.NoError(t, err)
	extras, err := ownership.Extras(object, known)
	require.NoError(t, err)
	found := map[string][]string{}
	for _, extra := range extras {
		found[ownership.Format(extra.Path)] = extra.Owners
	}
	assert.Equal(t, map[string][]string{
		"data.b":                              {"helm"},
		`spec.names[="x"]`:                    {"helm"},
		"spec.template[name=app].env[name=B]": {"helm"},
		"spec.template[name=web]":             {"helm", "edit"},
	}, found)
}
