package chart

import (
	"strings"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chartsource"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/charts"
)

// rendering calls the function with a connection that leads nowhere.
func rendering(t *testing.T, args map[string]property.Value) p.InvokeResponse {
	t.Helper()
	if args[keyChart].IsString() {
		args[keyKubeVersion] = property.New("1.36") // The default is that of the plugin's build.
	}
	f := &renderChart{source: connection.NewSource("test"), charts: &loadedCharts{fetcher: &chartsource.Fetcher{}}}
	resp, err := f.Invoke(t.Context(), p.InvokeRequest{Token: "k8sconnect:index:renderChart", Args: property.NewMap(args)})
	require.NoError(t, err)
	return resp
}

func TestAChartIsRenderedWithoutACluster(t *testing.T) { // [H17] [H16]
	t.Parallel()
	for _, name := range charts.Names(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp := rendering(t, map[string]property.Value{"chart": property.New(charts.Folder(t, name)), "releaseName": property.New("shop")})
			require.Empty(t, resp.Failures)
			manifests, ordered := resp.Return.Get(keyManifests).AsMap(), resp.Return.Get(keyOrdered).AsArray()
			assert.Equal(t, manifests.Len(), ordered.Len())
			for _, item := range ordered.All {
				assert.Equal(t, manifests.Get(item.AsMap().Get("name").AsString()), item.AsMap().Get(keyManifest))
			}
			for _, hook := range resp.Return.Get(keyHooks).AsArray().All {
				assert.Positive(t, hook.AsMap().Get(keyEvents).AsArray().Len())
			}
		})
	}
}

func TestAChartAsTextHasTheSameManifestsInTheSameOrder(t *testing.T) { // [H17]
	t.Parallel()
	for _, name := range charts.Names(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := map[string]property.Value{"chart": property.New(charts.Folder(t, name)), "releaseName": property.New("shop")}
			ordered := rendering(t, args).Return.Get(keyOrdered)
			args[keyFormat] = property.New(formatYAML)
			returned := rendering(t, args).Return
			assert.Zero(t, returned.Get(keyManifests).AsMap().Len())
			assert.Zero(t, returned.Get(keyOrdered).AsArray().Len())

			text := returned.Get(keyYAML)
			assert.Equal(t, ordered.HasSecrets(), text.Secret())
			documents := strings.Split(text.AsString(), "---\n")[1:]
			require.Len(t, documents, ordered.AsArray().Len())
			for i, item := range ordered.AsArray().All {
				var document map[string]any
				asJSON, err := yaml.YAMLToJSON([]byte(documents[i]))
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(asJSON, &document))
				manifest := item.AsMap().Get(keyManifest)
				plain, _, err := values.FromProperty(manifest)
				require.NoError(t, err)
				if manifest.HasSecrets() { // Random values are others in each call.
					assert.Equal(t, idOf(plain.(map[string]any)), idOf(document))
					continue
				}
				assert.Equal(t, plain, any(document))
			}
		})
	}
}

func TestWhatRenderChartRefuses(t *testing.T) { // [H17]
	t.Parallel()
	for name, c := range map[string]struct {
		args map[string]property.Value
		want []string
	}{
		"no chart":             {map[string]property.Value{}, []string{keyChart}},
		"an input of a Chart":  {map[string]property.Value{keyChart: property.New("a"), keyHooks: property.New("run")}, []string{keyHooks}},
		"an unknown format":    {map[string]property.Value{keyChart: property.New("a"), keyFormat: property.New("json")}, []string{keyFormat}},
		"values that are text": {map[string]property.Value{keyChart: property.New("a"), keyValues: property.New("a: b"), keyLookup: property.New("maybe")}, []string{keyValues, keyLookup}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var refused []string
			for _, failure := range rendering(t, c.args).Failures {
				refused = append(refused, failure.Property)
			}
			assert.ElementsMatch(t, c.want, refused)
		})
	}
}

func TestASecretValueOfRenderChartStaysSecret(t *testing.T) { // [H17]
	t.Parallel()
	folder := charts.Folder(t, "database")
	plain := rendering(t, map[string]property.Value{"chart": property.New(folder)})
	secret := rendering(t, map[string]property.Value{"chart": property.New(folder), "values": property.New(map[string]property.Value{}).WithSecret(true)})
	for key := range plain.Return.Get(keyManifests).AsMap().All {
		assert.True(t, secret.Return.Get(keyManifests).AsMap().Get(key).Secret(), key)
	}
}
