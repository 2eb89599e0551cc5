package edit

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/builtins" //nolint:staticcheck // as in transformers.go
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
)

// containerLists are the lists in which the transformer finds images, wherever they are.
var containerLists = []string{"containers", "initContainers"}

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

// image changes an image in all objects.
func (s *session) image(path string, image Image) {
	if reason := image.mistake(); reason != "" {
		s.mistaken(Mistake{Path: path + ".name", Reason: reason})
		return
	}
	if image.NewName == "" && image.NewTag == "" && image.Digest == "" {
		s.mistaken(Mistake{Path: path, Reason: "it changes nothing; set newName, newTag or digest"})
		return
	}
	// An image that needs no change is found, but not changed. The probe finds it.
	probe := Image{Name: image.Name, NewName: "found", NewTag: "found-by-its-name"}
	found := false
	for _, o := range s.objects {
		changed, err := o.changeImage(image)
		if err == nil && !changed && !found {
			changed, err = (&item{Object: o.Object}).changeImage(probe)
		}
		if err != nil {
			s.mistaken(Mistake{Path: path, Key: o.Key, Reason: fmt.Sprintf("kustomize cannot change images in %s; change them in its manifest", o.Key)})
		}
		found = found || changed || err != nil
	}
	if !found {
		s.mistaken(Mistake{Path: path + ".name", Unmatched: true, Reason: fmt.Sprintf(
			"no object uses the image %s; write the name as in the manifests, with its registry and without a tag", image.Name)})
	}
}

// mistake says what is wrong with the name.
func (i Image) mistake() string {
	if i.Name == "" {
		return "it is missing; set the name of the image to change"
	}
	if _, err := regexp.Compile("^" + i.Name + "$"); err != nil {
		return "it is no regular expression, which kustomize takes it for; write the name as in the manifests, without a tag"
	}
	return ""
}

// changeImage reports whether it found anything to change.
func (o *item) changeImage(image Image) (bool, error) {
	plain := withImagesOnly(o.Content)
	edited, err := transform(plain, changingImage(image))
	if err != nil || edited == nil {
		return false, err
	}
	before := o.Content
	o.become(restore(before, plain, edited).(map[string]any))
	return !reflect.DeepEqual(before, o.Content), nil
}

// withImagesOnly returns a copy of an object without values of the wrong type where the transformer expects maps, lists
// and images: these may be placeholders, and the transformer refuses them.
func withImagesOnly(content map[string]any) map[string]any {
	plain := inContainers(content).(map[string]any)
	delete(plain, "metadata")
	for _, field := range imageFields {
		prune(plain, strings.Split(strings.ReplaceAll(field, "[]", ""), "/"))
	}
	return plain
}

// inContainers copies a value, and prunes the images of container lists in it.
func inContainers(value any) any {
	switch value := value.(type) {
	case map[string]any:
		object := make(map[string]any, len(value))
		for key, member := range value {
			object[key] = inContainers(member)
			if list, isList := object[key].([]any); isList && slices.Contains(containerLists, key) {
				prune(list, []string{"image"})
			}
		}
		return object
	case []any:
		list := make([]any, len(value))
		for i, item := range value {
			list[i] = inContainers(item)
		}
		return list
	default:
		return value
	}
}

// prune removes values that do not lead to a text by a path. Items of lists become empty maps instead, so that the
// other items keep their places.
func prune(value any, path []string) {
	switch value := value.(type) {
	case map[string]any:
		maps.DeleteFunc(value, func(key string, member any) bool { return key == path[0] && !leadsOn(member, path[1:]) })
		if member, found := value[path[0]]; found && len(path) > 1 {
			prune(member, path[1:])
		}
	case []any:
		for i, item := range value {
			if _, isMap := item.(map[string]any); !isMap {
				value[i] = map[string]any{}
			}
			prune(value[i], path)
		}
	}
}

// leadsOn reports whether a value may have the rest of a path below it, or be at its end.
func leadsOn(value any, rest []string) bool {
	switch value.(type) {
	case map[string]any, []any:
		return len(rest) > 0
	case string:
		return len(rest) == 0
	default:
		return false
	}
}
