package failure

import (
	"errors"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// typedPatchMarks are the API server's phrases for a manifest that does not fit the kind's schema.
var typedPatchMarks = []string{
	typedPatchObject,
	"field not declared in schema",
	"duplicate entries for key",
	"unable to convert unstructured object to", // a value of another type, or no quantity
}

// typedPatchObject starts a message about the manifest that was sent.
const typedPatchObject = "failed to create typed patch object"

// IsTypedLiveError recognises a server-side apply that was refused because the live object does not fit a schema:
// that of another version, in which some manager has recorded its fields. Like [IsTypedPatchError], it goes by the
// text, because nothing else tells; a false positive costs one read of the object.
func IsTypedLiveError(err error) bool {
	var status apierrors.APIStatus
	return IsTypedPatchError(err) && errors.As(err, &status) &&
		strings.Contains(status.Status().Message, "field not declared in schema") &&
		!strings.Contains(status.Status().Message, typedPatchObject)
}

// IsTypedPatchError recognises a server-side apply of a manifest that does not fit the kind's schema: an unknown
// field, a keyed list with a duplicate key, or a value that its type cannot hold. The API server answers such a
// manifest with HTTP 500 and no reason, and writes nothing. Only the text distinguishes this user mistake from a
// broken server. A wrong match is harmless in one direction only, so the marks are whole phrases of the server's own
// and never match inside other status codes.
func IsTypedPatchError(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Code != http.StatusInternalServerError {
		return false
	}
	message := status.Status().Message
	for _, mark := range typedPatchMarks {
		if strings.Contains(message, mark) {
			return true
		}
	}
	return false
}
