package object

import (
	"context"
	"errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// inOneVersion retries the write after removing the obstacle.
func inOneVersion(ctx context.Context, in inputs, write func(context.Context) (outcome, error)) (outcome, error) {
	result, err := write(ctx)
	if outdated := (*tracked.OutdatedError)(nil); !errors.As(err, &outdated) {
		return result, err
	}
	if err := result.target.PutInOneVersion(ctx); err != nil {
		return result, result.target.Explain("note the managed fields in one version of", err, in.sensitive())
	}
	return write(ctx)
}
