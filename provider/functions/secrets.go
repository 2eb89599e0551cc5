package functions

import (
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// secretPlaces returns the places in a manifest that are secret whatever the program says.
func secretPlaces(object map[string]any) (secrets values.Marks) {
	tracked.MarkKind(&secrets, manifest.IdentityOf(object))
	return secrets
}

// secretTexts returns the texts that the program passed as secrets in the named arguments.
func secretTexts(args property.Map, names []string) (texts []string) {
	for _, name := range names {
		if arg := args.Get(name); arg.Secret() && arg.IsString() && arg.AsString() != "" {
			texts = append(texts, arg.AsString())
		}
	}
	return texts
}

// redact hides secret texts in an error. It drops the cause, which would show them.
func redact(err error, secrets []string) error {
	if err == nil || len(secrets) == 0 {
		return err
	}
	redacted := errors.New(failure.NewRedactor(secrets).Redact(err.Error()))
	if reason, ok := failure.ReasonOf(err); ok {
		return failure.Because(reason, redacted)
	}
	return redacted
}
