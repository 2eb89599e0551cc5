package converter

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

func TestNames(t *testing.T) {
	t.Parallel()
	objects := []manifest.Identity{
		{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"},
		{APIVersion: "v1", Kind: "Namespace", Name: "shop"},
		{APIVersion: "v1", Kind: "Service", Namespace: "shop", Name: "web"},
		{APIVersion: "serving.knative.dev/v1", Kind: "Service", Namespace: "shop", Name: "web"},
		{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "a.b"},
		{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "a-b"},
		{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "Role", Namespace: "shop", Name: "system:reader"},
		{APIVersion: "v1", Kind: "ConfigMap", Namespace: "1st", Name: "a"},
		{APIVersion: "a.example/v1", Kind: "Widget", Namespace: "shop", Name: "a"},
		{APIVersion: "b.example/v1", Kind: "Widget", Namespace: "shop", Name: "a"},
	}
	names := namesOf(objects, nil)

	t.Run("are readable [M53]", func(t *testing.T) {
		t.Parallel()
		for i, want := range []string{
			"shop-deployment-web", "namespace-shop", "shop-service-web", "", "", "shop-configmap-a-b", "shop-role-system-reader", "n1st-configmap-a", "", "",
		} {
			if want != "" {
				assert.Equal(t, want, names[i])
			}
		}
	})
	t.Run("are unique, and variables in all languages [M53]", func(t *testing.T) {
		t.Parallel()
		seen := map[string]bool{}
		for _, name := range names {
			require.Regexp(t, regexp.MustCompile(`^[a-z][a-z0-9-]*$`), name)
			assert.False(t, seen[name], name)
			seen[name] = true
		}
	})
	t.Run("are those that Terraform's users know [M57]", func(t *testing.T) {
		t.Parallel()
		addresses := []string{
			"kubernetes_manifest.web", `module.shop["eu"].module.config.kubernetes_config_map_v1.settings["a.b"]`, "kubernetes_service.web[0]",
			"kubernetes_manifest.Web", `kubernetes_manifest.odd["Ä"]`, "kubernetes_manifest.module_a",
		}
		byObject := map[manifest.Identity]string{}
		for i, address := range addresses {
			byObject[objects[i]] = address
		}
		names := namesOf(objects[:len(addresses)+1], byObject)
		require.Regexp(t, "^kubernetes-manifest-web-[0-9a-f]{8}$", names[0])
		assert.Equal(t, "shop-eu-config-kubernetes-config-map-v1-settings-a-b", names[1])
		assert.Equal(t, "kubernetes-service-web-0", names[2])
		require.Regexp(t, "^kubernetes-manifest-web-[0-9a-f]{8}$", names[3])
		assert.NotEqual(t, names[0], names[3])
		assert.Equal(t, "kubernetes-manifest-odd", names[4])
		assert.Equal(t, "kubernetes-manifest-module-a", names[5])
		assert.Equal(t, "shop-role-system-reader", names[6], "one without an address")
	})
	t.Run("do not depend on the order [M53]", func(t *testing.T) {
		t.Parallel()
		backwards := make([]manifest.Identity, len(objects))
		for i := range objects {
			backwards[len(objects)-1-i] = objects[i]
		}
		for i, name := range namesOf(backwards, nil) {
			assert.Equal(t, names[len(objects)-1-i], name)
		}
	})
}
