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

// unknownVersion is the API server's phrase for a version that the CustomResourceDefinition of a kind does not have.
const unknownVersion = "request to convert CR to an invalid group/version"

// IsUnconvertible recognises a server-side apply that was refused because the live object cannot be converted to a
// version in which some manager has recorded its fields: the version's schema does not have all fields of the object,
// or the definition no longer has the version. Nothing was written, and the same request is refused each time. Like
// [IsTypedPatchError], it goes by the text, because nothing else tells; a false positive costs one read of the object.
func IsUnconvertible(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Code != http.StatusInternalServerError {
		return false
	}
	message := status.Status().Message
	return strings.Contains(message, unknownVersion) ||
		strings.Contains(message, "field not declared in schema") && !strings.Contains(message, typedPatchObject)
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
