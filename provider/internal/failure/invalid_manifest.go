package failure

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Mistake is something wrong in a manifest.
type Mistake struct {
	// Field is the place, such as "spec.ports[0].port"; empty if the mistake concerns the whole manifest.
	Field string
	// Message is the API server's description.
	Message string
}

func (m Mistake) String() string {
	if m.Field == "" {
		return brief(m.Message)
	}
	return m.Field + ": " + brief(m.Message)
}

// ManifestError lists the mistakes in a manifest that the API server refused without naming all of them.
type ManifestError struct {
	// Mistakes are the mistakes that we found, at least one.
	Mistakes []Mistake
	// Err is the refusal.
	Err error
}

func (e *ManifestError) Error() string { return e.Err.Error() }

// Unwrap gives the refusal.
func (e *ManifestError) Unwrap() error { return e.Err }

// Mistakes lists the mistakes in the manifest that err names field by field.
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
		// A label that is also in the template is refused once for each object that it would be on, in the same
		// words.
		if !slices.Contains(mistakes, mistake) {
			mistakes = append(mistakes, mistake)
		}
	}
	return mistakes
}

// describeInvalid names a single mistake on the first line, and counts several.
func (f *Failure) describeInvalid(err error, begin string, hide Redactor) {
	if IsTypedPatchError(err) {
		f.What = begin + "the manifest does not fit the kind's schema"
	}
	switch mistakes := Mistakes(err); {
	case len(mistakes) > 1:
		f.What += fmt.Sprintf(" in %d places", len(mistakes))
	case len(mistakes) == 1 && !strings.Contains(f.Why[0], "\n") && len(begin)+len(f.Why[0]) <= maxFirstLine:
		f.What, f.Why = begin+f.Why[0], nil
	case len(mistakes) == 1 && mistakes[0].Field != "":
		f.What += " at " + hide.Redact(mistakes[0].Field)
	}
}

// maxFirstLine bounds the first line if it includes a text from the API server.
const maxFirstLine = 160
