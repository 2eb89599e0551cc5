package manifest

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// secret is a core/v1 Secret with the members.
func secret(members map[string]any) map[string]any {
	object := map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s"}}
	maps.Copy(object, members)
	return object
}

type object = map[string]any

func TestStringDataIsFoldedIntoData(t *testing.T) {
	for name, c := range map[string]struct{ written, folded, shown object }{
		"text becomes base64": {
			written: object{"stringData": object{"a": "hush", "b": "", "app.properties": "größe\n"}},
			folded:  object{"data": object{"a": "aHVzaA==", "b": "", "app.properties": "Z3LDtsOfZQo="}},
			shown:   object{"stringData": object{"a": "hush", "b": "", "app.properties": "größe\n"}},
		},
		"stringData wins over data": {
			written: object{"data": object{"a": "b2xk", "b": "b2xk"}, "stringData": object{"a": "new"}},
			folded:  object{"data": object{"a": "bmV3", "b": "b2xk"}},
			shown:   object{"data": object{"b": "b2xk"}, "stringData": object{"a": "new"}},
		},
		"an unknown stays one": {
			written: object{"stringData": object{"a": values.Unknown{}, "b": "x"}},
			folded:  object{"data": object{"a": values.Unknown{}, "b": "eA=="}},
			shown:   object{"stringData": object{"a": values.Unknown{}, "b": "x"}},
		},
		"what is not text stays for the server to refuse": {
			written: object{"stringData": object{"a": int64(1), "b": "x"}},
			folded:  object{"data": object{"b": "eA=="}, "stringData": object{"a": int64(1)}},
			shown:   object{"stringData": object{"a": int64(1), "b": "x"}},
		},
		"only what is not text": {
			written: object{"stringData": object{"a": int64(1)}},
			folded:  object{"stringData": object{"a": int64(1)}},
			shown:   object{"stringData": object{"a": int64(1)}},
		},
		"an unknown stringData stays":      {written: object{"stringData": values.Unknown{}}, folded: object{"stringData": values.Unknown{}}, shown: object{"stringData": values.Unknown{}}},
		"a stringData beside unknown data": {written: object{"data": values.Unknown{}, "stringData": object{"a": "x"}}, folded: object{"data": values.Unknown{}, "stringData": object{"a": "x"}}, shown: object{"data": values.Unknown{}, "stringData": object{"a": "x"}}},
		"an empty stringData goes":         {written: object{"stringData": object{}}, folded: object{}, shown: object{}},
		"data alone is untouched":          {written: object{"data": object{"a": "aHVzaA=="}}, folded: object{"data": object{"a": "aHVzaA=="}}, shown: object{"data": object{"a": "aHVzaA=="}}},
		"an empty data stays": {
			written: object{"data": object{}, "stringData": object{"a": "x"}},
			folded:  object{"data": object{"a": "eA=="}},
			shown:   object{"data": object{}, "stringData": object{"a": "x"}},
		},
	} {
		t.Run(name+" [O26]", func(t *testing.T) {
			written := secret(c.written)
			before := values.DeepCopy(written)
			folded := FoldStringData(written)
			assert.Equal(t, secret(c.folded), folded)
			assert.Equal(t, before, any(written), "the argument was changed")
			assert.Equal(t, folded, FoldStringData(folded), "folding twice is folding once")

			assert.Equal(t, secret(c.shown), UnfoldStringData(folded, written))
			assert.Equal(t, secret(c.folded), folded, "the argument was changed")
		})
	}
}

func TestLiveDataIsShownWhereItWasWritten(t *testing.T) {
	written := secret(object{"stringData": object{"text": "old", "bytes": "old", "broken": "old", "gone": "old"}})
	live := object{"data": object{"text": "bmV3", "bytes": "/w==", "broken": "!", "foreign": "eA=="}}
	assert.Equal(t, object{
		"data":       object{"bytes": "/w==", "broken": "!", "foreign": "eA=="},
		"stringData": object{"text": "new"},
	}, UnfoldStringData(live, written), "[O26]")
}

func TestOnlySecretsHaveStringData(t *testing.T) {
	custom := object{"apiVersion": "acme.io/v1", "kind": "Secret", "stringData": object{"a": "x"}}
	assert.Equal(t, custom, FoldStringData(custom))
	assert.Equal(t, object{"data": object{"a": "eA=="}}, UnfoldStringData(object{"data": object{"a": "eA=="}}, custom))
	assert.True(t, IsSecretKind("v1", "Secret"))
	assert.False(t, IsSecretKind("acme.io/v1", "Secret"))
	assert.False(t, IsSecretKind("v1", "ConfigMap"))
}

func TestWhatIsSecretInAnObjectIsToldByItsKind(t *testing.T) {
	t.Run("in a Secret it is what it holds, and kubectl's copy of that [D26]", func(t *testing.T) {
		paths := SecretPaths("v1", "Secret")
		assert.Equal(t, [][]string{
			{"data"}, {"stringData"}, {"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"},
		}, paths)
		paths[0][0] = "changed"
		assert.Equal(t, "data", SecretPaths("v1", "Secret")[0][0], "a caller may change what it got")
	})
	for name, c := range map[string]struct{ apiVersion, kind string }{
		"a ConfigMap":             {"v1", "ConfigMap"},
		"a kind of one's own":     {"acme.io/v1", "Secret"},
		"a Secret of no version":  {"", "Secret"},
		"a kind in another case":  {"v1", "secret"},
		"a kind that is not told": {"v1", ""},
	} {
		t.Run("in "+name+" it is nothing [D26]", func(t *testing.T) {
			assert.Empty(t, SecretPaths(c.apiVersion, c.kind))
		})
	}
}

func TestUnfoldingIsTheInverseOfFolding(t *testing.T) {
	texts := rapid.MapOfN(rapid.StringN(1, 5, -1), rapid.String(), 1, 5)
	rapid.Check(t, func(t *rapid.T) {
		stringData := object{}
		for key, value := range texts.Draw(t, "stringData") {
			stringData[key] = value
		}
		written := secret(object{"stringData": stringData})
		require.Equal(t, written, UnfoldStringData(FoldStringData(written), written))
	})
}
