package edit

import (
	"encoding/json"
	"errors"
	"fmt"

	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kustomize"
)

// change is what a patch does to an object.
type change interface {
	// in returns what an object is after the change, nil if there is none any more.
	in(content map[string]any) (map[string]any, error)
	// failure says why the change cannot be made.
	failure(o *item) string
}

// forSelected returns the change for objects that a target has selected.
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
	patch       *resource.Resource
	transformer resmap.Transformer
}

// newMerge makes a merge of a patch. Without a target, the patch names its object, which the library treats a little
// differently. It gets the patch as JSON, because it would look for schemas in comments.
func newMerge(patch *resource.Resource, target *types.Selector) (m *merge, err error) {
	err = kustomize.Guard(func() error {
		text, err := patch.MarshalJSON()
		if err != nil {
			return err
		}
		transformer, err := newTransformer(string(text), target)
		m = &merge{patch, transformer}
		return err
	})
	return m, err
}

func (m *merge) in(content map[string]any) (map[string]any, error) {
	edited, err := transform(content, m.transformer)
	if err == nil && edited != nil {
		keepNames(content, edited)
	}
	return edited, err
}

func (m *merge) failure(o *item) string {
	return fmt.Sprintf("it cannot be merged into %s%s", o.Key, m.obstacle(o.Content))
}

// operations are a JSON 6902 patch.
type operations struct {
	each []json.RawMessage
	// made makes them. withoutEffect changes nothing, but leads through JSON as well.
	made, withoutEffect resmap.Transformer
}

func newOperations(each []json.RawMessage) (*operations, error) {
	text, err := json.Marshal(each)
	if err != nil {
		return nil, err
	}
	made, asOperations := newTransformer(string(text), everything)
	withoutEffect, err := newTransformer(`[{"op": "copy", "from": "/kind", "path": "/kind"}]`, everything)
	return &operations{each, made, withoutEffect}, errors.Join(asOperations, err)
}

// in makes the change. What leading through JSON does by itself is undone.
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

// failure names the first operation that cannot be applied after those before it.
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
