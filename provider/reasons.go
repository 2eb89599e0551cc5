package provider

import (
	"context"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// withReasons lets every error that leaves the provider end its first line with its reason, in brackets. It is the only
// place that writes reasons: where an error arises, it only knows its own.
func withReasons(built p.Provider) p.Provider {
	inner := built
	built.CheckConfig = func(ctx context.Context, req p.CheckRequest) (p.CheckResponse, error) {
		resp, err := inner.CheckConfig(ctx, req)
		for i := range resp.Failures {
			resp.Failures[i].Reason = mark(resp.Failures[i].Reason, failure.ReasonInvalidConfiguration)
		}
		return resp, reasoned(err)
	}
	built.Check = func(ctx context.Context, req p.CheckRequest) (p.CheckResponse, error) {
		resp, err := inner.Check(ctx, req)
		markFailures(resp.Failures)
		return resp, reasoned(err)
	}
	built.Invoke = func(ctx context.Context, req p.InvokeRequest) (p.InvokeResponse, error) {
		resp, err := inner.Invoke(ctx, req)
		markFailures(resp.Failures)
		return resp, reasoned(err)
	}
	built.Create = func(ctx context.Context, req p.CreateRequest) (p.CreateResponse, error) {
		resp, err := inner.Create(ctx, req)
		markUnfinished(resp.PartialState, err)
		return resp, reasoned(err)
	}
	built.Read = func(ctx context.Context, req p.ReadRequest) (p.ReadResponse, error) {
		resp, err := inner.Read(ctx, req)
		markUnfinished(resp.PartialState, err)
		return resp, reasoned(err)
	}
	built.Update = func(ctx context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
		resp, err := inner.Update(ctx, req)
		markUnfinished(resp.PartialState, err)
		return resp, reasoned(err)
	}
	built.Diff = func(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
		resp, err := inner.Diff(ctx, req)
		return resp, reasoned(err)
	}
	built.DiffConfig = func(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
		resp, err := inner.DiffConfig(ctx, req)
		return resp, reasoned(err)
	}
	built.Configure = func(ctx context.Context, req p.ConfigureRequest) error { return reasoned(inner.Configure(ctx, req)) }
	built.Delete = func(ctx context.Context, req p.DeleteRequest) error { return reasoned(inner.Delete(ctx, req)) }
	return built
}

// reasonedError is an error with its reason on its first line.
type reasonedError struct {
	error

	reason failure.Reason
}

func (e *reasonedError) Error() string { return mark(e.error.Error(), e.reason) }

func (e *reasonedError) Unwrap() error { return e.error }

// reasoned adds the reason of an error. What the framework has not got is answered in a way that the engine knows, and
// shows to nobody.
func reasoned(err error) error {
	if err == nil || status.Code(err) == codes.Unimplemented {
		return err
	}
	return &reasonedError{err, reasonOf(err)}
}

// reasonOf is the reason of any error. One that has none is a mistake of ours.
func reasonOf(err error) failure.Reason {
	if reason, ok := failure.ReasonOf(err); ok {
		return reason
	}
	return failure.ReasonProviderError
}

// markUnfinished adds the reason of an error to what is saved of it in the state.
func markUnfinished(unfinished *p.InitializationFailed, err error) {
	if unfinished == nil || err == nil {
		return
	}
	for i := range unfinished.Reasons {
		unfinished.Reasons[i] = mark(unfinished.Reasons[i], reasonOf(err))
	}
}

// markFailures adds the reason to what is wrong with inputs.
func markFailures(failures []p.CheckFailure) {
	for i := range failures {
		reason := failure.ReasonInvalid
		if property := failures[i].Property; property == connection.Key || strings.HasPrefix(property, connection.Key+".") {
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
