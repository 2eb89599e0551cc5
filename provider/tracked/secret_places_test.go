package tracked

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

func TestSecretPlaces(t *testing.T) {
	const env = `{"f:env":{"k:{\"name\":\"A\"}":{".":{},"f:name":{},"f:value":{}},` +
		`"k:{\"name\":\"B\"}":{".":{},"f:name":{},"f:value":{}}},"f:args":{}}`
	source := `{env: [{name: A, value: x}, {name: B, value: y}], args: [p, q]}`
	tests := []struct {
		name        string
		secret      string
		want        []string
		namesSecret bool
	}{
		{"a value in a keyed list is found where the item stands now", "env[1].value", []string{"env[0].value"}, false},
		{"a secret inside an atomic list makes the list secret", "args[1]", []string{"args"}, false},
		{"a secret item is secret as a whole, and so are the names in it", "env[0]", []string{"env[1]"}, true},
		{"a secret key is secret, and so are paths with it", "env[0].name", []string{"env[1].name"}, true},
		{"a secret manifest is secret as a whole", "", []string{""}, true},
	}
	for _, test := range tests {
		t.Run(test.name+" [O78]", func(t *testing.T) {
			fields, err := ownership.Decode(env)
			require.NoError(t, err)
			from := Marked{Tree: parse(t, source)}
			path, err := values.ParsePath(test.secret)
			require.NoError(t, err)
			from.Secrets.Add(path)
			live := parse(t, `{env: [{name: B, value: y}, {name: A, value: x}], args: [p, q]}`)

			got, namesSecret := SecretPlaces(live, fields, from)
			var places []string
			for place := range got.Secrets() {
				places = append(places, values.FormatPath(place))
			}
			assert.Equal(t, test.want, places)
			assert.Equal(t, test.namesSecret, namesSecret)
		})
	}
	t.Run("the keys of a Secret are no secret", func(t *testing.T) {
		from := Marked{Tree: parse(t, `{apiVersion: v1, kind: Secret, data: {a: eA==}}`)}
		from.Secrets.Add(property.PathFromSegments(property.NewSegment("data")))
		fields, err := ownership.Decode(`{"f:data":{"f:a":{}}}`)
		require.NoError(t, err)
		_, namesSecret := SecretPlaces(from.Tree, fields, from)
		assert.False(t, namesSecret)
	})
	t.Run("a Secret's data is secret whatever the input says [O79]", func(t *testing.T) {
		got, _ := SecretPlaces(parse(t, `{apiVersion: v1, kind: Secret, data: {a: eA==}}`), fieldpath.NewSet())
		assert.True(t, got.IsSecret(property.PathFromSegments(property.NewSegment("data"), property.NewSegment("a"))))
		assert.False(t, got.IsSecret(property.PathFromSegments(property.NewSegment("kind"))))
	})
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	object := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &object))
	clean, _ := manifest.Normalize(object)
	return clean
}
