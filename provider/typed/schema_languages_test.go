package typed

import (
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPackagesOfModules(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		modules []string
		want    map[string]string
	}{
		"the core group":                             {[]string{"core/v1"}, map[string]string{"core/v1": "core/v1"}},
		"what belongs to no kind is at the top":      {[]string{"index"}, map[string]string{}},
		"the first label of a group":                 {[]string{"cert-manager.io/v1"}, map[string]string{"cert-manager.io/v1": "certmanager/v1"}},
		"two versions":                               {[]string{"a.io/v1", "a.io/v1beta1"}, map[string]string{"a.io/v1": "a/v1", "a.io/v1beta1": "a/v1beta1"}},
		"a group of Kubernetes and its types":        {[]string{"networking.k8s.io/v1", "networking/v1"}, map[string]string{"networking.k8s.io/v1": "networking/v1", "networking/v1": "networking/v1"}},
		"two groups with the same first label":       {[]string{"flow.a.io/v1", "flow.b-c.io/v1"}, map[string]string{"flow.a.io/v1": "flowaio/v1", "flow.b-c.io/v1": "flowbcio/v1"}},
		"a group that begins like one of Kubernetes": {[]string{"apps.a.io/v1", "apps/v1"}, map[string]string{"apps.a.io/v1": "appsaio/v1", "apps/v1": "apps/v1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := schema.PackageSpec{Types: map[string]schema.ComplexTypeSpec{}}
			for _, module := range test.modules {
				spec.Types[base+":"+module+":It"] = schema.ComplexTypeSpec{}
			}
			assert.Equal(t, test.want, packagesOf(spec))
		})
	}
}

func TestLanguagesOfASchema(t *testing.T) {
	t.Parallel()
	spec := schema.PackageSpec{Resources: map[string]schema.ResourceSpec{base + ":apps/v1:Deployment": {}}}
	written, err := basePackage{version: "1.2.3"}.languages("web-kinds", "", spec)
	require.NoError(t, err)
	assert.JSONEq(t, `{"importBasePath": "web-kinds/webkinds", "moduleToPackage": {"apps/v1": "apps/v1"}, "packageImportAliases": {"web-kinds/webkinds/apps/v1": "appsv1"},
		"respectSchemaVersion": true, "generateResourceContainerTypes": false}`, string(written["go"]))
	assert.JSONEq(t, `{"packageName": "@k8sconnect/web-kinds", "moduleToPackage": {"apps/v1": "apps/v1"}, "providerNameToModuleName": {"k8sconnect": "@k8sconnect/pulumi"},
		"dependencies": {"@k8sconnect/pulumi": "^1.2.3", "@pulumi/pulumi": "^3.259.0"}, "respectSchemaVersion": true}`, string(written["nodejs"]))
	assert.JSONEq(t, `{"basePackage": "com.k8sconnect", "packages": {"apps/v1": "apps.v1", "k8sconnect": "webkinds"}, "buildFiles": "none"}`, string(written["java"]))
	assert.JSONEq(t, `{"rootNamespace": "K8sConnect", "namespaces": {"apps/v1": "WebKinds.Apps.V1", "k8sconnect": "WebKinds"}, "respectSchemaVersion": true}`, string(written["csharp"]))
	assert.Contains(t, string(written["python"]), `"packageName":"k8sconnect_web_kinds"`)

	written, err = basePackage{version: "1.2.3"}.languages("web-kinds", "example.com/shop/sdks/kinds", spec)
	require.NoError(t, err)
	assert.JSONEq(t, `{"importBasePath": "example.com/shop/sdks/kinds", "moduleToPackage": {"apps/v1": "apps/v1"}, "packageImportAliases": {"example.com/shop/sdks/kinds/apps/v1": "appsv1"},
		"respectSchemaVersion": true, "generateResourceContainerTypes": false}`, string(written["go"]))
}
