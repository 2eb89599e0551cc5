package edit

import (
	"reflect"

	"sigs.k8s.io/kustomize/api/resmap"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kustomize"
)

// Object is an object of a set.
type Object struct {
	// Key names the object in mistakes. No two objects have the same key.
	Key string
	// Content is its manifest, made of JSON values. The result shares the values that no edit touches.
	Content map[string]any
}

// Edits are the changes to the objects of a set.
type Edits struct {
	// Labels and Annotations are put on the metadata of every object. They replace existing ones with the same key.
	Labels, Annotations map[string]string
	// Images change container images, one after the other.
	Images []Image
	// Patches are applied one after the other, before everything else.
	Patches []Patch
}

// Image changes an image wherever it is used, like an item of `images` in a kustomization.
type Image struct {
	// Name is the name of the image without its tag. Kustomize reads it as a regular expression.
	Name string
	// NewName, NewTag and Digest replace parts of the image. A new tag removes the digest, and a digest removes the tag.
	NewName, NewTag, Digest string
}

// Patch is an item of `patches` in a kustomization.
type Patch struct {
	// Target selects objects. Without a target, a strategic merge patch names its object itself.
	Target *Target
	// Patch is the text of a strategic merge patch or of a JSON 6902 patch, as YAML or JSON.
	Patch string
}

// Target selects objects. An empty target selects all.
type Target struct {
	// The fields of the identity are regular expressions for the whole value.
	Group, Version, Kind, Name, Namespace string
	// The selectors are written as in Kubernetes: "app=web,tier!=cache".
	LabelSelector, AnnotationSelector string
}

// Mistake is an edit that cannot be made.
type Mistake struct {
	// Path is the path of the edit: "patches[1].target".
	Path string
	// Key names the object that the edit cannot change. It is empty if the edit itself is wrong.
	Key string
	// Unmatched means that the edit found no object to edit.
	Unmatched bool
	Reason    string
}

// Apply edits objects. If an edit cannot change an object, the object comes back without this edit, and a mistake says so.
func (e Edits) Apply(objects []Object) ([]Object, []Mistake) {
	s := &session{}
	for _, object := range objects {
		s.objects = append(s.objects, &item{Object: object})
	}
	if err := kustomize.Run(func() error {
		for i, patch := range e.Patches {
			s.patch(place("patches", i), patch)
		}
		s.label("labels", labelling(e.Labels))
		s.label("annotations", annotating(e.Annotations))
		for i, image := range e.Images {
			s.image(place("images", i), image)
		}
		return nil
	}); err != nil {
		s.mistaken(Mistake{Reason: libraryFailed})
	}
	edited := make([]Object, len(objects))
	for i, o := range s.objects {
		edited[i] = o.Object
	}
	return edited, s.mistakes
}

const libraryFailed = "kustomize stopped unexpectedly; simplify the edit, or make the change in the manifests themselves"

// session is one run of the edits.
type session struct {
	objects  []*item
	mistakes []Mistake
}

func (s *session) mistaken(mistake Mistake) { s.mistakes = append(s.mistakes, mistake) }

// item is an object while it is edited.
type item struct {
	Object

	// alone has only this object, in the form that the library needs. It is nil until it is needed.
	alone resmap.ResMap
}

// resources returns the object for the library to read.
func (o *item) resources() (resmap.ResMap, error) {
	if o.alone != nil {
		return o.alone, nil
	}
	alone, err := resourcesOf(o.Content)
	o.alone = alone
	return alone, err
}

// become replaces the content of the object by an edited one, if the two differ.
func (o *item) become(content map[string]any) {
	if !reflect.DeepEqual(o.Content, content) {
		o.Content, o.alone = content, nil
	}
}

// transform runs a transformer on a single object, and returns the result: nil if the transformer removed the object.
func transform(content map[string]any, transformer resmap.Transformer) (edited map[string]any, err error) {
	err = kustomize.Guard(func() error {
		alone, err := resourcesOf(content)
		if err != nil {
			return err
		}
		if err := transformer.Transform(alone); err != nil {
			return err
		}
		if alone.Size() == 1 && !alone.Resources()[0].IsNilOrEmpty() {
			edited, err = contentOf(alone.Resources()[0])
		}
		return err
	})
	return edited, err
}
