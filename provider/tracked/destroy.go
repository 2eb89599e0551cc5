package tracked

import (
	"errors"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// ExplainDestroy completes the error of a Delete. The engine runs Delete with the connection of the last update, so
// users who have renewed the credentials since must first bring them into the state. An unreachable object is forgotten
// only if the user says so. For that, the user needs its id, which ExplainDestroy takes from saved, the state of the
// resource.
func ExplainDestroy(err error, saved property.Map) error {
	explained := (*failure.Failure)(nil)
	switch origin := DecodeOrigin(saved.Get(KeyCluster)); {
	case !errors.As(err, &explained):
	case slices.Contains([]failure.Class{failure.ClassUnreachable, failure.ClassDNS}, explained.Class) && !origin.IsZero():
		explained.Next += " " + origin.howToForget()
	case explained.Class == failure.ClassAuthentication:
		explained.Next = "a destroy uses the connection of the last `pulumi up`. If its credentials were renewed since, run " +
			"`pulumi up` first; otherwise renew them."
	case explained.Class == failure.ClassKindNotServed:
		explained.Next += " To give the object up instead, take the resource out of the state with `pulumi state delete`; the " +
			"object stays in the cluster."
	}
	return err
}
