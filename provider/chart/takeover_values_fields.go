package chart

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
)

// field is a text in an object.
type field struct {
	object manifest.Identity
	path   string
}

func (f field) String() string {
	return fmt.Sprintf("%s of %s %s", f.path, f.object.Kind, f.object.Name)
}

// view is a rendering in which values are looked for.
type view struct {
	session *draws.Session
	set     sets.Set
	objects map[manifest.Identity]sets.Object
	texts   map[field]string
}

func viewOf(session *draws.Session, set sets.Set) *view {
	v := &view{session: session, set: set, objects: map[manifest.Identity]sets.Object{}, texts: map[field]string{}}
	for _, o := range set.Objects {
		id := manifest.IdentityOf(o.Manifest)
		v.objects[id] = o
		for path, text := range plainTexts(o.Manifest) {
			v.texts[field{id, path}] = text
		}
	}
	return v
}

func (v *view) text(at field) string { return v.texts[at] }

func (v *view) has(at field) bool {
	_, is := v.texts[at]
	return is
}

// differing are the fields that both renderings have with different texts, in order.
func (v *view) differing(other *view) (fields []field) {
	for at, text := range v.texts {
		if theirs, is := other.texts[at]; is && theirs != text {
			fields = append(fields, at)
		}
	}
	slices.SortFunc(fields, compareFields)
	return fields
}

func compareFields(a, b field) int {
	return slices.Compare([]string{a.object.String(), a.path}, []string{b.object.String(), b.path})
}

func (v *view) equals(other *view) bool { return maps.Equal(v.texts, other.texts) }

// plainTexts are the texts of an object by their fields. The texts of a Secret are decoded.
func plainTexts(object map[string]any) map[string]string {
	texts := map[string]string{}
	isSecret := manifest.IdentityOf(object).Kind == "Secret"
	for _, text := range chart.TextsOf(chart.Release{}, []chart.Document{{Object: object}}) {
		texts[text.Field] = text.Text
	}
	if data, is := object["data"].(map[string]any); is && isSecret {
		for key, value := range data {
			encoded, _ := value.(string)
			if decoded, err := base64.StdEncoding.DecodeString(encoded); err == nil {
				texts["data."+key] = string(decoded)
			}
		}
	}
	if data, is := object["stringData"].(map[string]any); is && isSecret {
		for key, value := range data {
			texts["data."+key] = fmt.Sprint(value)
		}
	}
	return texts
}
