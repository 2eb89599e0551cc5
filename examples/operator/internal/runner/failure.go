package runner

import (
	"errors"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// The reasons of failures.
const (
	ReasonUpdateFailed     = "UpdateFailed"
	ReasonPreviewFailed    = "PreviewFailed"
	ReasonDestroyFailed    = "DestroyFailed"
	ReasonDriftCheckFailed = "DriftCheckFailed"
	ReasonProgramInvalid   = "ProgramInvalid"
	ReasonConfigInvalid    = "ConfigInvalid"
	ReasonTimedOut         = "TimedOut"
	ReasonOutputsInvalid   = "OutputsInvalid"
	ReasonPlanChanged      = v1alpha1.ReasonPlanChanged
	ReasonStateUnusable    = "StateUnusable"
	ReasonStackTaken       = "StackTaken"
	ReasonStackLocked      = "StackLocked"
	// ReasonForbidden is in no record: whoever may not hold the Lease or read the state may not write it either.
	ReasonForbidden = "Forbidden"
)

// failure is why an operation failed.
type failure struct {
	reason  string
	message string
}

func (f *failure) Error() string { return f.message }

// asFailure finds out the reason of an error; otherwise is the reason of all that have none of their own.
func asFailure(err error, otherwise string) *failure {
	if known, ok := errors.AsType[*failure](err); ok {
		return known
	}
	reason := otherwise
	switch {
	case errors.Is(err, stack.ErrProgram):
		reason = ReasonProgramInvalid
	case errors.Is(err, stack.ErrConfig):
		reason = ReasonConfigInvalid
	case missingConfig(err):
		return &failure{reason: ReasonConfigInvalid, message: err.Error() + "\nSet it in the Environment's config or secretConfig."}
	case apierrors.IsForbidden(err):
		return &failure{reason: ReasonForbidden, message: "The service account of the run may not do what each run has to do. Bind the Role environment-runner to it.\n" + err.Error()}
	case errors.Is(err, stack.ErrKey), errors.Is(err, state.ErrDamaged):
		reason = ReasonStateUnusable
	}
	return &failure{reason: reason, message: err.Error()}
}

var (
	errInterrupted = errors.New("the run was told to end")
	errTimedOut    = errors.New("the run took too long")
)

// missingConfig says whether Pulumi has refused the configuration, which it does before the engine begins, in words alone.
func missingConfig(err error) bool {
	command, ok := errors.AsType[*commandError](err)
	return ok && slices.ContainsFunc(standardError(command.report.err), func(line string) bool {
		return strings.HasPrefix(line, "validating stack config:")
	})
}
