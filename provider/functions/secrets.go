package functions

import (
	"errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// secretPlaces are the places in a manifest that are secret whatever the program says.
func secretPlaces(object map[string]any) (secrets values.Marks) {
	tracked.MarkKind(&secrets, manifest.IdentityOf(object))
	return secrets
}

// redact hides secret texts in an error. It keeps nothing else, since its cause would show them.
func redact(err error, secrets []string) error {
	if err == nil || len(secrets) == 0 {
		return err
	}
	return errors.New(failure.NewRedactor(secrets).Redact(err.Error()))
}
