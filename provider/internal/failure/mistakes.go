package failure

import (
	"errors"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Mistake is something wrong in a manifest.
type Mistake struct {
	// Field is where, such as "spec.ports[0].port"; empty if it is about the whole.
	Field string
	// Message is what, as the API server says it.
	Message string
}

func (m Mistake) String() string {
	if m.Field == "" {
		return m.Message
	}
	return m.Field + ": " + m.Message
}

// ManifestError lists the mistakes in a manifest that the API server has refused without naming all of them.
type ManifestError struct {
	// Mistakes are what was found out, at least one.
	Mistakes []Mistake
	// Err is the refusal.
	Err error
}

func (e *ManifestError) Error() string { return e.Err.Error() }

// Unwrap gives the refusal.
func (e *ManifestError) Unwrap() error { return e.Err }

// Mistakes lists what err says to be wrong in the manifest, as far as it says so field by field.
func Mistakes(err error) []Mistake {
	if found := (*ManifestError)(nil); errors.As(err, &found) {
		return found.Mistakes
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return nil
	}
	if IsTypedPatchError(err) {
		return typedPatchMistakes(status.Status().Message)
	}
	if !apierrors.IsInvalid(err) {
		return nil
	}
	var mistakes []Mistake
	for _, cause := range causesOf(status.Status()) {
		mistake := Mistake{Field: strings.TrimPrefix(cause.Field, "<nil>"), Message: cause.Message}
		if !slices.Contains(mistakes, mistake) { // the API server may say it once for each of its checks
			mistakes = append(mistakes, mistake)
		}
	}
	return mistakes
}
