package cluster

import (
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// withoutBody replaces an error in which client-go quotes the body of the answer because the body is not a Status. Such
// a body comes from a proxy or an old component and may repeat the request.
func withoutBody(err error) error {
	var status *apierrors.StatusError
	if !errors.As(err, &status) || status.ErrStatus.Details == nil {
		return err
	}
	details := status.ErrStatus.Details
	for _, cause := range details.Causes {
		if cause.Type != metav1.CauseTypeUnexpectedServerResponse {
			continue
		}
		clean := status.ErrStatus.DeepCopy()
		clean.Message = fmt.Sprintf("HTTP %d %s, without a reason from the API server",
			clean.Code, http.StatusText(int(clean.Code)))
		clean.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeUnexpectedServerResponse}}
		return &apierrors.StatusError{ErrStatus: *clean}
	}
	return err
}

// unrouted recognises a 404 for the URL, as opposed to one for an object: the answer is not a Status.
func unrouted(err error) bool {
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// namesNothing recognises a 404 with a Status that does not say what was not found. API servers name it, except some
// aggregated ones; a gateway that does not find the cluster has no name to give.
func namesNothing(err error) bool {
	var status *apierrors.StatusError
	return apierrors.IsNotFound(err) && !unrouted(err) && errors.As(err, &status) &&
		(status.ErrStatus.Details == nil || status.ErrStatus.Details.Name == "")
}
