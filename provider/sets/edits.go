package sets

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/edit"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldtags"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// The names of the edits.
const (
	keyLabels      = "labels"
	keyAnnotations = "annotations"
	keyImages      = "images"
	keyPatches     = "patches"
)

// edit applies the input edits to the manifests.
func (s *Set) edit(given property.Value) check.Mistakes {
	switch {
	case given.IsNull():
		return nil
	case given.IsComputed():
		s.forgetContents()
		return nil
	case !given.IsMap():
		return check.Mistakes{{Property: keyEdits, Reason: "The value must be an object with labels, annotations, images and patches."}}
	}
	reading := &edits{placeholders: newPlaceholders(), secret: given.Secret()}
	reading.read(given.AsMap())
	if len(reading.wrong) > 0 || reading.unknown {
		s.forgetContents()
		return reading.wrong
	}
	return s.apply(reading)
}

// forgetContents makes all manifests unknown, because it is not known yet how they are edited. Their keys stay: no edit changes
// an object's identity.
func (s *Set) forgetContents() {
	for i := range s.Objects {
		s.Objects[i].Unknown = true
	}
}

// apply makes the edits.
func (s *Set) apply(edits *edits) (wrong check.Mistakes) {
	given, maps, position := make([]edit.Object, len(s.Objects)), make([][]property.Path, len(s.Objects)), map[string]int{}
	for i, o := range s.Objects {
		secrets := o.Secrets
		if o.isSecret() {
			secrets = values.Marks{} // All of it stays secret, whichever part is edited.
		}
		masked, of := edits.mask(o.Manifest, secrets)
		content, _ := masked.(map[string]any)
		given[i], maps[i], position[o.Key] = edit.Object{Key: o.Key, Content: content}, of, i
	}
	edited, mistakes := edits.edits.Apply(given)
	for _, mistake := range mistakes {
		at, found := position[mistake.Key]
		switch {
		case mistake.Unmatched && s.Incomplete:
			// The edit may be meant for an object that is not known yet.
		case found && mistake.Key != "" && edits.holdsUnknown(given[at].Content):
			s.Objects[at].Unknown = true
		default:
			wrong.Add(values.JoinPath(keyEdits, mistake.Path), sentence(mistake.Reason))
		}
	}
	for i := range s.Objects {
		o := &s.Objects[i]
		changed := !reflect.DeepEqual(given[i].Content, edited[i].Content)
		if !changed {
			continue
		}
		restored, secrets := edits.restore(edited[i].Content)
		for _, path := range maps[i] {
			secrets.Add(path)
		}
		if o.isSecret() || edits.secretPatch {
			secrets.Add(property.Path{})
		}
		o.Manifest, _ = restored.(map[string]any)
		o.Secrets = secrets
	}
	return wrong
}

// isSecret reports whether the whole object is secret.
func (o Object) isSecret() bool { return o.Secrets.IsSecret(property.Path{}) }

// sentence writes a reason as a sentence.
func sentence(reason string) string { return strings.ToUpper(reason[:1]) + reason[1:] + "." }

// edits reads the input edits.
type edits struct {
	*placeholders

	edits edit.Edits
	// secret means that all edits are secret. secretPatch means that what a patch changes is secret.
	secret, secretPatch bool
	// unknown means that part of the edits is not known yet.
	unknown bool
	wrong   check.Mistakes
}

func (e *edits) read(given property.Map) {
	e.names(keyEdits, given, fieldtags.Names[Edits]())
	e.edits.Labels = e.texts(keyLabels, given.Get(keyLabels))
	e.edits.Annotations = e.texts(keyAnnotations, given.Get(keyAnnotations))
	e.each(keyImages, given.Get(keyImages), fieldtags.Names[Image](), func(at string, image property.Map, _ bool) {
		e.edits.Images = append(e.edits.Images, edit.Image{
			Name: e.certain(at, image, "name"), NewName: e.text(at, image, "newName"),
			NewTag: e.text(at, image, "newTag"), Digest: e.text(at, image, "digest"),
		})
	})
	e.each(keyPatches, given.Get(keyPatches), fieldtags.Names[Patch](), func(at string, patch property.Map, secret bool) {
		e.secretPatch = e.secretPatch || secret || property.New(patch).HasSecrets()
		e.edits.Patches = append(e.edits.Patches, edit.Patch{Patch: e.certain(at, patch, "patch"), Target: e.target(at+".target", patch.Get("target"))})
	})
}

