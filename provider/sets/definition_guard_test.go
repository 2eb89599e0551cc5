package sets

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

func definitionNamed(kind, plural, annotations string) Object {
	return Object{Key: "apiextensions.k8s.io/CustomResourceDefinition." + plural + ".example.com", Manifest: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": plural + ".example.com", "annotations": map[string]any{"helm.sh/resource-policy": annotations}},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced", "names": map[string]any{"kind": kind, "plural": plural},
			"versions": []any{
				map[string]any{"name": "v2", "served": true}, map[string]any{"name": "v1", "served": true, "storage": true},
				map[string]any{"name": "v0", "served": false},
			},
		},
	}}
}

func TestAGuardLooksForObjectsThatWouldBeLost(t *testing.T) { // [M6]
	object := func(kind, namespace, name string) Object {
		metadata := map[string]any{"name": name}
		if namespace != "" {
			metadata["namespace"] = namespace
		}
		return Object{Key: kind + name, Manifest: map[string]any{"apiVersion": "example.com/v2", "kind": kind, "metadata": metadata}}
	}
	retained, allowed := definitionNamed("Retained", "retaineds", ""), definitionNamed("Allowed", "alloweds", "")
	retained.Retained = true
	allowed.Options = map[string]property.Value{keyDeleteInstances: property.New(true)}
	set := Set{Objects: []Object{
		definitionNamed("Box", "boxes", ""), definitionNamed("Kept", "kepts", "Keep"), retained, allowed,
		object("Box", "prod", "one"), object("Box", "", "two"), object("Kept", "prod", "three"),
	}}
	definitions, instances := set.guarded()
	assert.Equal(t, map[string]definition{
		"apiextensions.k8s.io/CustomResourceDefinition.boxes.example.com": {
			name: "boxes.example.com", group: "example.com", version: "v1", resource: "boxes", kind: "Box",
		},
	}, definitions)
	assert.Equal(t, map[string]instance{"Boxone": {"Box.example.com", "prod", "one"}, "Boxtwo": {"Box.example.com", "", "two"}}, instances)

	t.Run("and not where the definition looks first itself, because nothing else would be deleted", func(t *testing.T) {
		alone := Set{Objects: []Object{definitionNamed("Box", "boxes", ""), definitionNamed("Crate", "crates", ""), object("Box", "prod", "one")}}
		definitions, instances := alone.guarded()
		assert.Empty(t, definitions)
		assert.Empty(t, instances)
	})

	t.Run("one without a namespace is in the default one, or cluster-scoped", func(t *testing.T) {
		given, err := values.ToProperty([]any{map[string]any{"kind": "Box.example.com", "namespace": "", "name": "two"}}, values.Marks{})
		assert.NoError(t, err)
		assert.Equal(t, map[instance]bool{{"Box.example.com", "", "two"}: true, {"Box.example.com", "shop", "two"}: true}, instancesIn(given, "shop"))
	})
}
