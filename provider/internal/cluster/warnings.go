package cluster

import "context"

type warningsKey struct{}

// WithWarnings calls handle with every warning that the API server sends with its answers to requests under the
// context. Without it, warnings are dropped. handle may be called from several goroutines.
func WithWarnings(ctx context.Context, handle func(text string)) context.Context {
	return context.WithValue(ctx, warningsKey{}, handle)
}

// contextWarnings passes warnings to the handler in the request's context.
type contextWarnings struct{}

// warningCode is the only code that Kubernetes uses (RFC 7234, "miscellaneous persistent warning").
const warningCode = 299

// HandleWarningHeaderWithContext implements rest.WarningHandlerWithContext.
func (contextWarnings) HandleWarningHeaderWithContext(ctx context.Context, code int, _ string, text string) {
	if code != warningCode || text == "" {
		return
	}
	if handle, ok := ctx.Value(warningsKey{}).(func(string)); ok && handle != nil {
		handle(text)
	}
}
