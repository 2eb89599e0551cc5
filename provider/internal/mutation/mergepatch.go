package mutation

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// MergePatch is a patch according to RFC 7386.
type MergePatch struct {
	document map[string]any
	unknown  bool
}

// errUnknown is why a patch with unknown values cannot be evaluated or sent.
var errUnknown = errors.New("mergePatch: " + unknownReason)

// ParseMergePatch reads a merge patch. It does not judge unknown values; a patch with unknown values can be checked,
// but not evaluated or encoded.
func ParseMergePatch(document any) (MergePatch, []Problem) {
	if values.IsUnknown(document) {
		return MergePatch{unknown: true}, nil
	}
	object, isMap := document.(map[string]any)
	if !isMap {
		return MergePatch{}, []Problem{{Reason: fmt.Sprintf("A merge patch is an object with the fields to change, not %s. "+
			"Write it as in {spec: {replicas: 3}}.", describe(document))}}
	}
	if len(object) == 0 {
		return MergePatch{}, []Problem{{Reason: "The merge patch is empty and would change nothing. " +
			"Write the fields to change, as in {spec: {replicas: 3}}."}}
	}
	patch := MergePatch{normalized(object).(map[string]any), values.HasUnknown(document)}
	return patch, nullsInLists(object)
}

// nullsInLists finds nulls in lists, which look as if they removed something.
func nullsInLists(object map[string]any) (problems []Problem) {
	var walk func(v any, at []any, inList bool)
	walk = func(v any, at []any, inList bool) {
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(v[key], append(slices.Clip(at), key), inList)
			}
		case []any:
			for i, item := range v {
				walk(item, append(slices.Clip(at), i), true)
			}
		case nil:
			if inList {
				problems = append(problems, Problem{Path: values.FormatSegments(at...), Reason: "A null inside of a list removes nothing: a merge patch " +
					"replaces a list as a whole. Leave out what shall not be in the list."})
			}
		}
	}
	walk(object, nil, false)
	return problems
}

// Evaluate returns the effect of the patch on the live object.
func (p MergePatch) Evaluate(live *unstructured.Unstructured) (Effect, error) {
	if p.unknown {
		return Effect{}, errUnknown
	}
	merged, err := merge(live.Object, p.document)
	if err != nil {
		return Effect{}, fmt.Errorf("mergePatch: %w", err)
	}
	effect := newEffect()
	effect.Object, _ = merged.(map[string]any)
	effect.touch(p.document, effect.Object, nil)
	return effect, nil
}

// touch records the leaves of a merge patch.
func (e *Effect) touch(patch, after map[string]any, above fieldpath.Path) {
	for name, v := range patch {
		path := append(slices.Clip(above), fieldpath.FieldNameElement(name))
		switch v := v.(type) {
		case nil:
			e.Removed.Insert(path)
		case map[string]any:
			below, _ := after[name].(map[string]any)
			switch {
			case len(v) > 0:
				e.touch(v, below, path)
			case len(below) == 0:
				// An empty map says only that the field exists. The patch does not own the content of a map that was
				// there before.
				e.Set.Insert(path)
			}
		default:
			e.Set.Insert(path)
		}
	}
}

// merge applies a merge patch to a copy of target. Both may be any JSON.
func merge(target, patch any) (any, error) {
	document, err := json.Marshal(target)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	merged, err := jsonpatch.MergePatch(document, body)
	if err != nil {
		return nil, err
	}
	var result any
	if err := kubejson.Unmarshal(merged, &result); err != nil {
		return nil, err
	}
	return result, nil
}

// Encode writes the body to send. The body contains the uid and the resourceVersion, so that the API server refuses it
// with a conflict if the object has another uid or a later version.
func (p MergePatch) Encode(uid types.UID, resourceVersion string) ([]byte, error) {
	if p.unknown {
		return nil, errUnknown
	}
	document := maps.Clone(p.document)
	metadata, isMap := document["metadata"].(map[string]any)
	if _, has := document["metadata"]; has && !isMap {
		return nil, fmt.Errorf("mergePatch: metadata is %s, not an object", describe(document["metadata"]))
	}
	metadata = maps.Clone(metadata)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["uid"], metadata["resourceVersion"] = string(uid), resourceVersion
	document["metadata"] = metadata
	body, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("mergePatch: %w", err)
	}
	return body, nil
}
