package sets

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
)

func TestAnObjectHasTwoKeysInItsNamespace(t *testing.T) { // [M1]
	t.Parallel()
	config := func(name, namespace string) sources.Document {
		metadata := map[string]any{"name": name}
		if namespace != "" {
			metadata["namespace"] = namespace
		}
		return sources.Document{Place: name + " in " + namespace, Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}}
	}
	of := func(given property.Value, documents ...sources.Document) (otherwise []string, mistakes int) {
		found, _, wrong := sources.Collect(documents, false)
		require.Empty(t, wrong)
		s, wrong := Of(property.NewMap(map[string]property.Value{keyNamespace: given}), Documents{Found: found}, "default")
		for _, o := range s.Objects {
			otherwise = append(otherwise, o.Otherwise)
		}
		return otherwise, len(wrong)
	}
	for name, c := range map[string]struct {
		given     property.Value
		documents []sources.Document
		otherwise []string
		mistakes  int
	}{
		"with the namespace that it does not name":   {property.New("shop"), []sources.Document{config("a", "")}, []string{"ConfigMap.shop.a"}, 0},
		"without the namespace that it names":        {property.New("shop"), []sources.Document{config("a", "shop")}, []string{"ConfigMap.a"}, 0},
		"not in another namespace":                   {property.New("shop"), []sources.Document{config("a", "other")}, []string{""}, 0},
		"in the default namespace":                   {property.New(property.Null), []sources.Document{config("a", "")}, []string{"ConfigMap.default.a"}, 0},
		"not while the namespace is not known":       {property.New(property.Computed), []sources.Document{config("a", "")}, []string{""}, 0},
		"not where another object has the key":       {property.New("shop"), []sources.Document{config("a", ""), config("shop.a", "")}, []string{"", "ConfigMap.shop.shop.a"}, 0},
		"so it must not be there twice":              {property.New("shop"), []sources.Document{config("a", ""), config("a", "shop")}, nil, 1},
		"nor in a namespace that is secret":          {property.New("shop").WithSecret(true), []sources.Document{config("a", ""), config("a", "shop")}, nil, 1},
		"of which no key has the name":               {property.New("shop").WithSecret(true), []sources.Document{config("a", "")}, []string{""}, 0},
		"nor in the default namespace":               {property.New(property.Null), []sources.Document{config("a", "default"), config("a", "")}, nil, 1},
		"but it may be in another namespace as well": {property.New("shop"), []sources.Document{config("a", "default"), config("a", "")}, []string{"", "ConfigMap.shop.a"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			otherwise, mistakes := of(c.given, c.documents...)
			assert.Equal(t, c.otherwise, otherwise)
			assert.Equal(t, c.mistakes, mistakes)
		})
	}
}

func TestTheScopeOfACustomKindIsKnownFromItsDefinitionAlone(t *testing.T) { // [D112]
	t.Parallel()
	document := func(apiVersion, kind string) sources.Document {
		return sources.Document{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": "it"}}}
	}
	definition := func(scope string) sources.Document {
		d := document("apiextensions.k8s.io/v1", "CustomResourceDefinition")
		d.Object["spec"] = map[string]any{"group": "example.net", "scope": scope, "names": map[string]any{"kind": "Pool", "plural": "pools"}}
		return d
	}
	for name, c := range map[string]struct {
		documents []sources.Document
		namespace any
		assumed   bool
	}{
		"a kind that is defined elsewhere":            {[]sources.Document{document("example.net/v1", "Pool")}, "shop", true},
		"a namespaced one that is defined in the set": {[]sources.Document{document("example.net/v1", "Pool"), definition("Namespaced")}, "shop", false},
		"a cluster-scoped one":                        {[]sources.Document{document("example.net/v1", "Pool"), definition("Cluster")}, nil, false},
		"one of Kubernetes itself":                    {[]sources.Document{document("v1", "ConfigMap")}, "shop", false},
		"a cluster-scoped one of Kubernetes itself":   {[]sources.Document{document("storage.k8s.io/v1", "StorageClass")}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, _, wrong := sources.Collect(c.documents, false)
			require.Empty(t, wrong)
			s, wrong := Of(property.NewMap(map[string]property.Value{keyNamespace: property.New("shop")}), Documents{Found: found}, "default")
			require.Empty(t, wrong)
			namespace, _ := at(s.Objects[0].Manifest, namespacePath)
			assert.Equal(t, c.namespace, namespace)
			assert.Equal(t, c.assumed, s.Objects[0].NamespaceAssumed)
		})
	}
}
