package runner

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
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
func (r *run) asFailure(err error, otherwise string) *failure {
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
		return &failure{reason: ReasonConfigInvalid, message: err.Error() + "\n" + r.setWhere(err.Error())}
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

// missed are the keys of the configuration that Pulumi misses, and refused is the one whose value it refuses.
var (
	missed  = regexp.MustCompile(`missing configuration values? ('.*')`)
	refused = regexp.MustCompile(`configuration key ('[^']*')`)
	quoted  = regexp.MustCompile(`'([^']+)'`)
)

// setWhere says where a value is set that Pulumi has missed, or refused. An object of a class has it in its spec, and nothing else is for who
// has the object.
func (r *run) setWhere(refusal string) string {
	if r.inputs.Instance == "" {
		return "Set it in the Environment's config or secretConfig."
	}
	var fields []string
	for _, pattern := range []*regexp.Regexp{missed, refused} {
		if found := pattern.FindStringSubmatch(refusal); found != nil {
			for _, key := range quoted.FindAllStringSubmatch(found[1], -1) {
				fields = append(fields, "spec."+key[1][strings.Index(key[1], ":")+1:])
			}
			break
		}
	}
	return fmt.Sprintf("Set %s of the %s. If its kind has no such field, the platform team sets it in spec.template.config of the class.",
		cmp.Or(strings.Join(fields, " and "), "it in spec"), r.inputs.Instance)
}

// missingConfig says whether Pulumi has refused the configuration, which it does before the engine begins, in words alone.
func missingConfig(err error) bool {
	command, ok := errors.AsType[*commandError](err)
	return ok && slices.ContainsFunc(standardError(command.report.err), func(line string) bool {
		return strings.HasPrefix(line, "validating stack config:")
	})
}
