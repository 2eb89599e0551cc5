package functions

import (
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// lastApplied is where kubectl keeps a copy of the manifest, that of a Secret with all that it holds.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// secretPlaces are the places in a manifest that are secret whatever the program says.
func secretPlaces(object map[string]any) (secrets values.Marks) {
	if id := manifest.IdentityOf(object); !manifest.IsSecretKind(id.APIVersion, id.Kind) {
		return secrets
	}
	for _, place := range [][]string{{"data"}, {"stringData"}, {"metadata", "annotations", lastApplied}} {
		path := make([]property.PathSegment, len(place))
		for i, key := range place {
			path[i] = property.NewSegment(key)
		}
		secrets.Add(property.PathFromSegments(path...))
	}
	return secrets
}

// redact hides secret texts in an error. It keeps nothing else, since its cause would show them.
func redact(err error, secrets []string) error {
	if err == nil || len(secrets) == 0 {
		return err
	}
	return errors.New(failure.NewRedactor(secrets).Redact(err.Error()))
}
