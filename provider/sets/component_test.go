package sets

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

func TestTheEndOfARunIsToldAsThat(t *testing.T) {
	t.Parallel()
	for name, canceled := range map[string]error{
		"the engine has canceled the call": status.Error(codes.Canceled, "grpc: the client connection is closing"),
		"the engine has gone":              status.Error(codes.Unavailable, "error reading from server: EOF"),
		"the call ends before a request":   fmt.Errorf("requesting the chart: %w", context.Canceled),
		"what the framework wraps":         fmt.Errorf("waiting for RPCs: %w", status.Error(codes.Canceled, "context canceled")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := unfinished("shop", canceled)
			reason, _ := failure.ReasonOf(err)
			assert.Equal(t, failure.ReasonInterrupted, reason)
			assert.ErrorContains(t, err, `the set "shop" is not complete: the run ended`)
			assert.NotContains(t, err.Error(), "grpc")
		})
	}
	for name, other := range map[string]error{
		"no error":             nil,
		"what is refused":      errors.New("manifest: refused"),
		"an error of its own":  failure.Errorf(failure.ReasonInvalid, "the inputs are refused"),
		"an error of the call": status.Error(codes.InvalidArgument, "no such type"),
	} {
		t.Run(name+" stays as it is", func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, other, unfinished("shop", other))
		})
	}
}
