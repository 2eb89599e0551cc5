package sets

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
)

// The input namespace moves objects that name no namespace. Other objects may refer to them by the namespace that the author had
// in mind: bindings refer to accounts, and webhooks and API services refer to Services. Such a reference follows its object, as
// with kustomize. Helm does not change references in templates, and neither does a release.

// reference is a place in an object that names another object and its namespace.
type reference struct {
	// to is the map with name and namespace, at its path.
	to   map[string]any
	path []property.PathSegment
	kind schema.GroupKind
}

func (r reference) name() string {
	name, _ := r.to["name"].(string)
	return name
}

func (r reference) namespace() string {
	namespace, _ := r.to["namespace"].(string)
	return namespace
}

var (
	serviceAccount = schema.GroupKind{Kind: "ServiceAccount"}
	service        = schema.GroupKind{Kind: "Service"}
)

// referencesIn are the references in an object to objects that may be in another namespace.
func referencesIn(object map[string]any) (found []reference) {
	var walk func(tree any, path []property.PathSegment, rest ...string)
	walk = func(tree any, path []property.PathSegment, rest ...string) {
		if list, isList := tree.([]any); isList {
			for i, item := range list {
				walk(item, append(slices.Clip(path), property.NewSegment(i)), rest...)
			}
			return
		}
		members, isMap := tree.(map[string]any)
		switch {
		case !isMap:
		case len(rest) > 0:
			walk(members[rest[0]], append(slices.Clip(path), property.NewSegment(rest[0])), rest[1:]...)
		case path[len(path)-1] == property.NewSegment("service"):
			found = append(found, reference{members, path, service})
		case members["kind"] == serviceAccount.Kind:
			found = append(found, reference{members, path, serviceAccount})
		}
	}
	switch id := manifest.IdentityOf(object); id.GroupKind() {
	case schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}, schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}:
		walk(object, nil, "subjects")
	case schema.GroupKind{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"},
		schema.GroupKind{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"}:
		walk(object, nil, "webhooks", "clientConfig", "service")
	case kinds.CustomResourceDefinition:
		walk(object, nil, "spec", "conversion", "webhook", "clientConfig", "service")
	case kinds.APIService:
		walk(object, nil, "spec", "service")
	}
	return found
}

// named is what a reference says about an object, without its namespace.
type named struct {
	kind schema.GroupKind
	name string
}

// follow puts the namespace of the set into references to objects that the set has moved there.
func (s *Set) follow(documents Documents, namespace property.Value) {
	to, secret, err := values.FromProperty(namespace)
	if documents.Fixed || err != nil || to == nil || to == "" {
		return // A wrong namespace is reported where objects get it.
	}
	moved, stays := whereFrom(documents)
	for i := range s.Objects {
		o := &s.Objects[i]
		follows := func(r reference) bool {
			is := named{r.kind, r.name()}
			return moved[is] && r.namespace() != "" && r.namespace() != to && !stays[is][r.namespace()]
		}
		if !slices.ContainsFunc(referencesIn(o.Manifest), follows) {
			continue
		}
		o.Manifest, _ = values.DeepCopy(o.Manifest).(map[string]any)
		for _, r := range referencesIn(o.Manifest) {
			if !follows(r) {
				continue
			}
			r.to["namespace"] = to
			if !secret.Empty() {
				o.Secrets.Add(property.PathFromSegments(append(slices.Clip(r.path), property.NewSegment("namespace"))...))
			}
		}
	}
}

// whereFrom returns the objects that get the namespace of the set, and the namespaces that the others of their names have.
func whereFrom(documents Documents) (moved map[named]bool, stays map[named]map[string]bool) {
	moved, stays = map[named]bool{}, map[named]map[string]bool{}
	for _, from := range documents.Found {
		id := manifest.IdentityOf(from.Object)
		is := named{id.GroupKind(), id.Name}
		switch {
		case from.Tier != sources.Namespaced:
		case id.Namespace == "":
			moved[is] = true
		case stays[is] == nil:
			stays[is] = map[string]bool{id.Namespace: true}
		default:
			stays[is][id.Namespace] = true
		}
	}
	return moved, stays
}

// strays warns of references that do not follow, and lead to a namespace that nothing else in the set names. The author may mean
// that namespace.
func (s *Set) strays(documents Documents, namespace property.Value) (warnings []string) {
	to := values.Text(namespace)
	if documents.Fixed || documents.Incomplete || documents.Secret || to == "" || namespace.Secret() {
		return nil
	}
	known := map[string]bool{to: true, "": true}
	for _, o := range s.Objects {
		id := manifest.IdentityOf(o.Manifest)
		known[id.Namespace] = true
		if id.GroupKind() == kinds.Namespace {
			known[id.Name] = true
		}
	}
	found := map[string][]string{}
	for _, o := range s.Objects {
		for _, r := range referencesIn(o.Manifest) {
			at := property.PathFromSegments(append(slices.Clip(r.path), property.NewSegment("namespace"))...)
			if namespace := r.namespace(); !o.Unknown && !known[namespace] && !o.Secrets.IsSecret(at) {
				found[namespace] = append(found[namespace], fmt.Sprintf("%s, %s: %s %s", o.Key, values.FormatPath(at), r.kind.Kind, r.name()))
			}
		}
	}
	for _, other := range slices.Sorted(maps.Keys(found)) {
		warnings = append(warnings, fmt.Sprintf("The namespace of the set is %q, but these references lead to %q, which nothing else in the set names:\n  %s\n"+
			"They were not changed, because the set has no such object that it moves. If they should lead to %q, change them in `edits`.",
			to, other, strings.Join(found[other], "\n  "), to))
	}
	return warnings
}
