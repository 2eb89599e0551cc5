package task

import (
	"context"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// abandonedRuns finds what is left of a deletion that was begun and did not come to its end. If the release is used again, that deletion
// is over: what has run for it is no reason not to run it in the next one, and what still runs must not meet the release.
//
// Where it is not known what there is, there is nothing: the next deletion looks again.
func (r *releaseHooksResource) abandonedRuns(ctx context.Context, urn resource.URN, inputs property.Map, s hooksState) (left []*step) {
	in, err := decodeSteps(inputs)
	if isEmpty(inputs) || err != nil {
		return nil
	}
	clu, err := r.source.Cluster(inputs)
	if err != nil || !s.origin.IsZero() && s.origin.Target != clu.Target() {
		return nil
	}
	steps, err := newSteps(ctx, r.source, urn, in, s, clu)
	if err != nil {
		return nil
	}
	for _, one := range steps {
		if !one.runs() {
			continue
		}
		if one.live, err = one.find(ctx); err == nil && one.live != nil {
			left = append(left, one)
		}
	}
	return left
}

// endAbandoned ends the runs of a deletion that is over. One that the release still has may come to its end, so that it is not stopped
// half-way. Others are stopped: the program has replaced them.
func (r *releaseHooksResource) endAbandoned(ctx context.Context, req p.UpdateRequest, s hooksState) error {
	if values.Flag(req.Inputs.Get(keyForceDestroy)) {
		return nil // The release is to go in spite of them.
	}
	if _, err := r.source.Cluster(req.Inputs); err != nil {
		return nil // It is not known yet where the release goes on.
	}
	left := r.abandonedRuns(ctx, req.Urn, req.OldInputs, s)
	if len(left) == 0 {
		return nil
	}
	if req.DryRun {
		p.GetLogger(ctx).Infof("A deletion of the release has not come to its end. What it has run runs again in the next one: %s. What still runs is "+
			"waited for.", named(left))
		return nil
	}
	current := map[string]bool{}
	if in, err := decodeSteps(req.Inputs); err == nil {
		for _, one := range in {
			name, err := runName(one.id().Name, req.Urn, one.content, onDelete, s.hashKey)
			if err != nil {
				return err
			}
			current[name] = true
		}
	}
	for _, one := range left {
		ctx := tracked.Asking(ctx, r.source, req.Urn, one.in.sensitive, false)
		if endingOf(one.live) == nil && current[one.name] {
			if e, err := one.await(ctx, end{unfinished: interrupted, begun: true, live: one.live}); err != nil && e.unfinished == interrupted {
				return fmt.Errorf("a deletion of the release has not come to its end, and its hook may still run. "+
					"The release is not used before that: run the command again, or delete %s: %w", one.target.Ref, err)
			}
		}
		if err := remove(ctx, one.target.Cluster, one.target.Ref, one.live.GetUID()); err != nil && !failure.Gone(err) {
			return one.target.Explain("delete", err, one.in.sensitive)
		}
	}
	return nil
}

func named(steps []*step) string {
	var names []string
	for _, s := range steps {
		names = append(names, s.target.Ref.String())
	}
	return strings.Join(names, ", ")
}
