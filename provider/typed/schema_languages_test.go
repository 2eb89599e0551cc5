package typed

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPackagesOfModules(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		modules []string
		want    map[string]string
	}{
		"the core group":                                   {[]string{"core/v1"}, map[string]string{"core/v1": "core/v1"}},
		"what belongs to no kind is at the top":            {[]string{"index"}, map[string]string{}},
		"the first label of a group":                       {[]string{"cert-manager.io/v1"}, map[string]string{"cert-manager.io/v1": "certmanager/v1"}},
		"two versions":                                     {[]string{"a.io/v1", "a.io/v1beta1"}, map[string]string{"a.io/v1": "a/v1", "a.io/v1beta1": "a/v1beta1"}},
		"a group of Kubernetes and its types":              {[]string{"networking.k8s.io/v1", "networking/v1"}, map[string]string{"networking.k8s.io/v1": "networking/v1", "networking/v1": "networking/v1"}},
		"two groups with the same first label":             {[]string{"flow.a.io/v1", "flow.b-c.io/v1"}, map[string]string{"flow.a.io/v1": "flow_a_io/v1", "flow.b-c.io/v1": "flow_b__c_io/v1"}},
		"two groups that differ in a hyphen":               {[]string{"a-b.io/v1", "ab.io/v1"}, map[string]string{"a-b.io/v1": "a__b_io/v1", "ab.io/v1": "ab_io/v1"}},
		"a group that begins like one of Kubernetes":       {[]string{"apps.a.io/v1", "apps/v1"}, map[string]string{"apps.a.io/v1": "apps_a_io/v1", "apps/v1": "apps/v1"}},
		"two groups under k8s.io with one first label":     {[]string{"gateway.k8s.io/v1", "gateway.networking.k8s.io/v1"}, map[string]string{"gateway.k8s.io/v1": "gateway_k8s_io/v1", "gateway.networking.k8s.io/v1": "gateway_networking_k8s_io/v1"}},
		"a group under k8s.io that is not Kubernetes' own": {[]string{"gateway.networking.k8s.io/v1"}, map[string]string{"gateway.networking.k8s.io/v1": "gateway/v1"}},
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
	assert.JSONEq(t, `{"rootNamespace": "K8sConnect", "namespaces": {"apps/v1": "Apps.V1", "k8sconnect": "WebKinds"}, "respectSchemaVersion": true}`, string(written["csharp"]))
	assert.Contains(t, string(written["python"]), `"packageName":"k8sconnect_web_kinds"`)

	written, err = basePackage{version: "1.2.3"}.languages("web-kinds", "example.com/shop/sdks/kinds", spec)
	require.NoError(t, err)
	assert.JSONEq(t, `{"importBasePath": "example.com/shop/sdks/kinds", "moduleToPackage": {"apps/v1": "apps/v1"}, "packageImportAliases": {"example.com/shop/sdks/kinds/apps/v1": "appsv1"},
		"respectSchemaVersion": true, "generateResourceContainerTypes": false}`, string(written["go"]))
}

func TestNamespacesOfModules(t *testing.T) {
	t.Parallel()
	packages := map[string]string{"networking.k8s.io/v1": "networking/v1", "networking/v1": "networking/v1", "core/v1": "core/v1", "a.io/v1": "a_io/v1"}
	assert.Equal(t, map[string]string{
		"k8sconnect": "WebKinds", "networking.k8s.io/v1": "Networking.V1", "networking/v1": "Networking.V1.Types", "core/v1": "Core.V1", "a.io/v1": "A_Io.V1",
	}, namespaces("web-kinds", packages))
}

// In a package, each class has a name of its own if each group has a package of its own.
func TestNoTwoGroupsShareAPackage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		spec := schema.PackageSpec{Types: map[string]schema.ComplexTypeSpec{}}
		label := rapid.StringMatching(`[ab](-?[ab])?`)
		for range rapid.IntRange(1, 6).Draw(t, "groups") {
			group := strings.Join(rapid.SliceOfN(label, 2, 3).Draw(t, "group"), ".")
			if rapid.Bool().Draw(t, "k8s.io") {
				group += ".k8s.io"
			}
			spec.Types[base+":"+group+"/v1:It"] = schema.ComplexTypeSpec{}
		}
		of, spaces := map[string]string{}, map[string]bool{}
		for _, space := range namespaces("kinds", packagesOf(spec)) {
			require.False(t, spaces[space], "two modules have the namespace %s", space)
			spaces[space] = true
		}
		for module, folder := range packagesOf(spec) {
			require.Empty(t, of[folder], "%s has the package %s", module, folder)
			of[folder] = module
		}
	})
}
