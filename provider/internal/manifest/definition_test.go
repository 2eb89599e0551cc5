package manifest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestWhatADefinitionDefines(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		kind    schema.GroupKind
		cluster bool
		ok      bool
	}{
		"cluster-scoped": {
			"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {group: a.b, scope: Cluster, names: {kind: C}}}",
			schema.GroupKind{Group: "a.b", Kind: "C"}, true, true,
		},
		"namespaced": {
			"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {group: a.b, scope: Namespaced, names: {kind: C}}}",
			schema.GroupKind{Group: "a.b", Kind: "C"}, false, true,
		},
		"without a scope": {
			"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {group: a.b, names: {kind: C}}}",
			schema.GroupKind{Group: "a.b", Kind: "C"}, false, false,
		},
		"another kind": {"{apiVersion: a.b/v1, kind: CustomResourceDefinition, spec: {group: a.b, scope: Cluster, names: {kind: C}}}",
			schema.GroupKind{}, false, false},
	} {
		t.Run(name+" [F5]", func(t *testing.T) {
			object, err := ParseYAML(c.text)
			require.NoError(t, err)
			kind, cluster, ok := Defined(object)
			assert.Equal(t, c.ok, ok)
			assert.Equal(t, c.kind, kind)
			assert.Equal(t, c.cluster, cluster)
		})
	}
}
