package chart

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
)

// objectsAndHooks sorts what was rendered into objects of the set, and objects that hooks run, make for a run, or delete. What was rendered
// has no definitions of crds folders if the program leaves them out: that is decided in documents.go of package internal/chart.
func (r *release) objectsAndHooks(partial *chart.Partial, remembered memory) (*rendered, error) {
	removed, misspelt := r.removed()
	done := &rendered{crds: map[string]bool{}, removed: removed, warnings: append(misspelt, partial.Warnings...), notes: r.notesOf(partial)}
	done.documents = sets.Documents{Input: keyChart, Incomplete: partial.Incomplete, Unknown: map[string]bool{}, Apart: map[string]bool{}, Secret: !r.secrets.Empty(), Fixed: true}
	sorting := &sorting{into: done, generated: map[string]int{}, namespace: r.release.Namespace, whole: r.whole()}
	definitions, others := firstDefinitions(partial.CRDs)
	done.warnings = append(done.warnings, others...)
	for _, crd := range definitions {
		sorting.definition(crd)
	}
	for _, object := range partial.Objects {
		sorting.object(object)
	}
	if r.runHooks {
		for _, h := range partial.Hooks {
			sorting.hook(h, remembered.since)
		}
	} else if len(partial.Hooks) > 0 && !remembered.isInstalled() {
		done.warnings = append(done.warnings, fmt.Sprintf("The chart has %d hooks, which are left out because of hooks: skip.", len(partial.Hooks)))
	}
	if len(partial.Tests) > 0 && !remembered.isInstalled() {
		done.warnings = append(done.warnings, fmt.Sprintf("Tests of the chart are left out: %s.", strings.Join(partial.Tests, ", ")))
	}
	return done, sorting.finish()
}

// firstDefinitions returns the definitions from crds folders. If several subcharts bring the same one, the first wins, as in Helm. It warns
// if a later one has another content.
func firstDefinitions(crds []chart.PartialDocument) (first []chart.PartialDocument, warnings []string) {
	seen := map[manifest.Identity]chart.PartialDocument{}
	for _, crd := range crds {
		id := manifest.IdentityOf(crd.Object)
		before, twice := seen[id]
		switch {
		case !twice:
			seen[id] = crd
			first = append(first, crd)
		case !reflect.DeepEqual(before.Object, crd.Object):
			warnings = append(warnings, fmt.Sprintf("%s is in %s and, with another content, in %s, which is left out.", id, before.File, crd.File))
		}
	}
	return first, warnings
}

// sorting sorts the documents of one release.
type sorting struct {
	into *rendered
	// together are the documents of the set. apart are documents that hooks run, or make for a run.
	together, apart []placed
	// namespace is the namespace of the release.
	namespace string
	// generated counts the hooks with a generateName by their file and that name.
	generated map[string]int
	// whole means that all objects are secret.
	whole bool
	wrong check.Mistakes
}

// placed is a document, and what else is known of it.
type placed struct {
	sources.Document

	unknown, crd bool
	hook         *hook
	// found is the document with its key, where that is known already.
	found sources.Object
}

// apartKey is the key of a document that is apart. No object of a set has it: the same object can be a hook and a part of the release.
func apartKey(hook string) string { return "hook:" + hook }

// definition adds a definition of a crds folder.
func (c *sorting) definition(from chart.PartialDocument) {
	if document, ok := c.document(from); ok {
		c.together = append(c.together, placed{Document: document, unknown: from.Unknown, crd: true})
	}
}

// object adds another object of the set.
func (c *sorting) object(from chart.PartialDocument) {
	if document, ok := c.document(from); ok {
		c.together = append(c.together, placed{Document: document, unknown: from.Unknown})
	}
}

