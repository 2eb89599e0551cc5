package sets

import (
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
)

const accountOf = "apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: web }\n"

const serviceOf = "apiVersion: v1\nkind: Service\nmetadata: { name: web }\n"

func TestReferencesFollowObjectsIntoTheNamespaceOfTheSet(t *testing.T) { // [D70]
	t.Parallel()
	binding := "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: { name: web }\n" +
		"subjects: [{ kind: User, name: web, namespace: argocd }, { kind: ServiceAccount, name: web, namespace: argocd }]\n"
	webhook := "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: { name: web }\n" +
		"webhooks: [{ name: a, clientConfig: { service: { name: web, namespace: argocd } } }]\n"
	of := func(t *testing.T, namespace property.Value, fixed bool, texts ...string) Set {
		t.Helper()
		var documents []sources.Document
		for _, text := range texts {
			var object map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(text), &object))
			documents = append(documents, sources.Document{Place: "a file", Object: object})
		}
		found, _, wrong := sources.Collect(documents, false)
		require.Empty(t, wrong)
		s, wrong := Of(property.NewMap(map[string]property.Value{keyNamespace: namespace}), Documents{Found: found, Fixed: fixed}, "default")
		require.Empty(t, wrong)
		return s
	}
	lead := func(s Set) (to []any) {
		for _, o := range s.Objects {
			for _, r := range referencesIn(o.Manifest) {
				to = append(to, r.to["namespace"])
			}
		}
		return to
	}
	shop := property.New("shop")
	for name, c := range map[string]struct {
		namespace property.Value
		documents []string
		fixed     bool
		to        any
		warns     bool
	}{
		"a subject of a binding":                      {shop, []string{accountOf, binding}, false, "shop", false},
		"the service of a webhook":                    {shop, []string{serviceOf, webhook}, false, "shop", false},
		"the service of an API":                       {shop, []string{serviceOf, "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: { name: v1.a.b }\nspec: { service: { name: web, namespace: argocd } }\n"}, false, "shop", false},
		"the service of a conversion":                 {shop, []string{serviceOf, "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: as.b.c }\nspec: { group: b.c, names: { kind: A, plural: as }, scope: Namespaced, conversion: { strategy: Webhook, webhook: { clientConfig: { service: { name: web, namespace: argocd } } } } }\n"}, false, "shop", false},
		"not to what the set does not have":           {shop, []string{binding}, false, "argocd", true},
		"not to another kind":                         {shop, []string{serviceOf, binding}, false, "argocd", true},
		"not to an object that stays":                 {shop, []string{"apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: web, namespace: argocd }\n", binding}, false, "argocd", false},
		"not where there is one that stays":           {shop, []string{accountOf, "apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: web, namespace: argocd }\n", binding}, false, "argocd", false},
		"to a namespace of the set without a warning": {shop, []string{"apiVersion: v1\nkind: Namespace\nmetadata: { name: argocd }\n", binding}, false, "argocd", false},
		"not without the input":                       {property.New(property.Null), []string{accountOf, binding}, false, "argocd", false},
		"not in a release, as with Helm":              {shop, []string{accountOf, binding}, true, "argocd", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := of(t, c.namespace, c.fixed, c.documents...)
			assert.Equal(t, []any{c.to}, lead(s))
			assert.Equal(t, c.warns, len(s.warnings) > 0, "%v", s.warnings)
		})
	}
	t.Run("and are secret or unknown as the namespace is", func(t *testing.T) {
		t.Parallel()
		s := of(t, shop.WithSecret(true), false, accountOf, binding)
		at := slices.IndexFunc(s.Objects, func(o Object) bool { return o.Key == "rbac.authorization.k8s.io/ClusterRoleBinding.web" })
		require.GreaterOrEqual(t, at, 0)
		path := property.PathFromSegments(property.NewSegment("subjects"), property.NewSegment(1), property.NewSegment("namespace"))
		assert.True(t, s.Objects[at].Secrets.IsSecret(path))
		unknown := lead(of(t, property.New(property.Computed), false, accountOf, binding))
		require.Len(t, unknown, 1)
		assert.True(t, values.IsUnknown(unknown[0]))
	})
}
