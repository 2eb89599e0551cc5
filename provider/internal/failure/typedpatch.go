package failure

import (
	"errors"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// typedPatchMarks are what the API server says about a manifest that does not fit the kind's schema.
var typedPatchMarks = []string{
	"failed to create typed patch object",
	"field not declared in schema",
	"duplicate entries for key",
	"unable to convert unstructured object to", // a value of another type, or no quantity
}

// IsTypedPatchError recognises a server-side apply of a manifest that does not fit the kind's schema: an unknown
// field, a keyed list with the same key twice, or a value that its type cannot hold. The API server answers such a manifest with HTTP 500 and no
// reason, and writes nothing. It is the only failure that is recognised by its text, because nothing else tells this
// mistake of the user from a server that is broken; getting it wrong is harmless in one direction only, so the
// marks are whole phrases of the server's own and never match inside other status codes.
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