// hook adds a hook. A hook that stays as an object becomes an object of the set.
func (c *sorting) hook(from chart.PartialHook, when func(h hook, s stage) since) {
	from = c.name(from)
	document, ok := c.document(from.PartialDocument)
	if !ok {
		return
	}
	found, _, wrong := sources.Collect([]sources.Document{document}, c.into.documents.Secret)
	if c.wrong = append(c.wrong, wrong...); len(found) == 0 {
		return
	}
	h := hook{Hook: from.Hook, key: found[0].Key, object: found[0].Key}
	resolve := func() {
		h.since = map[stage]since{beforeObjects: when(h, beforeObjects), afterObjects: when(h, afterObjects)}
	}
	if resolve(); h.isKept() {
		c.together = append(c.together, placed{Document: document, unknown: from.Unknown, hook: &h})
		return
	}
	same := 1
	for _, other := range c.apart {
		if other.hook.object == h.object {
			same++
		}
	}
	if same > 1 { // one for each phase, for example
		h.key = fmt.Sprintf("%s#%d", h.object, same)
		resolve()
	}
	c.apart = append(c.apart, placed{Document: document, unknown: from.Unknown, hook: &h, found: found[0]})
}

// document makes a document of what was rendered. If its identity is not known yet, the set is incomplete.
func (c *sorting) document(from chart.PartialDocument) (sources.Document, bool) {
	if c.whole {
		from.Secrets.Add(property.Path{})
	}
	unknown, secret := sets.Identify(from.Object, from.Secrets)
	switch {
	case unknown:
		c.into.documents.Incomplete = true
		return sources.Document{}, false
	case secret != "":
		c.wrong.Add(keyChart, fmt.Sprintf("%s: %s depends on a secret value, but would appear in the name of a resource.", from.File, secret))
		return sources.Document{}, false
	}
	return sources.Document{Input: keyChart, Place: from.File, Object: from.Object, Secrets: from.Secrets}, true
}

// finish gives the objects of the set their keys.
func (c *sorting) finish() error {
	documents := make([]sources.Document, len(c.together))
	for i, one := range c.together {
		documents[i] = one.Document
	}
	found, notes, wrong := sources.Collect(documents, c.into.documents.Secret)
	wrong = append(c.wrong, wrong...)
	c.share(&wrong)
	if len(wrong) > 0 {
		return &mistakesError{sources.Few(wrong)}
	}
	c.into.documents.Notes = notes
	for _, o := range found {
		one := c.together[o.At]
		c.into.crds[o.Key] = one.crd
		c.into.documents.Unknown[o.Key] = one.unknown
		if one.hook != nil {
			c.into.hooks = append(c.into.hooks, *one.hook)
		}
	}
	for _, one := range c.apart {
		c.into.hooks = append(c.into.hooks, *one.hook)
		if one.hook.shared {
			continue
		}
		key := apartKey(one.hook.key)
		one.found.Key = key
		found = append(found, one.found)
		c.into.documents.Apart[key], c.into.documents.Unknown[key] = true, one.unknown
	}
	c.into.documents.Found = found
	return nil
}

// share finds the hooks whose object also belongs to the set. Such an object stays where a hook's own object would be deleted: a hook that
// needs it must not remove what the release has. After a deletion the release no longer has it, so a post-delete hook makes it.
func (c *sorting) share(wrong *check.Mistakes) {
	together := map[manifest.Identity]string{}
	for _, one := range c.together {
		together[c.identityIn(one.Document)] = one.Place
	}
	var after []placed
	for i := range c.apart {
		one := &c.apart[i]
		place, shared := together[c.identityIn(one.Document)]
		switch {
		case !shared:
		case one.hook.runs():
			wrong.Add(keyChart, fmt.Sprintf("%s is a hook in %s and an object of the release in %s. A hook that runs is deleted after that. "+
				"Give one of the two another name, or leave the hook out by a value of the chart.", one.hook.object, one.Place, place))
		default:
			if one.hook.has(postDelete) {
				later := *one.hook
				later.Events = []string{postDelete}
				after = append(after, placed{Document: one.Document, unknown: one.unknown, hook: &later, found: one.found})
			}
			one.hook.shared = true
		}
	}
	c.apart = append(c.apart, after...)
}

// identityIn is the identity of a document in the release, without its version.
func (c *sorting) identityIn(document sources.Document) manifest.Identity {
	id := manifest.IdentityOf(document.Object).In(c.namespace)
	id.APIVersion = id.Group()
	return id
}

// notesOf is the output notes.
func (r *release) notesOf(partial *chart.Partial) pulumi.Input {
	switch {
	case partial.NotesUnknown:
		return pulumi.UnsafeUnknownOutput(nil)
	case partial.NotesSecret || r.whole():
		return pulumi.ToSecret(pulumi.String(partial.Notes))
	default:
		return pulumi.String(partial.Notes)
	}
}
