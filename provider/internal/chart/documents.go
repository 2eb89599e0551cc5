package chart

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	helm "helm.sh/helm/v4/pkg/chart/v2"
	helmrelease "helm.sh/helm/v4/pkg/release/v1"
	helmutil "helm.sh/helm/v4/pkg/release/v1/util"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// collect reads the objects in the output of templates, and in crds/, unless the release skips these.
func (c *Chart) collect(loaded *helm.Chart, outputs map[string]string, release Release, warnings []string) (*Rendered, error) {
	rendered := &Rendered{Notes: outputs[path.Join(loaded.Name(), "templates", notesFile)], Warnings: warnings}
	for file := range outputs {
		if isNotes(file) {
			delete(outputs, file)
		}
	}
	reading := newReader(rendered)
	if err := reading.templates(outputs); err != nil {
		return nil, err
	}
	if !release.SkipCRDs {
		for _, crd := range loaded.CRDObjects() {
			if err := reading.definitions(crd.Filename, string(crd.File.Data), c.definitions.parse); err != nil {
				return nil, err
			}
		}
	}
	for _, said := range rendered.quoting {
		rendered.Warnings = append(rendered.Warnings, said.String())
	}
	return rendered, nil
}

// reader reads the objects that templates have written.
type reader struct {
	into *Rendered
	// parsed are the objects by their original texts. Helm returns the texts after it has sorted them.
	parsed    map[string][]manifest.Placed
	documents int
	nodes     int
}

// parser reads the objects in a text, as [manifest.ParseGenerated] does.
type parser func(text string) (found []manifest.Placed, repeated, failed []*manifest.PlacedError)

// definitionFiles are the files in crds/ that have been read, by their texts. No value changes them, and to parse them can take as long as
// everything else in a rendering.
type definitionFiles struct{ parsed sync.Map }

type parsedFile struct {
	found            []manifest.Placed
	repeated, failed []*manifest.PlacedError
}

// parse is a [parser].
func (d *definitionFiles) parse(text string) (found []manifest.Placed, repeated, failed []*manifest.PlacedError) {
	known, is := d.parsed.Load(text)
	if !is {
		var read parsedFile
		read.found, read.repeated, read.failed = manifest.ParseGenerated(text)
		known, _ = d.parsed.LoadOrStore(text, read)
	}
	read := known.(parsedFile)
	found = slices.Clone(read.found)
	for i := range found {
		found[i].Object = runtime.DeepCopyJSON(found[i].Object) // Callers change objects.
	}
	return found, read.repeated, read.failed
}

func newReader(into *Rendered) *reader {
	return &reader{into: into, parsed: map[string][]manifest.Placed{}}
}

// templates reads the outputs of all templates. Helm splits and sorts them: it also splits at a "---" with text after it in the same line.
func (r *reader) templates(outputs map[string]string) error {
	var unknown []warning
	for _, file := range slices.Sorted(maps.Keys(outputs)) {
		for i, text := range split(outputs[file]) {
			found, err := r.read(file, i+1, text, manifest.ParseGenerated)
			if err != nil {
				return err
			}
			for _, one := range found {
				if problem := unknownHook(one.Object); problem != "" && one.Item == "" {
					unknown = append(unknown, warning{file, fmt.Sprintf("%s is left out, as Helm does: %s", nameOf(one.Object), problem)})
				}
			}
		}
	}
	r.into.quoting = append(r.into.quoting, unknown...)
	hooks, others, err := helmutil.SortManifests(outputs, nil, helmutil.InstallOrder)
	if err != nil {
		return fmt.Errorf("the output of the templates cannot be read: %w", err)
	}
	for _, other := range others {
		for _, one := range r.parsed[other.Content] {
			r.into.Objects = append(r.into.Objects, Document{File: other.Name, Object: one.Object})
		}
	}
	for _, hook := range hooks {
		r.hook(hook)
	}
	return nil
}

// split splits the output of a template as Helm does, in order.
func split(output string) []string {
	texts := helmutil.SplitManifests(output)
	keys := slices.Collect(maps.Keys(texts))
	slices.SortFunc(keys, func(a, b string) int {
		if helmutil.BySplitManifestsOrder([]string{a, b}).Less(0, 1) {
			return -1
		}
		return 1
	})
	ordered := make([]string, len(keys))
	for i, key := range keys {
		ordered[i] = texts[key]
	}
	return ordered
}

// read reads the objects in one text. document is its number in the file, counted from 1.
func (r *reader) read(file string, document int, text string, parse parser) ([]manifest.Placed, error) {
	if r.documents++; r.documents > maxDocuments {
		return nil, &LimitError{fmt.Sprintf("the chart has more than %d documents", maxDocuments)}
	}
	if r.nodes += nodes(text); r.nodes > maxNodes {
		return nil, &LimitError{fmt.Sprintf("the documents of the chart have more than %d lines and items", maxNodes)}
	}
	// Helm cuts off the final line break, and adds it again before it applies the text: a block text at the end of the document contains
	// it.
	found, repeated, failed := parse(text + "\n")
	if len(failed) > 0 {
		message := fmt.Sprintf("not readable as objects: document %d: %v", document+failed[0].Document-1, failed[0].Err)
		return nil, &TemplateError{File: file, Message: message, cause: failed[0]}
	}
	for _, one := range repeated {
		r.into.quoting = append(r.into.quoting, warning{file, fmt.Sprintf("%v. The last one counts, as for Helm", one.Err)})
	}
	for _, one := range found {
		if err := textAnnotations(one.Object); err != nil {
			return nil, &TemplateError{File: file, Message: err.Error(), cause: err}
		}
	}
	r.parsed[text] = found
	return found, nil
}

// definitions reads a file in crds/.
func (r *reader) definitions(file, text string, parse parser) error {
	found, err := r.read(file, 1, text, parse)
	for _, one := range found {
		r.into.CRDs = append(r.into.CRDs, Document{File: file, Object: one.Object})
	}
	return err
}

// hook adds a hook, without its test events.
func (r *reader) hook(found *helmrelease.Hook) {
	var events []string
	for _, event := range found.Events {
		if event != helmrelease.HookTest {
			events = append(events, string(event))
		}
	}
	var policies []string
	for _, policy := range found.DeletePolicies {
		policies = append(policies, string(policy))
	}
	for _, one := range r.parsed[found.Manifest] {
		if len(events) == 0 {
			r.into.Tests = append(r.into.Tests, nameOf(one.Object))
			continue
		}
		r.into.Hooks = append(r.into.Hooks, Hook{
			Document: Document{File: found.Path, Object: one.Object}, Events: events, Weight: found.Weight, DeletePolicies: policies,
		})
	}
}

// nameOf returns the name of an object as kind/name.
func nameOf(object map[string]any) string {
	identity := manifest.IdentityOf(object)
	return strings.Trim(identity.Kind+"/"+identity.Name, "/")
}

// notesFile is the template whose output is for users.
const notesFile = "NOTES.txt"

func isNotes(file string) bool { return strings.HasSuffix(file, notesFile) }
