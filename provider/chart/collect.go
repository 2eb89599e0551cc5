package chart

import (
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
)

// collect sorts what was rendered into objects of the set, and objects that hooks run, make for a run, or delete.
func (r *release) collect(partial *chart.Partial, known memory) (*rendered, error) {
	done := &rendered{crds: map[string]bool{}, warnings: partial.Warnings, notes: notesOf(partial, r.whole())}
	done.documents = sets.Documents{Input: keyChart, Incomplete: partial.Incomplete, Unknown: map[string]bool{}, Apart: map[string]bool{}}
	collecting := &collecting{into: done, taken: map[string]int{}, whole: r.whole()}
	for _, crd := range partial.CRDs {
		collecting.object(crd, true)
	}
	for _, object := range partial.Objects {
		collecting.object(object, false)
	}
	if r.runHooks {
		for _, h := range partial.Hooks {
			collecting.hook(h, func(h hook) since { return known.since(h, r.adopt) })
		}
	} else if len(partial.Hooks) > 0 {
		done.warnings = append(done.warnings, fmt.Sprintf("The chart has %d hooks, which are left out because of hooks: skip.", len(partial.Hooks)))
	}
	if len(partial.Tests) > 0 {
		done.warnings = append(done.warnings, fmt.Sprintf("Tests of the chart are left out: %s.", strings.Join(partial.Tests, ", ")))
	}
	return done, collecting.finish()
}

// collecting collects documents of one release.
type collecting struct {
	into     *rendered
	together []placed
	taken    map[string]int // how many objects have a key
	// whole means that all objects are secret.
	whole bool
	wrong check.Mistakes
}

// placed is a document of the set, and what else is known of it.
type placed struct {
	sources.Document

	unknown, crd bool
	hook         *hook
}

// object adds an object of the set.
func (c *collecting) object(from chart.PartialDocument, crd bool) {
	if document, ok := c.document(from); ok {
		c.together = append(c.together, placed{Document: document, unknown: from.Unknown, crd: crd})
	}
}

// hook adds a hook. One that stays as an object is one of the set.
func (c *collecting) hook(from chart.PartialHook, since func(h hook) since) {
	document, ok := c.document(from.PartialDocument)
	if !ok {
		return
	}
	found, wrong := sources.Collect([]sources.Document{document}, false)
	if c.wrong = append(c.wrong, wrong...); len(found) == 0 {
		return
	}
	h := hook{Hook: from.Hook, key: found[0].Key}
	c.taken[h.key]++
	if n := c.taken[h.key]; n > 1 { // one for each phase, for example
		h.key = fmt.Sprintf("%s#%d", h.key, n)
	}
	h.since = since(h)
	if h.isKept() {
		c.together = append(c.together, placed{Document: document, unknown: from.Unknown, hook: &h})
		return
	}
	found[0].Key = h.key
	c.into.hooks = append(c.into.hooks, h)
	c.into.documents.Found = append(c.into.documents.Found, found[0])
	c.into.documents.Apart[h.key] = true
	c.into.documents.Unknown[h.key] = from.Unknown
}

// document makes a document of what was rendered. Without what identifies it, the set is incomplete.
func (c *collecting) document(from chart.PartialDocument) (sources.Document, bool) {
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
func (c *collecting) finish() error {
	documents := make([]sources.Document, len(c.together))
	for i, one := range c.together {
		documents[i] = one.Document
	}
	found, wrong := sources.Collect(documents, false)
	if wrong = append(c.wrong, wrong...); len(wrong) > 0 {
		return &mistakesError{sources.Few(wrong)}
	}
	for i, o := range found { // in the order of the documents, of which none was left out
		one := c.together[i]
		c.into.crds[o.Key] = one.crd
		c.into.documents.Unknown[o.Key] = one.unknown
		if one.hook != nil {
			one.hook.key = o.Key
			c.into.hooks = append(c.into.hooks, *one.hook)
		}
	}
	c.into.documents.Found = append(found, c.into.documents.Found...)
	return nil
}
