package edit

import (
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kustomize"
)

const (
	emptyPatch = "it is empty; write a patch, or remove the item"
	unparsed   = "it is neither a strategic merge patch, which needs kind and metadata.name (also with a target), " +
		"nor a JSON 6902 patch, which is one list of operations; correct its YAML or JSON"
	untargeted = "a JSON 6902 patch does not say which object it is for; set a target"
	severally  = "with a target, it can only be one strategic merge patch; make each document a patch of its own"
	removing   = "it removes %s; remove the object from the set instead"
	renaming   = "it changes apiVersion, kind, name or namespace of %s, which would make it another object; " +
		"change its manifest instead"
)

// patch applies a patch to its objects.
func (s *session) patch(path string, patch Patch) {
	parsed, err := patch.parse()
	switch {
	case strings.TrimSpace(patch.Patch) == "":
		s.mistaken(Mistake{Path: path + ".patch", Reason: emptyPatch})
	case err != nil:
		s.mistaken(Mistake{Path: path + ".patch", Reason: unparsed})
	case patch.Target == nil && len(parsed.documents) == 0:
		s.mistaken(Mistake{Path: path + ".target", Reason: untargeted})
	case patch.Target != nil && len(parsed.documents) > 1:
		s.mistaken(Mistake{Path: path + ".patch", Reason: severally})
	case patch.Target != nil:
		s.patchTarget(path, *patch.Target, parsed)
	default:
		for _, document := range parsed.documents {
			s.patchNamed(path+".patch", document)
		}
	}
}

// patchTarget applies a patch to the objects that its target selects.
func (s *session) patchTarget(path string, target Target, parsed *parsedPatch) {
	if mistake := target.mistake(path + ".target"); mistake != nil {
		s.mistaken(*mistake)
		return
	}
	change, err := parsed.forSelected()
	if err != nil {
		s.mistaken(Mistake{Path: path + ".patch", Reason: unparsed})
		return
	}
	selector := target.selector()
	matched := false
	for _, o := range s.objects {
		selected, err := o.isSelected(selector)
		if err != nil {
			s.mistaken(Mistake{Path: path, Key: o.Key, Reason: libraryFailed})
		}
		if selected {
			matched = true
			s.apply(o, path+".patch", change)
		}
	}
	if !matched {
		s.mistaken(Mistake{Path: path + ".target", Unmatched: true, Reason: fmt.Sprintf(
			"no object matches %s; its fields are regular expressions for the whole value: correct it, or remove the patch", target)})
	}
}

func (o *item) isSelected(selector types.Selector) (selected bool, err error) {
	err = kustomize.Guard(func() error {
		alone, err := o.resources()
		if err != nil {
			return err
		}
		found, err := alone.Select(selector)
		selected = len(found) > 0
		return err
	})
	return selected, err
}

// patchNamed applies a patch without a target to the object that it names.
func (s *session) patchNamed(path string, document *resource.Resource) {
	id := document.CurId()
	var found *item
	for _, o := range s.objects {
		err := kustomize.Guard(func() error {
			alone, err := o.resources()
			if err != nil || len(alone.GetMatchingResourcesByAnyId(id.Equals)) == 0 {
				return err
			}
			// To the library, no namespace is the namespace "default". If there is an object for each, the
			// patch is for the one that it spells.
			if found == nil || alone.Resources()[0].GetNamespace() == id.Namespace {
				found = o
			}
			return nil
		})
		if err != nil {
			s.mistaken(Mistake{Path: path, Key: o.Key, Reason: libraryFailed})
		}
	}
	if found == nil {
		s.mistaken(Mistake{Path: path, Unmatched: true, Reason: fmt.Sprintf(
			"no object is %s, for which it says it is; correct its apiVersion, kind, name or namespace, or set a target", described(id))})
		return
	}
	change, err := newMerge(document, nil)
	if err != nil {
		s.mistaken(Mistake{Path: path, Reason: unparsed})
		return
	}
	s.apply(found, path, change)
}

// apply makes a change in an object, unless the change would give the object another identity.
func (s *session) apply(o *item, path string, change change) {
	edited, err := change.in(o.Content)
	var reason string
	switch {
	case err != nil:
		reason = change.failure(o)
	case edited == nil:
		reason = fmt.Sprintf(removing, o.Key)
	case identity(edited) != identity(o.Content):
		reason = fmt.Sprintf(renaming, o.Key)
	default:
		o.become(edited)
		return
	}
	s.mistaken(Mistake{Path: path, Key: o.Key, Reason: reason})
}
