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
	names := namesOf(objects)

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
	t.Run("do not depend on the order [M53]", func(t *testing.T) {
		t.Parallel()
		backwards := make([]manifest.Identity, len(objects))
		for i := range objects {
			backwards[len(objects)-1-i] = objects[i]
		}
		for i, name := range namesOf(backwards) {
			assert.Equal(t, names[len(objects)-1-i], name)
		}
	})
}
