package tracked

import (
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

func TestWhatIsNotKnownOfAReference(t *testing.T) {
	t.Parallel()
	unknown := property.New(property.Computed)
	ref := property.New(map[string]property.Value{"apiVersion": property.New("v1"), "kind": unknown, "name": unknown, "uid": unknown})
	assert.Equal(t, UnknownIdentity{"kind", "name"}, UnknownIn(ref))
	assert.Equal(t, UnknownIdentity{"apiVersion", "kind", "namespace", "name"}, UnknownIn(unknown))
	assert.Empty(t, UnknownIn(property.Value{}))
	assert.Empty(t, UnknownIn(property.New("text")))
}

func TestAnUnknownNamespaceOfAClusterScopedKindIsNoOtherObject(t *testing.T) {
	t.Parallel()
	namespace := manifest.Identity{APIVersion: "v1", Kind: "Namespace", Name: "shop"}
	assert.Empty(t, UnknownIdentity{"namespace"}.Apart(namespace))
	assert.Equal(t, UnknownIdentity{"kind", "namespace"}, UnknownIdentity{"kind", "namespace"}.Apart(namespace))
	assert.Equal(t, UnknownIdentity{"namespace"}, UnknownIdentity{"namespace"}.Apart(namespace.In("blog")))
	assert.Empty(t, UnknownIdentity{"name"}.Apart(manifest.Identity{}), "there is no object yet")
}

func TestOnlyWhatIsKnownMakesAnotherObject(t *testing.T) {
	t.Parallel()
	was := manifest.Identity{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "web"}
	at := func(part string) string { return "at " + part }
	is := was
	is.Name = ""
	_, replaced := IdentityDiff(was, is, UnknownIdentity{"name"}, at, p.PropertyDiff{})
	assert.False(t, replaced)
	is.Kind = "Secret"
	diff, replaced := IdentityDiff(was, is, UnknownIdentity{"name"}, at, p.PropertyDiff{InputDiff: true})
	assert.True(t, replaced)
	assert.Equal(t, map[string]p.PropertyDiff{"at kind": {Kind: p.UpdateReplace, InputDiff: true}}, diff.DetailedDiff)
}
