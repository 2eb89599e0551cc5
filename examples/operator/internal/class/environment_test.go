package class_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

// A class refuses a template that sets what tenants can set, but an older revision may have one.
func TestNoObjectSetsWhatTheTemplateSets(t *testing.T) { // [X60]
	t.Parallel()
	const spec = `{"image": "theirs", "password": {"secretKeyRef": {"name": "theirs", "key": "p"}}}`
	ours, secret := apiextensionsv1.JSON{Raw: []byte(`"ours"`)}, v1alpha1.SecretConfigSource{SecretKeyRef: v1alpha1.SecretKeyReference{Name: "ours", Key: "p"}}
	for name, c := range map[string]struct {
		template         v1alpha1.EnvironmentSpec
		theirs, asSecret []string
	}{
		"neither a value nor a secret, with none": {v1alpha1.EnvironmentSpec{}, []string{"image"}, []string{"password"}},
		"a value, by a value":                     {v1alpha1.EnvironmentSpec{Config: map[string]apiextensionsv1.JSON{"image": ours}}, nil, []string{"password"}},
		"a value, by a secret":                    {v1alpha1.EnvironmentSpec{SecretConfig: map[string]v1alpha1.SecretConfigSource{"image": secret}}, nil, []string{"password"}},
		"a value, by an output":                   {v1alpha1.EnvironmentSpec{ConfigFrom: map[string]v1alpha1.ConfigSource{"image": {}}}, nil, []string{"password"}},
		"a secret, by a value":                    {v1alpha1.EnvironmentSpec{Config: map[string]apiextensionsv1.JSON{"password": ours}}, []string{"image"}, nil},
		"a secret, by a secret":                   {v1alpha1.EnvironmentSpec{SecretConfig: map[string]v1alpha1.SecretConfigSource{"password": secret}}, []string{"image"}, nil},
		"a secret, by an output":                  {v1alpha1.EnvironmentSpec{ConfigFrom: map[string]v1alpha1.ConfigSource{"password": {}}}, []string{"image"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := &unstructured.Unstructured{}
			require.NoError(t, instance.UnmarshalJSON([]byte(`{"apiVersion": "v1", "kind": "Web", "spec": `+spec+`}`)))
			of := &v1alpha1.EnvironmentClass{Spec: v1alpha1.EnvironmentClassSpec{Secrets: []string{"password"}}}
			environment, err := class.Environment(of, &class.Revision{Template: c.template}, instance, nil)
			require.NoError(t, err)
			config, secrets := maps.Clone(c.template.Config), maps.Clone(c.template.SecretConfig)
			if config == nil {
				config = map[string]apiextensionsv1.JSON{}
			}
			for _, key := range c.theirs {
				config[key] = apiextensionsv1.JSON{Raw: []byte(`"theirs"`)}
			}
			for _, key := range c.asSecret {
				if secrets == nil {
					secrets = map[string]v1alpha1.SecretConfigSource{}
				}
				secrets[key] = v1alpha1.SecretConfigSource{SecretKeyRef: v1alpha1.SecretKeyReference{Name: class.SecretName(environment.Name), Key: key}}
			}
			assert.Equal(t, config, environment.Spec.Config)
			assert.Equal(t, secrets, environment.Spec.SecretConfig)
		})
	}
}
