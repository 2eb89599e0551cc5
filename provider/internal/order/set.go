package order

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// set is the objects, and the edges between them that were found so far.
type set struct {
	objects     []*object // sorted by key
	byID        map[id]*object
	ofKind      map[schema.GroupKind][]*object
	definitions map[schema.GroupKind]*object
	edges       map[pair]Edge
	mistakes    []Mistake
	absent      []Absent
}

// object is an object of the set, or an imagined instance of a definition.
type object struct {
	manifest.Identity

	key     string
	content map[string]any
	// instanceOf is the definition of an imagined instance, which is not in the set; nil for the objects of the set.
	instanceOf *object
}

// id identifies an object in a cluster, in any version of its kind.
type id struct {
	schema.GroupKind
	namespace, name string
}

// pair are the two objects of an edge.
type pair struct{ object, after *object }

func newSet(objects []Object) *set {
	s := &set{
		byID: map[id]*object{}, ofKind: map[schema.GroupKind][]*object{}, definitions: map[schema.GroupKind]*object{}, edges: map[pair]Edge{},
	}
	for _, given := range objects {
		s.objects = append(s.objects, &object{Identity: manifest.IdentityOf(given.Content), key: given.Key, content: given.Content})
	}
	slices.SortFunc(s.objects, func(a, b *object) int { return strings.Compare(a.key, b.key) })
	for _, o := range slices.Clone(s.objects) {
		if kind, _, ok := manifest.Defined(o.content); ok && s.definitions[kind] == nil {
			s.definitions[kind] = o
			s.objects = append(s.objects, instanceOf(o, kind))
		}
	}
	for _, o := range s.objects {
		if s.isClusterScoped(o.GroupKind()) {
			o.Namespace = ""
		}
		if o.instanceOf == nil {
			s.byID[id{o.GroupKind(), o.Namespace, o.Name}] = o
		}
		s.ofKind[o.GroupKind()] = append(s.ofKind[o.GroupKind()], o)
	}
	return s
}

// instanceOf returns an imagined object that says nothing but its kind. No object names it, so it is in no circle.
func instanceOf(definition *object, kind schema.GroupKind) *object {
	version := "v1"
	if served := manifest.Served(definition.content); len(served) > 0 {
		version = served[0].Version
	}
	return &object{
		Identity: manifest.Identity{APIVersion: kind.Group + "/" + version, Kind: kind.Kind}, content: map[string]any{}, instanceOf: definition,
	}
}

// separateInstances removes the imagined instances, and returns their edges by the keys of the definitions.
func (s *set) separateInstances() map[string][]Edge {
	found := map[string][]Edge{}
	for between, edge := range s.edges {
		if definition := between.object.instanceOf; definition != nil {
			found[definition.key] = append(found[definition.key], edge)
			delete(s.edges, between)
		}
	}
	for _, edges := range found {
		slices.SortFunc(edges, compare)
	}
	s.objects = slices.DeleteFunc(s.objects, func(o *object) bool { return o.instanceOf != nil })
	return found
}

func (s *set) isClusterScoped(kind schema.GroupKind) bool {
	if definition := s.definitions[kind]; definition != nil {
		_, clusterScoped, _ := manifest.Defined(definition.content)
		return clusterScoped
	}
	return kinds.IsClusterScoped(kind)
}

// find returns an object of the set, nil if it is not in the set. A cluster-scoped object is found in every namespace.
func (s *set) find(kind schema.GroupKind, namespace, name string) *object {
	if s.isClusterScoped(kind) {
		namespace = ""
	}
	return s.byID[id{kind, namespace, name}]
}

// resource is the name of a kind in paths and rules, such as "deployments".
func (s *set) resource(kind schema.GroupKind) string {
	if definition := s.definitions[kind]; definition != nil {
		if plural := text(definition.content, "spec", "names", "plural"); plural != "" {
			return plural
		}
	}
	plural, _ := meta.UnsafeGuessKindToResource(kind.WithVersion("v1"))
	return plural.Resource
}

// after orders an object after another one.
func (s *set) after(o, other *object, how certainty, because string, args ...any) {
	s.add(o, other, Edge{Because: fmt.Sprintf(because, args...), certainty: how})
}

// afterReady orders an object after another one is ready.
func (s *set) afterReady(o, other *object, how certainty, because string, args ...any) {
	s.add(o, other, Edge{Because: fmt.Sprintf(because, args...), certainty: how, Ready: true})
}

// add adds an edge. If there are several reasons for it, the most certain one is kept.
func (s *set) add(o, other *object, edge Edge) {
	if other == nil || o == other {
		return
	}
	edge.Object, edge.After, edge.Named = o.key, other.key, edge.certainty.names()
	between := pair{o, other}
	if before, found := s.edges[between]; found {
		edge.Ready, edge.Named = edge.Ready || before.Ready, edge.Named || before.Named
		if before.certainty.rank() >= edge.certainty.rank() {
			edge.Because, edge.certainty = before.Because, before.certainty
		}
	}
	s.edges[between] = edge
}

// needs returns all objects that an object comes after, directly or not.
func (s *set) needs(o *object) map[*object]bool {
	direct := map[*object][]*object{}
	for between := range s.edges {
		direct[between.object] = append(direct[between.object], between.after)
	}
	all := map[*object]bool{}
	for queue := direct[o]; len(queue) > 0; queue = queue[1:] {
		if next := queue[0]; !all[next] {
			all[next] = true
			queue = append(queue, direct[next]...)
		}
	}
	return all
}

// labelsOf are the labels of an object or of a pod template.
func labelsOf(content map[string]any) labels.Set {
	found := labels.Set{}
	for name, value := range fields(content, "metadata", "labels") {
		if value, isText := value.(string); isText {
			found[name] = value
		}
	}
	return found
}

// selector reads a label selector. An absent selector selects everything, one that cannot be read selects nothing.
func selector(given map[string]any) labels.Selector {
	if given == nil {
		return labels.Everything()
	}
	var typed metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(given, &typed); err != nil {
		return labels.Nothing()
	}
	compiled, err := metav1.LabelSelectorAsSelector(&typed)
	if err != nil {
		return labels.Nothing()
	}
	return compiled
}

// The accessors return what is at a path. If it has another type, or is unknown, they return nothing.

func value(content any, path ...string) any {
	for _, key := range path {
		object, _ := content.(map[string]any)
		content = object[key]
	}
	return content
}

func text(content any, path ...string) string {
	text, _ := value(content, path...).(string)
	return text
}

func fields(content any, path ...string) map[string]any {
	object, _ := value(content, path...).(map[string]any)
	return object
}

// items are the objects of a list.
func items(content any, path ...string) []map[string]any {
	list, _ := value(content, path...).([]any)
	var found []map[string]any
	for _, item := range list {
		if item, isObject := item.(map[string]any); isObject {
			found = append(found, item)
		}
	}
	return found
}

// texts are the texts of a list.
func texts(content any, path ...string) []string {
	list, _ := value(content, path...).([]any)
	var found []string
	for _, item := range list {
		if item, isText := item.(string); isText {
			found = append(found, item)
		}
	}
	return found
}

// sortedKeys are the keys in a fixed order, so that results do not depend on the order of a map.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
