package chart

import (
	"fmt"
	"maps"
	"slices"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// comparison is the actual rendering, and how other renderings differ from it.
type comparison struct {
	first *outcome

	documents []*compared
	// incomplete means that other renderings have other objects, or hooks at other events.
	incomplete                bool
	notesUnknown, notesSecret bool
	// wholly are the templates whose entire output is unknown or secret, and what that depends on. adopted are the templates whose objects
	// come from another rendering.
	wholly   map[string]map[taint]bool
	adopted  map[string]bool
	warnings []string
	// quoting are the warnings that quote a text, as they may be shown.
	quoting []warning
}

// compared is a document, and what is known about it.
type compared struct {
	Document

	hook *Hook // if it is one
	crd  bool
	// known is the object, including unknown values.
	known  any
	secret [][]any
	// absent means that other renderings do not have the document.
	absent bool
}

func newComparison(first *outcome) *comparison {
	c := &comparison{first: first, quoting: slices.Clone(first.quoting), wholly: map[string]map[taint]bool{}, adopted: map[string]bool{}}
	for _, crd := range first.CRDs {
		c.documents = append(c.documents, &compared{Document: crd, crd: true, known: crd.Object})
	}
	c.documents = append(c.documents, documentsOf(first.Rendered)...)
	for _, file := range slices.Sorted(maps.Keys(first.undecided)) {
		c.whole(onUnknown, file)
		c.warn(file, "it looks up objects while it is not known in which cluster")
	}
	return c
}

// documentsOf are the documents that templates have made: objects first, then hooks.
func documentsOf(rendered *Rendered) (found []*compared) {
	for _, object := range rendered.Objects {
		found = append(found, &compared{Document: object, known: object.Object})
	}
	for i := range rendered.Hooks {
		hook := &rendered.Hooks[i]
		found = append(found, &compared{Document: hook.Document, hook: hook, known: hook.Object})
	}
	return found
}

// whole notes that the entire output of a template is unknown or secret. It reports whether that is new.
func (c *comparison) whole(of taint, file string) bool {
	if c.wholly[file] == nil {
		c.wholly[file] = map[taint]bool{}
	}
	known := c.wholly[file][of]
	c.wholly[file][of] = true
	if isNotes(file) {
		c.notesUnknown, c.notesSecret = c.notesUnknown || of == onUnknown, c.notesSecret || of != onUnknown
	} else {
		c.incomplete = c.incomplete || of == onUnknown
	}
	return !known
}

// warn says why the objects of a template are unknown.
func (c *comparison) warn(file, why string) {
	c.warnings = append(c.warnings, fmt.Sprintf("%s decides on values that are not known yet. "+
		"What it makes is known only after the apply: %s.", file, why))
}

// hideWarnings hides the warnings about a text that another rendering does not make, or makes without them: they quote names, keys and
// annotations, which may be secret or not known yet.
func (c *comparison) hideWarnings(other *outcome) {
	for i, said := range c.first.quoting {
		if c.first.texts[said.file] != other.texts[said.file] && !slices.Contains(other.quoting, said) {
			c.quoting[i].text = "a warning is not shown, because what it quotes depends on values that are secret, drawn or not known yet"
		}
	}
}

// said are the warnings of the rendering that counts, as they may be shown.
func (c *comparison) said() []string {
	said := slices.Clone(c.first.Warnings[:len(c.first.Warnings)-len(c.quoting)])
	for _, quoting := range slices.Compact(slices.Clone(c.quoting)) {
		said = append(said, quoting.String())
	}
	return said
}

// mark marks what differs in another rendering.
func (c *comparison) mark(of taint, other *outcome) {
	c.hideWarnings(other)
	theirs := byFile(documentsOf(other.Rendered))
	mine := byFile(c.documents)
	files := maps.Clone(mine)
	maps.Copy(files, theirs)
	for file := range files {
		if c.crdsOf(of, file, other) || other.failed[file] != nil {
			continue
		}
		text, made := c.first.texts[file]
		otherText, otherMade := other.texts[file]
		switch {
		case c.first.failed[file] != nil:
			c.adopt(of, file, theirs[file])
		case made != otherMade || text != otherText:
			c.pair(of, mine[file], theirs[file])
		}
	}
	if c.first.Notes != other.Notes && !slices.ContainsFunc(slices.Collect(maps.Keys(other.failed)), isNotes) {
		c.notesUnknown, c.notesSecret = c.notesUnknown || of == onUnknown, c.notesSecret || of != onUnknown
	}
}

// crdsOf reports whether a file is in crds/. Its objects exist if its chart is enabled.
func (c *comparison) crdsOf(of taint, file string, other *outcome) bool {
	if !slices.Contains(c.first.crds, file) {
		return false
	}
	for _, document := range c.documents {
		if of == onUnknown && document.crd && document.File == file && !slices.Contains(other.crds, file) {
			document.absent, c.incomplete = true, true
		}
	}
	return true
}

// adopt takes the objects of a template from another rendering, because the first one cannot render it. Only their identity is known.
func (c *comparison) adopt(of taint, file string, documents []*compared) {
	c.whole(of, file)
	if of == onUnknown && !c.adopted[file] {
		c.adopted[file] = true
		c.documents = append(c.documents, documents...)
	}
}

func byFile(documents []*compared) map[string][]*compared {
	found := map[string][]*compared{}
	for _, document := range documents {
		found[document.File] = append(found[document.File], document)
	}
	return found
}

// pair compares the documents of a template with its documents in another rendering.
func (c *comparison) pair(of taint, mine, theirs []*compared) {
	left := slices.Clone(theirs)
	var single []*compared
	for _, document := range mine {
		same := func(other *compared) bool {
			return manifest.IdentityOf(other.Object) == manifest.IdentityOf(document.Object)
		}
		if i := slices.IndexFunc(left, same); i >= 0 {
			c.compare(of, document, left[i])
			left = slices.Delete(left, i, i+1)
			continue
		}
		single = append(single, document)
	}
	if renamed(single, left) || of == onSecret && retyped(single, left) {
		c.incomplete = c.incomplete || of == onUnknown && len(single) > 0
		for i, document := range single {
			c.compare(of, document, left[i])
		}
		return
	}
	c.incomplete = c.incomplete || of == onUnknown
	for _, document := range single {
		if of == onUnknown {
			document.absent = true
		} else {
			document.secret = append(document.secret, butIdentity(document.Object)...)
		}
	}
}

// renamed reports whether documents differ from others only in their names, because they have the same kinds.
func renamed(mine, theirs []*compared) bool {
	return slices.EqualFunc(mine, theirs, func(a, b *compared) bool {
		one, other := manifest.IdentityOf(a.Object), manifest.IdentityOf(b.Object)
		return one.APIVersion == other.APIVersion && one.Kind == other.Kind
	})
}

// retyped reports whether documents differ from others only in their kinds, because these depend on the exchanged values.
func retyped(mine, theirs []*compared) bool {
	return slices.EqualFunc(mine, theirs, func(a, b *compared) bool {
		one, other := manifest.IdentityOf(a.Object), manifest.IdentityOf(b.Object)
		return one.Name == other.Name && one.Namespace == other.Namespace
	})
}

// compare compares a document with the same document of another rendering.
func (c *comparison) compare(of taint, mine, theirs *compared) {
	if of == onUnknown {
		mine.known = withUnknown(mine.known, mine.Object, theirs.Object)
		c.incomplete = c.incomplete || !sameHook(mine.hook, theirs.hook)
		return
	}
	found := differences(mine.Object, theirs.Object)
	if of == onDrawn { // A drawn name is not secret: a Job gets one so that it runs each time.
		found = slices.DeleteFunc(found, func(path []any) bool { return isIdentity(path) })
	}
	mine.secret = append(mine.secret, found...)
}

// sameHook reports whether hooks run at the same events and in the same order.
func sameHook(one, other *Hook) bool {
	if one == nil || other == nil {
		return one == other
	}
	return one.Weight == other.Weight && slices.Equal(one.Events, other.Events) && slices.Equal(one.DeletePolicies, other.DeletePolicies)
}

// partial returns the result.
func (c *comparison) partial() *Partial {
	p := &Partial{
		Tests: c.first.Tests, Notes: c.first.Notes, NotesUnknown: c.notesUnknown, NotesSecret: c.notesSecret,
		Incomplete: c.incomplete, Warnings: slices.Concat(c.said(), c.warnings),
	}
	for _, document := range c.documents {
		if document.absent {
			continue
		}
		switch found := c.partialDocument(document); {
		case document.crd:
			p.CRDs = append(p.CRDs, found)
		case document.hook != nil:
			p.Hooks = append(p.Hooks, PartialHook{found, *document.hook})
		default:
			p.Objects = append(p.Objects, found)
		}
	}
	return p
}

func (c *comparison) partialDocument(of *compared) PartialDocument {
	wholly := c.wholly[of.File]
	hidden := of.secret
	if wholly[onSecret] || wholly[onDrawn] {
		hidden = append(hidden, butIdentity(of.Object)...)
	}
	found := PartialDocument{Document: of.Document, Unknown: wholly[onUnknown]}
	found.Secrets, _ = values.MarksAt(hidden)
	object, isMap := of.known.(map[string]any)
	if found.Unknown = found.Unknown || !isMap; isMap {
		found.Object = object
	}
	return found
}
