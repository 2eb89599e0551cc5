// Package sets makes sets of objects in the shape of what people install: the manifests of Argo CD, those of
// kube-prometheus, and a larger one. Nothing is taken from these projects but the counts, kinds, names and sizes. A set
// is the same each time, and a real API server accepts every object of it.
package sets

import (
	"bytes"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// Object is an object as its manifest says it. Numbers are int64 or float64, so that it can be deep-copied.
type Object = map[string]any

// Set is a set of objects.
type Set struct {
	Name string
	// Namespace is the name of the namespace that is one of the objects.
	Namespace string
	// Objects are in an order in which they can be applied: the namespace, definitions, all else, custom resources.
	Objects []Object
}

// Text is the set as a file with a document for each object.
func (s Set) Text() ([]byte, error) {
	documents := make([][]byte, len(s.Objects))
	for i, o := range s.Objects {
		text, err := yaml.Marshal(o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", Identity(o), err)
		}
		documents[i] = text
	}
	return bytes.Join(documents, []byte("---\n")), nil
}

// Definitions are the names of the CustomResourceDefinitions, by the group and kind that they define.
func (s Set) Definitions() map[string]string {
	names := map[string]string{}
	for _, o := range s.Objects {
		if o["kind"] != "CustomResourceDefinition" {
			continue
		}
		spec := o["spec"].(Object)
		names[spec["group"].(string)+"/"+spec["names"].(Object)["kind"].(string)] = nameOf(o)
	}
	return names
}

// Identity names an object among those of a set, such as "Service/argocd/argocd-server".
func Identity(o Object) string {
	identity := o["kind"].(string)
	if namespace, ok := o["metadata"].(Object)["namespace"].(string); ok {
		identity += "/" + namespace
	}
	return identity + "/" + nameOf(o)
}

func nameOf(o Object) string { return o["metadata"].(Object)["name"].(string) }

// newSet puts objects into the order of a set.
func newSet(name, namespace string, objects ...[]Object) Set {
	stage := func(o Object) int {
		switch {
		case o["kind"] == "Namespace":
			return 0
		case o["kind"] == "CustomResourceDefinition":
			return 1
		default:
			return 2
		}
	}
	s := Set{Name: name, Namespace: namespace, Objects: []Object{namespaceObject(name, namespace)}}
	for _, o := range slices.Concat(objects...) {
		s.Objects = append(s.Objects, runtime.DeepCopyJSON(o)) // They have parts in common.
	}
	definitions := s.Definitions()
	custom := func(o Object) int {
		if _, ok := definitions[groupOf(o)+"/"+o["kind"].(string)]; ok {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(s.Objects, func(a, b Object) int { return stage(a) + custom(a) - stage(b) - custom(b) })
	return s
}
