package failure

import (
	"errors"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// patchField is what the API server names as the field at fault when a JSON patch or a merge patch makes an object
// that it cannot decode. It quotes the whole object then, with all that is in it, before it says what is wrong.
const patchField = "patch"

// WithoutPatchedObject takes that object out of err: it has the values of others, a Secret's data among them. Any other
// error is returned as it is.
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

// behindQuoted is what follows the first quoted text. A text that has no such form is not shown at all.
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
