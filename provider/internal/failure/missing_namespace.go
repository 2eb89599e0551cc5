package failure

import (
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// NamespaceMissing reports whether err is a 404 about the namespace of an object, not about the object itself.
func NamespaceMissing(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	answer := status.Status()
	return answer.Code == http.StatusNotFound && answer.Details != nil && answer.Details.Kind == kindNamespaces
}
