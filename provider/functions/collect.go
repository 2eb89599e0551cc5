package functions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// maxMistakes is the maximum number of mistakes in one message. A wrong path can cause a thousand.
const maxMistakes = 20

// collection are the objects of all sources by their keys, and the keys in the order of the sources.
type collection struct {
	objects map[string]located
	keys    []string
}

// located is an object, with its position and the tier that it is applied in.
type located struct {
	manifest.Placed

	source source
	tier   string
}

// place names the position of the object.
func (l located) place() string { return l.source.label + ", " + l.Place.String() }

// collect reads all sources and reports every mistake in them. With secret, the messages say where a mistake is but
// not what is written there.
func collect(sources []source, secret bool) (collection, check.Mistakes) {
	var wrong check.Mistakes
	var all []located
	hide := func(reason string) string {
		if secret {
			return "what is wrong is not shown, because the arguments are secret"
		}
		return reason
	}
	for _, from := range sources {
		found, failed := manifest.ParseDocuments(from.text)
		for _, err := range failed {
			wrong.Add(from.argument, fmt.Sprintf("%s, %s: %s", from.label, err.Place, hide(err.Err.Error())))
		}
		for _, placed := range found {
			object := located{Placed: placed, source: from}
			if problems := problemsOf(placed.Object); len(problems) > 0 {
				wrong.Add(from.argument, fmt.Sprintf("%s: %s", object.place(), hide(strings.Join(problems, "; "))))
				continue
			}
			all = append(all, object)
		}
	}
	found := collection{objects: map[string]located{}}
	scopes := definedScopes(all)
	for _, object := range all {
		id := manifest.IdentityOf(object.Object)
		object.tier = scopes.tier(id.GroupKind())
		if object.tier != keyNamespaced {
			id.Namespace = ""
		}
		key := keyOf(id)
		before, seen := found.objects[key]
		switch {
		case !seen:
			found.objects[key] = object
			found.keys = append(found.keys, key)
		case secret:
			wrong.Add(object.source.argument, fmt.Sprintf("Two manifests are of the same object, or would have the same key: %s, and %s.",
				before.place(), object.place()))
		case manifest.IdentityOf(before.Object).Name != id.Name:
			wrong.Add(object.source.argument, fmt.Sprintf("Two objects would have the same key %s: %s, and %s. "+
				"Name the namespace in both manifests, or split them by two calls.", key, before.place(), object.place()))
		default:
			wrong.Add(object.source.argument, fmt.Sprintf("%s is there twice: %s, and %s. Remove one of them.",
				key, before.place(), object.place()))
		}
	}
	if more := len(wrong) - maxMistakes; more > 0 {
		last := wrong[maxMistakes-1].Property
		wrong = wrong[:maxMistakes]
		wrong.Add(last, fmt.Sprintf("There are %d more mistakes.", more))
	}
	return found, wrong
}

// keep filters objects by whether they are Secrets.
func (c *collection) keep(secrets string) {
	c.keys = slices.DeleteFunc(c.keys, func(key string) bool {
		id := manifest.IdentityOf(c.objects[key].Object)
		isSecret := manifest.IsSecretKind(id.APIVersion, id.Kind)
		return secrets == secretsExclude && isSecret || secrets == secretsOnly && !isSecret
	})
}

// inApplyOrder returns the keys in an order in which the objects can be applied one after the other.
func (c *collection) inApplyOrder() []string {
	ordered := slices.Clone(c.keys)
	slices.SortStableFunc(ordered, func(a, b string) int {
		return kinds.CompareApplyOrder(manifest.IdentityOf(c.objects[a].Object).GroupKind(), manifest.IdentityOf(c.objects[b].Object).GroupKind())
	})
	return ordered
}

// problemsOf says why an object has no key, or why Pulumi cannot carry it unchanged. Whoever applies the object
// checks the rest.
func problemsOf(object map[string]any) (reasons []string) {
	clean, _ := manifest.Normalize(object)
	for _, problem := range slices.Concat(manifest.ValidateIdentity(clean), manifest.ValidateNumbers(clean)) {
		reason := problem.Reason
		if problem.Path != "" && !strings.HasPrefix(reason, problem.Path) {
			reason = problem.Path + ": " + reason
		}
		reasons = append(reasons, reason)
	}
	return reasons
}

// keyOf returns the key of an object in the results.
func keyOf(id manifest.Identity) string {
	key := id.Kind
	if group := id.Group(); group != "" {
		key = group + "/" + key
	}
	if id.Namespace != "" {
		key += "." + id.Namespace
	}
	return key + "." + id.Name
}
