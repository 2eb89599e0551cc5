package provider

import (
	"context"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/typed"
)

// withReasons adds the reason, in brackets, to the first line of every error that leaves the provider. It is the only
// place that writes reasons: the code that makes an error knows only its own reason.
func withReasons(built p.Provider) p.Provider {
	built.CheckConfig = withReason(built.CheckConfig, func(resp *p.CheckResponse, _ error) {
		for i := range resp.Failures {
			resp.Failures[i].Reason = mark(resp.Failures[i].Reason, failure.ReasonInvalidConfiguration)
		}
	})
	built.Check = withReason(built.Check, func(resp *p.CheckResponse, _ error) { markFailures(resp.Failures) })
	built.Invoke = withReason(built.Invoke, func(resp *p.InvokeResponse, _ error) { markFailures(resp.Failures) })
	built.Create = withReason(built.Create, func(resp *p.CreateResponse, err error) { markUnfinished(resp.PartialState, err) })
	built.Read = withReason(built.Read, func(resp *p.ReadResponse, err error) { markUnfinished(resp.PartialState, err) })
	built.Update = withReason(built.Update, func(resp *p.UpdateResponse, err error) { markUnfinished(resp.PartialState, err) })
	built.Diff = withReason(built.Diff, func(*p.DiffResponse, error) {})
	built.DiffConfig = withReason(built.DiffConfig, func(*p.DiffResponse, error) {})
	built.Construct = withReason(built.Construct, func(*p.ConstructResponse, error) {})
	configure, remove := built.Configure, built.Delete
	built.Configure = func(ctx context.Context, req p.ConfigureRequest) error { return reasoned(configure(ctx, req)) }
	built.Delete = func(ctx context.Context, req p.DeleteRequest) error { return reasoned(remove(ctx, req)) }
	return built
}

// withReason adds the reason to the error of a call. inside adds it to the parts of the response that repeat the error.
func withReason[Request, Response any](
	call func(context.Context, Request) (Response, error), inside func(*Response, error),
) func(context.Context, Request) (Response, error) {
	return func(ctx context.Context, req Request) (Response, error) {
		resp, err := call(ctx, req)
		inside(&resp, err)
		return resp, reasoned(err)
	}
}

// reasonedError is an error with its reason on its first line.
type reasonedError struct {
	error

	reason failure.Reason
}

func (e *reasonedError) Error() string { return mark(e.error.Error(), e.reason) }

func (e *reasonedError) Unwrap() error { return e.error }

// reasoned adds the reason of an error. For a method that the framework lacks, it returns the error unchanged: the
// engine recognizes it and does not show it.
func reasoned(err error) error {
	if err == nil || status.Code(err) == codes.Unimplemented {
		return err
	}
	return &reasonedError{err, reasonOf(err)}
}

// reasonOf returns the reason of any error. An error without a reason is our mistake.
func reasonOf(err error) failure.Reason {
	if reason, ok := failure.ReasonOf(err); ok {
		return reason
	}
	return failure.ReasonProviderError
}

// markUnfinished adds the reason of an error to its text in the saved state.
func markUnfinished(unfinished *p.InitializationFailed, err error) {
	if unfinished == nil || err == nil {
		return
	}
	for i := range unfinished.Reasons {
		unfinished.Reasons[i] = mark(unfinished.Reasons[i], reasonOf(err))
	}
}

// markFailures adds the reason to the failures of inputs.
func markFailures(failures []p.CheckFailure) {
	for i := range failures {
		reason := failure.ReasonInvalid
		if property := strings.TrimPrefix(failures[i].Property, typed.Options+"."); property == connection.Key || strings.HasPrefix(property, connection.Key+".") {
			reason = failure.ReasonInvalidConfiguration
		}
		failures[i].Reason = mark(failures[i].Reason, reason)
	}
}

// mark writes a reason at the end of the first line.
func mark(text string, reason failure.Reason) string {
	first, rest, more := strings.Cut(text, "\n")
	first += " [" + string(reason) + "]"
	if more {
		return first + "\n" + rest
	}
	return first
}
