package order_test

import (
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/order"
)

// The order follows from the manifests: a namespace precedes the objects in it, and a ConfigMap the pods that mount it. No edge
// leads to the namespace "other", so it is applied at once.
func ExampleOf() {
	graph := order.Of([]order.Object{
		{Key: "web", Content: content(`
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec: {volumes: [{name: settings, configMap: {name: settings}}]}`)},
		{Key: "settings", Content: content(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}}`)},
		{Key: "shop", Content: content(`{apiVersion: v1, kind: Namespace, metadata: {name: shop}}`)},
		{Key: "other", Content: content(`{apiVersion: v1, kind: Namespace, metadata: {name: other}}`)},
	})
	fmt.Println(graph.Sorted)
	for _, edge := range graph.Edges {
		fmt.Printf("%s after %s: %s\n", edge.Object, edge.After, edge.Because)
	}
	// Output:
	// [other shop settings web]
	// settings after shop: it is the namespace
	// web after settings: its pods name it
	// web after shop: it is the namespace
}

// An edge says whether the other object has to be ready: the API server must serve a kind before it accepts an object of it.
func ExampleGraph_After() {
	graph := order.Of([]order.Object{
		{Key: "widget", Content: content(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: shop}}`)},
		{Key: "shop", Content: content(`{apiVersion: v1, kind: Namespace, metadata: {name: shop}}`)},
		{Key: "definition", Content: content(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}}`)},
	})
	for _, edge := range graph.After("widget") {
		fmt.Printf("%s, ready: %t, because %s\n", edge.After, edge.Ready, edge.Because)
	}
	// Output:
	// definition, ready: true, because it defines the kind Widget
	// shop, ready: false, because it is the namespace
}

// content reads a manifest.
func content(text string) map[string]any {
	var object map[string]any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		panic(err)
	}
	return object
}
