package chart

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// TextsOf are all texts and numbers in objects, with their places. The objects are named relative to the release, so that the names are the
// same if the release has another name or namespace.
func TextsOf(release Release, documents []Document) (texts []draws.Text) {
	for _, document := range documents {
		object := nameIn(release, manifest.IdentityOf(document.Object))
		var walk func(value any, at string)
		walk = func(value any, at string) {
			switch value := value.(type) {
			case map[string]any:
				for _, key := range slices.Sorted(maps.Keys(value)) {
					walk(value[key], below(object, at, key))
				}
			case []any:
				for i, item := range value {
					walk(item, at+elementOf(item, i))
				}
			case string, int, int64, float64:
				texts = append(texts, draws.Text{Object: object, Field: at, Text: fmt.Sprint(value)})
			}
		}
		walk(document.Object, "")
	}
	return texts
}

// nameIn names an object, without its version.
func nameIn(release Release, id manifest.Identity) string {
	name := id.Name
	if rest, is := strings.CutPrefix(name, release.Name); is && (rest == "" || strings.HasPrefix(rest, "-")) {
		name = "*" + rest
	}
	segments := []string{id.Kind, name}
	if id.Group() != "" {
		segments = slices.Insert(segments, 0, id.Group())
	}
	if id.Namespace != "" && id.Namespace != release.Namespace {
		segments = append(segments, "in", id.Namespace)
	}
	return strings.Join(segments, "/")
}

// below is the place of a key. In a Secret, a text has the same place whether it is written in plain text or encoded.
func below(object, at, key string) string {
	if at == "" {
		if key == "stringData" && strings.HasPrefix(object, "Secret/") {
			return "data"
		}
		return key
	}
	return at + "." + key
}

// elementOf is the place of an item of a list: by its name, or by its position.
func elementOf(item any, position int) string {
	if named, is := item.(map[string]any); is {
		if name, is := named["name"].(string); is {
			return "[" + name + "]"
		}
	}
	return fmt.Sprintf("[%d]", position)
}
