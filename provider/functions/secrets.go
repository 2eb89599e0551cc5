package functions

import (
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// secretPlaces are the places in a manifest that are secret whatever the program says.
func secretPlaces(object map[string]any) (secrets values.Marks) {
	id := manifest.IdentityOf(object)
	for _, keys := range manifest.SecretPaths(id.APIVersion, id.Kind) {
		path := make([]property.PathSegment, len(keys))
		for i, key := range keys {
			path[i] = property.NewSegment(key)
		}
		secrets.Add(property.PathFromSegments(path...))
	}
	return secrets
}

// secretTexts are the texts in those places.
func secretTexts(object map[string]any) (texts []string) {
	id := manifest.IdentityOf(object)
	for _, keys := range manifest.SecretPaths(id.APIVersion, id.Kind) {
		if value, found, err := unstructured.NestedFieldNoCopy(object, keys...); found && err == nil {
			texts = append(texts, tracked.Texts(value)...)
		}
	}
	return texts
}

// redact hides secret texts in an error. It keeps nothing else, since its cause would show them.
func redact(err error, secrets []string) error {
	if err == nil || len(secrets) == 0 {
		return err
	}
	return errors.New(failure.NewRedactor(secrets).Redact(err.Error()))
}
