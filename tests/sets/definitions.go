package sets

import (
	"maps"
	"slices"
	"strings"
)

// definition is a CustomResourceDefinition that is to be made.
type definition struct {
	group, version, kind, plural string
	clusterScoped                bool
	// bytes is about how large it is as JSON, and depth how many fields are below each other in its schema.
	bytes, depth int
	// words is how many words describe each field.
	words int
	// spec are the fields that the custom resources of the set have, beside those that are grown.
	spec Object
}

// object is the CustomResourceDefinition, which has one version.
func (d definition) object() Object {
	scope := "Namespaced"
	if d.clusterScoped {
		scope = "Cluster"
	}
	return Object{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": Object{
			"name":        d.plural + "." + d.group,
			"labels":      Object{"app.kubernetes.io/name": d.plural + "." + d.group, "app.kubernetes.io/part-of": d.group},
			"annotations": Object{"controller-gen.kubebuilder.io/version": "v0.19.0"},
		},
		"spec": Object{
			"group": d.group, "scope": scope,
			"names": Object{
				"kind": d.kind, "listKind": d.kind + "List", "plural": d.plural, "singular": strings.ToLower(d.kind),
			},
			"versions": []any{Object{
				"name": d.version, "served": true, "storage": true,
				"schema":       Object{"openAPIV3Schema": d.schema()},
				"subresources": Object{"status": Object{}},
				"additionalPrinterColumns": []any{
					Object{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
				},
			}},
		},
	}
}

func (d definition) schema() Object {
	g := newGrower(d.plural+"."+d.group, d.words)
	spec := g.described(Object{"type": "object", "properties": maps.Clone(d.spec)})
	if d.spec == nil {
		spec["properties"] = Object{}
	}
	status := g.described(Object{"type": "object", "properties": Object{
		"observedGeneration": Object{"type": "integer", "format": "int64"},
		"conditions": Object{
			"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"type"},
			"items": Object{
				"type": "object", "required": []any{"type", "status"},
				"properties": Object{
					"type": Object{"type": "string"}, "status": Object{"type": "string"}, "reason": Object{"type": "string"},
					"message": Object{"type": "string"}, "lastTransitionTime": Object{"type": "string", "format": "date-time"},
				},
			},
		},
	}})
	const around = 1_200 // what is around the fields of the spec
	// Most of it is the spec, as in real ones: a Prometheus, an Application.
	// The depth is that of a field from the root: spec is one.
	g.grow(spec, d.bytes-around, d.depth-1)
	return Object{
		"type": "object", "description": d.kind + " is a kind of " + d.group + ".", "required": []any{"spec"},
		"properties": Object{
			"apiVersion": Object{"type": "string"}, "kind": Object{"type": "string"}, "metadata": Object{"type": "object"},
			"spec": spec, "status": status,
		},
	}
}

// resource is a custom resource.
func (d definition) resource(namespace, name string, labels, spec Object) Object {
	o := Object{
		"apiVersion": d.group + "/" + d.version, "kind": d.kind,
		"metadata": Object{"name": name, "namespace": namespace, "labels": labels},
		"spec":     spec,
	}
	if d.clusterScoped {
		delete(o["metadata"].(Object), "namespace")
	}
	return o
}

// sample is a custom resource with values for the fields that were grown.
func (d definition) sample(namespace, name string, depth int) Object {
	schema := d.schema()["properties"].(Object)["spec"].(Object)
	properties := Object{}
	for i, field := range sortedKeys(schema["properties"].(Object)) {
		if i < 5 {
			properties[field] = schema["properties"].(Object)[field]
		}
	}
	spec := newGrower(name, 0).value(Object{"type": "object", "properties": properties}, depth)
	return d.resource(namespace, name, Object{"app.kubernetes.io/name": name}, spec.(Object))
}

func groupOf(o Object) string {
	group, _, found := strings.Cut(o["apiVersion"].(string), "/")
	if !found {
		return ""
	}
	return group
}

func sortedKeys(m Object) []string { return slices.Sorted(maps.Keys(m)) }
