package chart

import (
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
)

func TestARecordKnowsContentThatHasTheNameOfItsRelease(t *testing.T) { // [D77]
	loaded, err := chart.Load([]chart.File{{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: web\nversion: 1.0.0\n")}})
	require.NoError(t, err)
	store := &release{chart: loaded, inputs: inputs{release: chart.Release{Name: "store", Namespace: "shop"}}}
	content := func(of *release, name string) property.Value {
		v, err := of.content(name)
		require.NoError(t, err)
		return v
	}
	memory, err := memory{HashKey: "key", Name: "shop"}.encode()
	require.NoError(t, err)
	changed := *store
	changed.values = map[string]any{"a": "b"}
	for _, test := range []struct {
		is      string
		old     property.Value
		changes bool
	}{
		{"of this version", content(store, ""), false},
		{"of an older version, which noted the name", content(store, "shop"), false},
		{"of another name", content(store, "another"), true},
		{"of other values", content(&changed, ""), true},
	} {
		t.Run(test.is, func(t *testing.T) {
			r := &record{releases: &releases{}}
			r.releases.begin("urn", running{content: store.content})
			diff, err := r.Diff(t.Context(), p.DiffRequest{
				Urn:       "urn",
				State:     property.NewMap(map[string]property.Value{keyMemory: property.New(memory)}),
				OldInputs: property.NewMap(map[string]property.Value{keyContent: test.old}),
				Inputs:    property.NewMap(map[string]property.Value{keyContent: content(store, store.givenName())}),
			})
			require.NoError(t, err)
			assert.Equal(t, test.changes, diff.HasChanges)
		})
	}
}
