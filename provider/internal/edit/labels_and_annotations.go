package edit

import (
	"fmt"

	"sigs.k8s.io/kustomize/api/builtins" //nolint:staticcheck // as in transformers.go
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
)

// metadataField specifies a field of an object's own metadata only.
func metadataField(name string) []types.FieldSpec {
	return []types.FieldSpec{{Path: "metadata/" + name, CreateIfNotPresent: true}}
}

// labelling returns the transformer that puts labels on objects, nil if there are no labels.
func labelling(labels map[string]string) resmap.Transformer {
	if len(labels) == 0 {
		return nil
	}
	return &builtins.LabelTransformerPlugin{Labels: labels, FieldSpecs: metadataField("labels")}
}

// annotating returns the transformer that puts annotations on objects, nil if there are no annotations.
func annotating(annotations map[string]string) resmap.Transformer {
	if len(annotations) == 0 {
		return nil
	}
	return &builtins.AnnotationsTransformerPlugin{Annotations: annotations, FieldSpecs: metadataField("annotations")}
}

// label puts labels or annotations on all objects whose field can take them.
func (s *session) label(field string, transformer resmap.Transformer) {
	if transformer == nil {
		return
	}
	for _, o := range s.objects {
		if !takesMembers(o.Content["metadata"], field) {
			continue
		}
		edited, err := transform(o.Content, transformer)
		if err != nil || edited == nil {
			s.mistaken(Mistake{Path: field, Key: o.Key, Reason: fmt.Sprintf(
				"they cannot be put on %s; set them in its manifest", o.Key)})
			continue
		}
		o.become(edited)
	}
}

// takesMembers reports whether a field of the metadata is a map, or can become one. Any other value may be a placeholder.
func takesMembers(metadata any, field string) bool {
	object, isMap := metadata.(map[string]any)
	if !isMap {
		return metadata == nil
	}
	_, isMap = object[field].(map[string]any)
	return isMap || object[field] == nil
}
