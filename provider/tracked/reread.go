package tracked

import (
	"context"
	"errors"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// KeepStale answers a failed read with what was known before, and marks it as stale. An error would end the whole
// operation, including a destroy. The connection is the last run's and may have expired since, so the mark makes the
// program's Diff read again with the current connection.
func KeepStale(
	ctx context.Context, source *connection.Source, clu *cluster.Cluster, req p.ReadRequest, explained error,
) p.ReadResponse {
	if elsewhere := (*ElsewhereError)(nil); errors.As(explained, &elsewhere) && elsewhere.Certain {
		source.WarnOnce(ctx, elsewhere.about(), elsewhere.notChecked())
	} else {
		source.WarnUnread(ctx, clu, DecodeOrigin(req.Properties.Get(KeyCluster)).Target.Server, explained)
	}
	return p.ReadResponse{
		ID: req.ID, Inputs: req.Inputs, Properties: req.Properties.Set(keyStale, property.New(true)),
	}
}

// IsStale reports from a resource's outputs whether its last read failed.
func IsStale(outputs property.Map) bool { return values.Flag(outputs.Get(keyStale)) }

// Reread returns the outputs of a resource after its object was read again.
func Reread(outputs property.Map) property.Map { return outputs.Delete(keyStale) }

// ClusterForDiff returns the cluster to compare with. It is nil if the connection is not known yet. It is also nil in
// the engine's own Diff if the connection of the last run no longer works, because that must not fail there. In the
// program's Diff, that is an error.
func ClusterForDiff(
	ctx context.Context, source *connection.Source, req p.DiffRequest, programmed bool,
) (clu *cluster.Cluster, known bool, err error) {
	clu, err = source.Cluster(req.Inputs)
	unknown := errors.Is(err, connection.ErrUnknown)
	origin := DecodeOrigin(req.State.Get(KeyCluster))
	if err != nil && !unknown && programmed {
		if !origin.IsZero() {
			err = fmt.Errorf("%w\n  last seen in: %s", err, origin)
		}
		return nil, false, err
	}
	if origin.IsZero() {
		source.WarnIfMoved(ctx, req.OldInputs, req.Inputs) // otherwise the origin decides
	}
	return clu, !unknown, nil
}

// IsToReread reports whether the program's Diff must read for itself because the read before it failed. A resource that
// was not read in this run is never "unchanged": if this read fails too, so does the Diff of the resource.
func (s State) IsToReread(clu *cluster.Cluster) bool { return s.Stale && clu != nil }

// OvertakenDiff returns the diff for a changed program that finds everything in place because it adopts what had
// drifted. An update records that: the previously applied values must no longer count as drift, and we become an owner
// again of fields that others have taken.
func (s State) OvertakenDiff() p.DiffResponse {
	if s.Applied == nil {
		return p.DiffResponse{}
	}
	return Changed(keyAppliedProjection, p.Update)
}

// UncheckedDiff adds to the engine's own Diff that a resource was not read, if it follows a failed read: a refresh that
// could not see anything must not report that nothing has changed.
func (s State) UncheckedDiff(diff p.DiffResponse) p.DiffResponse {
	if !s.Stale || diff.HasChanges {
		return diff
	}
	return Unchecked()
}

// Unchecked returns the diff of a resource that was not read.
func Unchecked() p.DiffResponse { return Changed(keyStale, p.Update) }
