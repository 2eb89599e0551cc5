package tracked

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// MarkKind marks what is secret in objects of a kind, even if the program does not. at is the path in the tree at which
// the object begins.
func MarkKind(secrets *values.Marks, id manifest.Identity, at ...property.PathSegment) {
	for _, keys := range manifest.SecretPaths(id.APIVersion, id.Kind) {
		path := slices.Clip(at)
		for _, key := range keys {
			path = append(path, property.NewSegment(key))
		}
		secrets.Add(property.PathFromSegments(path...))
	}
}

// KindTexts returns the texts in the places that [MarkKind] marks.
func KindTexts(object map[string]any) []string {
	id := manifest.IdentityOf(object)
	var texts []string
	for _, keys := range manifest.SecretPaths(id.APIVersion, id.Kind) {
		if v, found, err := unstructured.NestedFieldNoCopy(object, keys...); found && err == nil {
			texts = append(texts, Texts(v)...)
		}
	}
	return texts
}

// IsKindSecret reports whether a field of an object of a kind equals, is inside or contains one of the places that
// [MarkKind] marks.
func IsKindSecret(id manifest.Identity, path fieldpath.Path) bool {
	for _, keys := range manifest.SecretPaths(id.APIVersion, id.Kind) {
		inside := true
		for i := 0; i < min(len(keys), len(path)); i++ {
			inside = inside && path[i].FieldName != nil && *path[i].FieldName == keys[i]
		}
		if inside {
			return true
		}
	}
	return false
}
