package failure

import (
	"errors"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// patchField is the field that the API server blames when a JSON patch or a merge patch produces an object that it
// cannot decode. It then quotes the whole object, with all its values, before it says what is wrong.
const patchField = "patch"

// WithoutPatchedObject removes that object from err: it contains values of others, including a Secret's data. It
// returns any other error unchanged.
func WithoutPatchedObject(err error) error {
	var refused *apierrors.StatusError
	if !apierrors.IsInvalid(err) || !errors.As(err, &refused) || refused.ErrStatus.Details == nil {
		return err
	}
	status := refused.ErrStatus.DeepCopy()
	var messages []string
	for i := range status.Details.Causes {
		cause := &status.Details.Causes[i]
		if cause.Field == patchField {
			cause.Field, cause.Message = "", behindQuoted(cause.Message)
			messages = append(messages, cause.Message)
		}
	}
	if len(messages) == 0 {
		return err
	}
	status.Message = strings.Join(messages, "; ")
	return &apierrors.StatusError{ErrStatus: *status}
}

// behindQuoted returns what follows the first quoted text. If a text does not have that form, none of it is shown.
func behindQuoted(message string) string {
	if at := strings.IndexByte(message, '"'); at >= 0 {
		if quoted, err := strconv.QuotedPrefix(message[at:]); err == nil {
			if rest, ok := strings.CutPrefix(message[at+len(quoted):], ": "); ok && rest != "" {
				return rest
			}
		}
	}
	return "the patched object does not fit the kind's schema"
}
