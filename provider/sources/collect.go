package sources

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// maxMistakes is the maximum number of mistakes in one message. A wrong path can cause a thousand.
const maxMistakes = 20

// Document is a manifest and where it was found.
type Document struct {
	// Input is the path of the input that it came from, Place its position in messages.
	Input, Place string
	Object       map[string]any
	// Secrets are the places in it that are secret, in addition to those that are secret because of its kind.
	Secrets values.Marks
}

// Object is an object of a set.
type Object struct {
	Document

	// Key identifies the object in its set: [group/]Kind[.namespace].name.
	Key  string
	Tier Tier
	// At is the position of its document.
	At int
	// Assumed means that nothing says whether the kind is namespaced: it is a custom kind, and its definition is elsewhere.
	Assumed bool
}

// Set are objects by their keys, in the order of their documents.
type Set []Object

// Collect gives each document its key, and reports every mistake. Of several equal documents, it takes the first; notes name the
// others. With secret, the messages say where something is, but not what is written there.
func Collect(documents []Document, secret bool) (set Set, notes []string, wrong check.Mistakes) {
	var valid []Document
	var positions []int
	for i, document := range documents {
		if problems := problemsOf(document.Object); len(problems) > 0 {
			wrong.Add(document.Input, fmt.Sprintf("%s: %s", document.Place, reader{secret}.reason(strings.Join(problems, "; "))))
			continue
		}
		valid, positions = append(valid, document), append(positions, i)
	}
	first := map[string]int{}
	scopes := definedScopes(valid)
	for i, document := range valid {
		id := manifest.IdentityOf(document.Object)
		object := Object{Document: document, At: positions[i], Tier: scopes.tier(id.GroupKind()), Assumed: !scopes.knows(id.GroupKind())}
		if object.Tier != Namespaced {
			id.Namespace = ""
		}
		object.Key = KeyOf(id)
		position, seen := first[object.Key]
		if !seen {
			first[object.Key] = len(set)
			set = append(set, object)
			continue
		}
		before := &set[position]
		switch {
		case reflect.DeepEqual(before.Object, object.Object):
			for path := range object.Secrets.Secrets() {
				before.Secrets.Add(path)
			}
			subject := object.Key
			if secret {
				subject = "A manifest"
			}
			notes = append(notes, fmt.Sprintf("%s is there twice, equal, and taken once: %s, and %s.", subject, before.Place, object.Place))
		case secret:
			wrong.Add(object.Input, fmt.Sprintf("Two manifests that differ are of the same object, or would have the same key: %s, and %s.",
				before.Place, object.Place))
		case manifest.IdentityOf(before.Object).Name != id.Name:
			wrong.Add(object.Input, fmt.Sprintf("Two objects would have the same key %s: %s, and %s. "+
				"Name the namespace in both manifests, or split them by two calls.", object.Key, before.Place, object.Place))
		default:
			wrong.Add(object.Input, fmt.Sprintf("%s is there twice, with different contents: %s, and %s. Remove one of them.",
				object.Key, before.Place, object.Place))
		}
	}
	return set, notes, wrong
}

// Listed writes notes, one per line. If there are too many, it counts the rest.
func Listed(notes []string) string {
	if more := len(notes) - maxMistakes; more > 0 {
		notes = append(slices.Clone(notes[:maxMistakes]), fmt.Sprintf("There are %d more.", more))
	}
	return strings.Join(notes, "\n")
}

// Few returns the first mistakes, and says how many more there are.
func Few(wrong check.Mistakes) check.Mistakes {
	if more := len(wrong) - maxMistakes; more > 0 {
		last := wrong[maxMistakes-1].Property
		wrong = wrong[:maxMistakes]
		wrong.Add(last, fmt.Sprintf("There are %d more mistakes.", more))
	}
	return wrong
}

// InApplyOrder returns the objects in an order in which they can be applied one after the other.
func (s Set) InApplyOrder() Set {
	ordered := slices.Clone(s)
	slices.SortStableFunc(ordered, func(a, b Object) int {
		return kinds.CompareApplyOrder(manifest.IdentityOf(a.Object).GroupKind(), manifest.IdentityOf(b.Object).GroupKind())
	})
	return ordered
}

// problemsOf says why an object has no key, or why Pulumi cannot carry it unchanged. The resource that applies the object checks
// the rest.
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
