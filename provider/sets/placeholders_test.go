package sets

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// drawValue draws a value with secret and unknown values in it.
func drawValue(t *rapid.T, depth int) property.Value {
	kinds := []string{"text", "number", "flag", "null", "unknown"}
	if depth > 0 {
		kinds = append(kinds, "map", "map", "list")
	}
	var v property.Value
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "text":
		v = property.New(rapid.SampledFrom([]string{"", "a", "true", "1"}).Draw(t, "text"))
	case "number":
		v = property.New(float64(rapid.IntRange(-3, 1<<40).Draw(t, "number")))
	case "flag":
		v = property.New(rapid.Bool().Draw(t, "flag"))
	case "unknown":
		v = property.New(property.Computed)
	case "map":
		members := map[string]property.Value{}
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID).Draw(t, "keys") {
			members[key] = drawValue(t, depth-1)
		}
		v = property.New(members)
	case "list":
		var items []property.Value
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			items = append(items, drawValue(t, depth-1))
		}
		v = property.New(items)
	}
	return v.WithSecret(rapid.IntRange(0, 3).Draw(t, "secret") == 0)
}

func TestWhatIsMaskedAndRestoredIsWhatItWas(t *testing.T) { // [M20]
	rapid.Check(t, func(t *rapid.T) {
		given := drawValue(t, 4)
		plain, secrets, err := values.FromProperty(given)
		require.NoError(t, err)
		hiding := newPlaceholders()
		masked, maps := hiding.mask(plain, secrets)
		require.False(t, values.HasUnknown(masked))
		restored, found := hiding.restore(masked)
		for _, path := range maps {
			found.Add(path)
		}
		require.Equal(t, plain, restored)
		for path := range secrets.Secrets() {
			require.True(t, found.IsSecret(path), "%v", path)
		}
		for path := range found.Secrets() {
			require.True(t, secrets.IsSecret(path), "%v", path)
		}
	})
}

func TestATextWithAPlaceholderIsAllOfIt(t *testing.T) { // [M14]
	hiding := newPlaceholders()
	secret, unknown := hiding.hide(hidden{plain: "hush", secret: true}), hiding.hide(hidden{plain: values.Unknown{}})
	restored, secrets := hiding.restore(map[string]any{"image": "web:" + secret, "other": "web:" + unknown, "both": secret + unknown})
	object := restored.(map[string]any)
	assert.Equal(t, "web:hush", object["image"])
	assert.True(t, values.IsUnknown(object["other"]))
	assert.True(t, values.IsUnknown(object["both"]))
	for name, want := range map[string]bool{"image": true, "other": false, "both": true} {
		assert.Equal(t, want, secrets.IsSecret(property.PathFromSegments(property.NewSegment(name))), name)
	}
}
