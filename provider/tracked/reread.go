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

// KeepStale answers a read that failed with what was known before, and marks it as stale. An error would end the whole
// operation, a destroy included, and the connection is that of the last run, which may have expired since: the mark
// makes the program's Diff read again with the connection that it has now.
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

// IsStale reports whether the last read of a resource failed, from its outputs.
func IsStale(outputs property.Map) bool { return values.Flag(outputs.Get(keyStale)) }

// Reread returns the outputs of a resource whose object was looked at again.
func Reread(outputs property.Map) property.Map { return outputs.Delete(keyStale) }

// ClusterForDiff returns the cluster to compare with. It is nil where the connection is not known yet, and where that
// of the last run cannot be used any more, which must not fail the engine's own Diff. Of the program's it is an error.
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
		source.WarnIfMoved(ctx, req.OldInputs, req.Inputs) // else it is known for certain
	}
	return clu, !unknown, nil
}

// IsToReread reports whether Diff has to read for itself, because the read before it failed. What was not looked at in
// this run is never "unchanged": where this read fails too, so does the Diff of the resource.
func (s State) IsToReread(clu *cluster.Cluster, programmed bool) bool {
	return s.Stale && clu != nil && programmed
}

// OvertakenDiff is for a changed program that finds everything in place because it says what had drifted. An update takes
// that up: what was applied before must not count as drift from then on, and fields that others have taken are ours again.
func (s State) OvertakenDiff() p.DiffResponse {
	if s.Applied == nil {
		return p.DiffResponse{}
	}
	return Changed(keyAppliedProjection, p.Update)
}

// UncheckedDiff shows that a resource was not looked at, where the engine's own Diff follows a read that failed: a
// refresh that could not see anything must not say that nothing has changed. It adds to what else there is to say.
func (s State) UncheckedDiff(diff p.DiffResponse, programmed bool) p.DiffResponse {
	if !s.Stale || programmed || diff.HasChanges {
		return diff
	}
	return Unchecked()
}

// Unchecked is the diff of a resource that was not looked at.
func Unchecked() p.DiffResponse { return Changed(keyStale, p.Update) }
