package tracked

import (
	"errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// ExplainDestroy completes the error of a Delete. The engine runs Delete with the connection of the last update, so
// users who have renewed the credentials since must first bring them into the state.
func ExplainDestroy(err error) error {
	if explained := (*failure.Failure)(nil); errors.As(err, &explained) && explained.Class == failure.ClassAuthentication {
		explained.Next = "a destroy uses the connection of the last `pulumi up`. If its credentials were renewed since, run " +
			"`pulumi up` first; otherwise renew them."
	}
	return err
}
