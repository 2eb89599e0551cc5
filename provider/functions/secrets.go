package functions

import (
	"errors"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

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

// redact replaces secret texts in a message. The error keeps nothing else, since its cause would show them.
func redact(err error, secrets []string) error {
	if err == nil || len(secrets) == 0 {
		return err
	}
	pairs := make([]string, 0, 2*len(secrets))
	for _, text := range secrets {
		pairs = append(pairs, text, "[secret]")
	}
	return errors.New(strings.NewReplacer(pairs...).Replace(err.Error()))
}
