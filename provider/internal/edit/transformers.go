package edit

import (
	"encoding/json"

	"sigs.k8s.io/kustomize/api/builtins" //nolint:staticcheck // it will move in its v1; there is no other way to the transformers today
	"sigs.k8s.io/kustomize/api/provider"
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

// imageFields are kustomize's default fields for images; it exports no list of them. In addition, its transformer finds
// the images in all lists called containers or initContainers, at any depth, except in CustomResourceDefinitions.
var imageFields = []string{
	"spec/containers[]/image",
	"spec/initContainers[]/image",
	"spec/volumes[]/image/reference",
	"spec/template/spec/containers[]/image",
	"spec/template/spec/initContainers[]/image",
	"spec/template/spec/volumes[]/image/reference",
	"spec/jobTemplate/spec/template/spec/volumes[]/image/reference",
}

// changingImage returns the transformer that changes an image.
func changingImage(image Image) resmap.Transformer {
	plugin := &builtins.ImageTagTransformerPlugin{
		ImageTag: types.Image{Name: image.Name, NewName: image.NewName, NewTag: image.NewTag, Digest: image.Digest},
	}
	for _, field := range imageFields {
		plugin.FieldSpecs = append(plugin.FieldSpecs, types.FieldSpec{Path: field})
	}
	return plugin
}

func factory() *resmap.Factory {
	return resmap.NewFactory(provider.NewDefaultDepProvider().GetResourceFactory())
}

// patching returns the transformer that applies the text of a patch. It gets no loader, so it cannot load files.
func patching(text string, target *types.Selector) (resmap.Transformer, error) {
	plugin := &builtins.PatchTransformerPlugin{}
	config, err := json.Marshal(map[string]string{"patch": text})
	if err == nil {
		err = plugin.Config(resmap.NewPluginHelpers(nil, nil, factory(), nil), config)
	}
	plugin.Target = target
	return plugin, err
}
