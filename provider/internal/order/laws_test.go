package order_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/order"
)

// parts are the objects from which sets are drawn. Most pairs of them are related.
var parts = []string{
	namespace, account, widgets, widget, widgeter, everyone, binding, operator, service, webhook,
	`{apiVersion: v1, kind: Secret, metadata: {name: tls, namespace: prod}}`,
	`{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: c, namespace: prod}, spec: {secretName: made, issuerRef: {kind: Widget, name: w}}}`,
	`{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: prod, labels: {app: operator}}, spec: {volumes: [{name: v, secret: {secretName: made}}]}}`,
	`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {config.kubernetes.io/depends-on: "/ConfigMap/b,apps/namespaces/prod/Deployment/operator"}}}`,
	`{apiVersion: v1, kind: ConfigMap, metadata: {name: b, annotations: {config.kubernetes.io/depends-on: /ConfigMap/a}}}`,
	`{apiVersion: example.com/v1, kind: Widget, metadata: {name: other, namespace: prod}, spec: {parentRef: {kind: Widget, name: w}, secretRef: {name: tls}}}`,
}

func drawn(t *rapid.T) []order.Object {
	all := objects(t, set(parts...))
	for i := range all {
		all[i].Key = fmt.Sprintf("%s %d", all[i].Key, i) // the same role is there twice
	}
	chosen := rapid.SliceOfNDistinct(rapid.IntRange(0, len(all)-1), 0, len(all), rapid.ID).Draw(t, "parts")
	var found []order.Object
	for _, i := range chosen {
		found = append(found, all[i])
	}
	return found
}

func TestThereIsNoCircleAndNothingIsLost(t *testing.T) { // [M11]
	rapid.Check(t, func(t *rapid.T) {
		given := drawn(t)
		graph := order.Of(given)
		require.Len(t, graph.Sorted, len(given))
		place := map[string]int{}
		for i, key := range graph.Sorted {
			place[key] = i
		}
		require.Len(t, place, len(given), "each object is there once")
		for _, edge := range graph.Edges {
			require.Less(t, place[edge.After], place[edge.Object], "%+v", edge)
		}
		for _, edge := range graph.Dropped {
			require.True(t, comesAfter(graph, edge.After, edge.Object), "%+v would close no circle", edge)
		}
	})
}

// comesAfter says whether one object comes after another one, directly or not.
func comesAfter(graph order.Graph, key, other string) bool {
	return slices.ContainsFunc(graph.After(key), func(edge order.Edge) bool {
		return edge.After == other || comesAfter(graph, edge.After, other)
	})
}

func TestTheOrderOfDocumentsDoesNotMatter(t *testing.T) { // [M5]
	rapid.Check(t, func(t *rapid.T) {
		given := drawn(t)
		shuffled := slices.Clone(given)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		require.Equal(t, order.Of(given), order.Of(shuffled))
	})
}

func TestOtherObjectsChangeNoEdge(t *testing.T) { // [M4]
	rapid.Check(t, func(t *rapid.T) {
		given := drawn(t)
		before := order.Of(given)
		other := order.Object{Key: "other", Content: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "nobody-names-it", "namespace": "elsewhere"},
		}}
		after := order.Of(append(slices.Clone(given), other))
		require.Equal(t, before.Edges, after.Edges)
	})
}

func FuzzOf(f *testing.F) {
	f.Add(set(parts...))
	f.Fuzz(func(t *testing.T, text string) {
		defer func() {
			if cause := recover(); cause != nil {
				t.Fatal(cause)
			}
		}()
		var given []order.Object
		for i, object := range lenient(text) {
			given = append(given, order.Object{Key: fmt.Sprint(i), Content: object})
		}
		order.Of(given)
	})
}
