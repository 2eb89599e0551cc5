package manifest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

func TestAnIDNamesOneObject(t *testing.T) {
	for id, want := range map[string]Identity{
		"apps/v1/Deployment/prod/web":                                      {"apps/v1", "Deployment", "prod", "web"},
		"v1/Namespace/prod":                                                {"v1", "Namespace", "", "prod"},
		"v1/ConfigMap/default/settings":                                    {"v1", "ConfigMap", "default", "settings"},
		"v1/ConfigMap/v1/v1":                                               {"v1", "ConfigMap", "v1", "v1"},
		"rbac.authorization.k8s.io/v1/ClusterRole/system:node":             {"rbac.authorization.k8s.io/v1", "ClusterRole", "", "system:node"},
		"rbac.authorization.k8s.io/v1/Role/kube-system/system:leader":      {"rbac.authorization.k8s.io/v1", "Role", "kube-system", "system:leader"},
		"apiextensions.k8s.io/v1/CustomResourceDefinition/widgets.acme.io": {"apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "widgets.acme.io"},
		"acme.io/v1beta1/Widget/prod/w.1":                                  {"acme.io/v1beta1", "Widget", "prod", "w.1"},
		"acme.io/stable/Widget/w":                                          {"acme.io/stable", "Widget", "", "w"},
	} {
		t.Run(id+" [O67]", func(t *testing.T) {
			identity, err := ParseID(id)
			require.NoError(t, err)
			assert.Equal(t, want, identity)
			assert.Equal(t, id, identity.String())
		})
	}
}

func TestAnIDThatCannotBeReadShowsHowOneLooks(t *testing.T) {
	for id, why := range map[string]string{
		"": "1 parts", "web": "1 parts", "prod/web": "2 parts", "Deployment/prod/web": "3 parts",
		"v1/Namespace": "2 parts", "v1/ConfigMap/a/b/c": "5 parts", "apps/v1/Deployment/a/b/c": "6 parts",
		"v1/ConfigMap//settings": "empty", "apps/v1/Deployment/prod/": "empty", "/v1/Namespace/prod": "empty",
		"v1/ConfigMap/prod/..": `".."`, "v1/ConfigMap/prod/a%2fb": `"a%2fb"`,
	} {
		t.Run("the ID "+id+" is refused [O67]", func(t *testing.T) {
			_, err := ParseID(id)
			require.ErrorContains(t, err, why)
			assert.ErrorContains(t, err, "apps/v1/Deployment/prod/web")
			assert.ErrorContains(t, err, "v1/Namespace/prod")
		})
	}
}

func TestTheIdentityIsReadFromTheObject(t *testing.T) {
	object := map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web", "namespace": "prod"},
	}
	identity := IdentityOf(object)
	assert.Equal(t, Identity{"apps/v1", "Deployment", "prod", "web"}, identity)
	assert.Equal(t, "apps", identity.Group())

	core := Identity{APIVersion: "v1"}
	assert.Equal(t, "", core.Group())

	for _, broken := range []map[string]any{
		nil, {"metadata": "x"}, {"metadata": values.Unknown{}},
		{"apiVersion": 1, "kind": values.Unknown{}, "metadata": map[string]any{"name": values.Unknown{}}},
	} {
		assert.Equal(t, Identity{}, IdentityOf(broken))
	}
}

func FuzzParseID(f *testing.F) {
	for _, id := range []string{
		"apps/v1/Deployment/prod/web", "v1/Namespace/prod", "v1/v1/v1/v1", "rbac.authorization.k8s.io/v1/ClusterRole/system:node",
		"v1/ConfigMap//x", "a/v1/b/c", "é/v1/ü/ß",
	} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		identity, err := ParseID(id)
		if err != nil {
			return
		}
		require.Equal(t, id, identity.String())
		again, err := ParseID(identity.String())
		require.NoError(t, err)
		require.Equal(t, identity, again)
	})
}
