package class_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

func TestASchemaThatNoClassMayHave(t *testing.T) { // [X60] [X61]
	t.Parallel()
	const image = `{"properties": {"image": {"type": "string"}}}`
	for name, c := range map[string]struct {
		schema   string
		secrets  []string
		template v1alpha1.EnvironmentSpec
		says     string
	}{
		"a property that configures a provider": {schema: `{"properties": {"k8sconnect:kubeconfig": {"type": "string"}}}`, says: `spec.schema.properties has "k8sconnect:kubeconfig"`},
		"a property that is a path":             {schema: `{"properties": {"db.password": {"type": "string"}}}`, says: `spec.schema.properties has "db.password"`},
		"a secret that configures a provider":   {schema: image, secrets: []string{"k8sconnect:kubeconfig"}, says: `has "k8sconnect:kubeconfig"`},
		"any property":                          {schema: `{"x-kubernetes-preserve-unknown-fields": true}`, says: "may not allow all properties"},
		"any property of a type":                {schema: `{"additionalProperties": {"type": "string"}}`, says: "may not allow all properties"},
		"what is no object":                     {schema: `{"type": "string"}`, says: `spec.schema describes "string", and spec of an object is always an object`},
		"what is no schema":                     {schema: `{"properties": []}`, says: "spec.schema is no schema"},
		"a property that is a secret, too":      {schema: image, secrets: []string{"image"}, says: `"image" is in spec.secrets and in spec.schema.properties`},
		"what the template sets": {
			schema: image, template: v1alpha1.EnvironmentSpec{Config: map[string]apiextensionsv1.JSON{"image": {Raw: []byte(`"ours"`)}}},
			says: `tenants could set "image", and spec.template sets it already`,
		},
		"a secret that the template sets": {
			schema: image, secrets: []string{"token"}, template: v1alpha1.EnvironmentSpec{SecretConfig: map[string]v1alpha1.SecretConfigSource{"token": {}}},
			says: `tenants could set "token", and spec.template sets it already`,
		},
		"what the template has from an output": {
			schema: image, template: v1alpha1.EnvironmentSpec{ConfigFrom: map[string]v1alpha1.ConfigSource{"image": {}}},
			says: `tenants could set "image", and spec.template sets it already`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := class.Definition(&v1alpha1.EnvironmentClass{Spec: v1alpha1.EnvironmentClassSpec{
				Kind: v1alpha1.ClassKind{Kind: "Web", Plural: "webs"}, Schema: &apiextensionsv1.JSON{Raw: []byte(c.schema)}, Secrets: c.secrets, Template: c.template,
			}}, nil)
			assert.ErrorContains(t, err, c.says)
		})
	}
}
