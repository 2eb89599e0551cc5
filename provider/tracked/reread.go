package tracked

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
)

// KeepUnread answers a read that failed with what was known before. An error would end the whole operation, a destroy
// included. The mark makes the next Diff look for itself, with the connection of the program that runs now.
func KeepUnread(
	ctx context.Context, source *connection.Source, clu *cluster.Cluster, req p.ReadRequest, explained error,
) p.ReadResponse {
	source.WarnUnread(ctx, clu, explained)
	return p.ReadResponse{
		ID: req.ID, Inputs: req.Inputs, Properties: req.Properties.Set(keyStale, property.New(true)),
	}
}

// ClusterForDiff returns the cluster to compare with. It is nil where the connection is not known yet, and where it
// cannot be used although nothing else than what was applied is wanted: the engine also calls Diff right after the read
// that failed, with the connection of the last run, and the program that runs now may bring another one.
func (s State) ClusterForDiff(
	ctx context.Context, source *connection.Source, req p.DiffRequest, unchanged bool,
) (clu *cluster.Cluster, known bool, err error) {
	clu, err = source.Cluster(req.Inputs)
	switch {
	case errors.Is(err, connection.ErrUnknown):
		known = false
	case err != nil && (!s.Stale || !s.Pending && !unchanged):
		return nil, false, err
	case err != nil:
		source.WarnUnread(ctx, clu, err)
		known = true
	default:
		known = true
	}
	source.WarnIfMoved(ctx, req.OldInputs, req.Inputs)
	return clu, known, nil
}

// IsToReread reports whether Diff has to read for itself, because the read before it failed. That read used the
// connection of the last run; Diff has that of the program that runs now. Asking one that has failed would fail again,
// and with it the operation.
func (s State) IsToReread(source *connection.Source, clu *cluster.Cluster) bool {
	return s.Stale && clu != nil && !source.Unreachable(clu)
}