// names refuses members that do not exist.
func (e *edits) names(at string, given property.Map, known []string) {
	for name := range given.AllStable {
		if !slices.Contains(known, name) {
			e.wrong.Add(at+"."+name, fmt.Sprintf("There is no such member. The members are %s.", strings.Join(known, ", ")))
		}
	}
}

// texts reads a map of texts, which may be secret or unknown one by one.
func (e *edits) texts(name string, given property.Value) map[string]string {
	at := keyEdits + "." + name
	switch {
	case given.IsNull():
		return nil
	case given.IsComputed():
		e.unknown = true
		return nil
	case !given.IsMap():
		e.wrong.Add(at, "The value must be a map of texts.")
		return nil
	}
	texts := map[string]string{}
	for key, v := range given.AsMap().All {
		if v.IsNull() {
			continue
		}
		texts[key] = e.value(values.FormatSegments(keyEdits, name, key), v.WithSecret(v.Secret() || given.Secret()))
	}
	return texts
}

// value reads a text, and hides it if it is secret or unknown.
func (e *edits) value(at string, v property.Value) string {
	switch {
	case v.IsComputed():
		plain, _, _ := values.FromProperty(v)
		return e.hide(hidden{plain: plain, secret: v.Secret() || e.secret})
	case v.IsArray(), v.IsMap():
		e.wrong.Add(at, "The value must be a text.")
		return ""
	case v.Secret() || e.secret:
		return e.hide(hidden{plain: values.Scalar(v.WithSecret(false)), secret: true})
	default:
		return values.Scalar(v)
	}
}

// text reads a member that may be absent.
func (e *edits) text(at string, given property.Map, name string) string {
	if v := given.Get(name); !v.IsNull() {
		return e.value(at+"."+name, v)
	}
	return ""
}

// certain reads a member that has to be known: without it, it is not clear what is edited. It is never hidden, because kustomize
// has to read it.
func (e *edits) certain(at string, given property.Map, name string) string {
	switch v := given.Get(name); {
	case v.IsComputed():
		e.unknown = true
	case v.IsString() && v.AsString() != "":
		return v.AsString()
	default:
		e.wrong.Add(at+"."+name, "The value must be a text.")
	}
	return ""
}

// target reads a target.
func (e *edits) target(at string, given property.Value) *edit.Target {
	switch {
	case given.IsNull():
		return nil
	case given.HasComputed():
		e.unknown = true
		return nil
	case !given.IsMap():
		e.wrong.Add(at, "The value must be an object.")
		return nil
	}
	members := given.AsMap()
	e.names(at, members, fieldtags.Names[Target]())
	text := func(name string) string { return values.Text(members.Get(name)) }
	return &edit.Target{
		Group: text("group"), Version: text("version"), Kind: text("kind"), Name: text("name"), Namespace: text("namespace"),
		LabelSelector: text("labelSelector"), AnnotationSelector: text("annotationSelector"),
	}
}

// each reads the items of a list.
func (e *edits) each(name string, given property.Value, known []string, read func(at string, item property.Map, secret bool)) {
	at := keyEdits + "." + name
	switch {
	case given.IsNull():
		return
	case given.IsComputed():
		e.unknown = true
		return
	case !given.IsArray():
		e.wrong.Add(at, "The value must be a list.")
		return
	}
	for i, item := range given.AsArray().All {
		place := fmt.Sprintf("%s[%d]", at, i)
		switch {
		case item.IsComputed():
			e.unknown = true
		case !item.IsMap():
			e.wrong.Add(place, "The value must be an object.")
		default:
			e.names(place, item.AsMap(), known)
			read(place, item.AsMap(), given.Secret() || item.Secret() || e.secret)
		}
	}
}
