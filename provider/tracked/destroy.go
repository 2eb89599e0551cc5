package tracked

import (
	"errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// ExplainDestroy completes the error of a Delete. The engine runs it with the connection of the last update, so who has
// renewed the credentials since has to bring them into the state first.
func ExplainDestroy(err error) error {
	if explained := (*failure.Failure)(nil); errors.As(err, &explained) && explained.Class == failure.ClassAuthentication {
		explained.Next = "a destroy uses the connection of the last `pulumi up`. If its credentials have been renewed since, " +
			"run `pulumi up` first; else renew them."
	}
	return err
}
