package edit

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kustomize"
)

// change is what a patch does to an object.
type change interface {
	// in returns the object after the change, nil if the change removes the object.
	in(content map[string]any) (map[string]any, error)
	// failure says why the change cannot be made.
	failure(o *item) string
}

// forSelected returns the change for the objects that a target has selected.
func (p *parsedPatch) forSelected() (change, error) {
	if len(p.documents) > 0 {
		return newMerge(p.documents[0], everything)
	}
	return newOperations(p.operations)
}

// everything is the target of a transformer that runs on selected objects only.
var everything = &types.Selector{}

// merge is a strategic merge patch.
type merge struct {
	patch       map[string]any
	transformer resmap.Transformer
}

// newMerge makes a merge of a patch. Without a target, the patch names its object, which the library treats a little
// differently. The transformer gets the patch as JSON: in YAML, it would look for schemas in comments.
func newMerge(patch *resource.Resource, target *types.Selector) (m *merge, err error) {
	err = kustomize.Guard(func() error {
		text, err := patch.MarshalJSON()
		if err != nil {
			return err
		}
		content, err := contentOf(patch)
		if err != nil {
			return err
		}
		transformer, err := patching(string(text), target)
		m = &merge{content, transformer}
		return err
	})
	return m, err
}

// in makes the change. The library sees only the part of the object that the patch is about: it would also look at the
// rest, and stop at anything that it does not understand.
func (m *merge) in(content map[string]any) (map[string]any, error) {
	plain := maps.Clone(patched(m.patch, content))
	keep(content, plain, "apiVersion")
	keep(content, plain, "kind")
	if before, isMap := content["metadata"].(map[string]any); isMap {
		after := map[string]any{}
		maps.Copy(after, plain["metadata"].(map[string]any)) // every patch has metadata
		keep(before, after, "name")
		keep(before, after, "namespace")
		plain["metadata"] = after
	}
	edited, err := transform(plain, m.transformer)
	if err != nil || edited == nil {
		return nil, err
	}
	keepNames(content, edited)
	return restore(content, plain, edited).(map[string]any), nil
}

// patched returns the fields of a map that a patch has, too.
func patched(patch, content map[string]any) map[string]any {
	if _, whole := patch["$patch"]; whole {
		return content
	}
	touched := map[string]any{}
	for key, value := range content {
		change, named := patch[key]
		inner, deeper := change.(map[string]any)
		object, isMap := value.(map[string]any)
		switch {
		case deeper && isMap:
			touched[key] = patched(inner, object)
		case named:
			touched[key] = value
		}
	}
	return touched
}

func (m *merge) failure(o *item) string {
	return fmt.Sprintf("it cannot be merged into %s%s", o.Key, m.obstacle(o.Content))
}

// operations are a JSON 6902 patch.
type operations struct {
	each []json.RawMessage
	// made applies the operations. withoutEffect changes nothing, but goes through JSON as well.
	made, withoutEffect resmap.Transformer
}

func newOperations(each []json.RawMessage) (*operations, error) {
	text, err := json.Marshal(each)
	if err != nil {
		return nil, err
	}
	made, asOperations := patching(string(text), everything)
	withoutEffect, err := patching(`[{"op": "copy", "from": "/kind", "path": "/kind"}]`, everything)
	return &operations{each, made, withoutEffect}, errors.Join(asOperations, err)
}

// in makes the change. It undoes the changes that come only from going through JSON.
func (p *operations) in(content map[string]any) (map[string]any, error) {
	edited, err := transform(content, p.made)
	if err != nil || edited == nil {
		return nil, err
	}
	plain, err := transform(content, p.withoutEffect)
	if err != nil || plain == nil {
		return nil, errors.Join(errors.New("the object has no kind"), err)
	}
	dropBuildAnnotations(edited)
	dropBuildAnnotations(plain)
	return restore(content, plain, edited).(map[string]any), nil
}

// failure names the first operation that cannot be applied after the operations before it.
func (p *operations) failure(o *item) string {
	count := 1
	for ; count < len(p.each); count++ {
		first, err := newOperations(p.each[:count])
		if err == nil {
			_, err = first.in(o.Content)
		}
		if err != nil {
			break
		}
	}
	return fmt.Sprintf("operation %d cannot be applied to %s: there is nothing at its path, its test fails, or it is no operation; "+
		"correct it, or narrow the target", count, o.Key)
}
