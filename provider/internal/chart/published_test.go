//go:build published

package chart

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/charts"
)

// anyCluster is a release that knows of the kinds that `helm template` does not find, although each API server has them.
var anyCluster = Release{
	Name: release.Name, Namespace: release.Namespace, KubeVersion: release.KubeVersion,
	APIVersions: []string{"apiregistration.k8s.io/v1", "apiregistration.k8s.io/v1/APIService"},
}

// TestHelmOnPublishedCharts compares what published charts render to, in the same way [H4]. Some need values of their users.
func TestHelmOnPublishedCharts(t *testing.T) {
	t.Parallel()
	for name, folder := range charts.Published(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			comparePublished(t, folder, "")
			for _, values := range charts.Values(t, folder) {
				t.Run(filepath.Base(values), func(t *testing.T) { t.Parallel(); comparePublished(t, folder, values) })
			}
		})
	}
}

func comparePublished(t *testing.T, folder, values string) {
	t.Helper()
	if failed := compare(t, folder, anyCluster, values); failed != "" {
		t.Log("helm fails: ", failed)
	}
}

// What is known about published charts proves true: the value in one place is not known yet, and then it is the default [H10].
func TestWhatIsKnownOfPublishedChartsTurnsOutSo(t *testing.T) {
	t.Parallel()
	for name, folder := range charts.Published(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chart := loadFolder(t, folder)
			prepared, err := chart.prepare(release, nil, preparing{})
			require.NoError(t, err)
			places := leavesIn(prepared.values, nil)
			for i := range placesTried {
				place := places[i*len(places)/placesTried]
				given, real := m{}, m{}
				value, _ := valueAt(prepared.values, place)
				setBelow(given, place, values.Unknown{})
				setBelow(real, place, value)
				partial, err := chart.RenderPartly(t.Context(), Partly{Release: release, Values: given, Session: draws.NewSession(draws.Options{})})
				require.NoError(t, err, "%v", place)
				rendered, err := chart.Render(t.Context(), release, real, Functions{})
				require.NoError(t, err)
				turnsOut(t, partial, rendered, fmt.Sprint(place, " is ", value))
			}
		})
	}
}

// placesTried is how many places of a chart's values are tried.
const placesTried = 4

// leavesIn are the places of all texts, numbers and booleans in maps, in order.
func leavesIn(tree any, at []any) (places [][]any) {
	switch tree := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			places = append(places, leavesIn(tree[key], append(slices.Clip(at), key))...)
		}
	case string, bool, float64, int, int64:
		places = append(places, slices.Clone(at))
	}
	return places
}

// setBelow sets a value in maps, which are made.
func setBelow(tree map[string]any, place []any, value any) {
	for _, key := range place[:len(place)-1] {
		below := m{}
		tree[key.(string)] = below
		tree = below
	}
	tree[place[len(place)-1].(string)] = value
}
