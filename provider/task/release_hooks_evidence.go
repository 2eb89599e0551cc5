package task

import (
	"context"
	"sync"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// evidence are the Jobs of hooks that have run before a deletion, and that are to go after a success. They have a time to live. But
// the engine deletes the hooks behind a release last, when it has saved that those in front of it are done: then nobody needs their
// Jobs any more, and they go with the release, as with Helm. Those of the last hooks have nothing after them.
type evidence struct {
	mu   sync.Mutex
	left map[resource.URN]ended
}

// ended are the Jobs of one deletion.
type ended struct {
	place releasePlace
	jobs  []*step
}

// releasePlace is a release in a cluster.
type releasePlace struct {
	cluster connect.Target
	release string
}

// note remembers the Jobs of a deletion that is done.
func (e *evidence) note(urn resource.URN, steps []*step) {
	var jobs []*step
	for _, s := range steps {
		if isJob(s.target.Identity().GroupKind()) && !s.in.keeps(true) {
			jobs = append(jobs, s)
		}
	}
	if len(jobs) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left == nil {
		e.left = map[resource.URN]ended{}
	}
	e.left[urn] = ended{releasePlace{jobs[0].target.Cluster.Target(), jobs[0].in.hook.release}, jobs}
}

// takeBefore returns the Jobs that other hooks of the same release have left.
func (e *evidence) takeBefore(urn resource.URN, in releasePlace) (jobs []*step) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for by, left := range e.left {
		if by != urn && left.place == in {
			jobs = append(jobs, left.jobs...)
			delete(e.left, by)
		}
	}
	return jobs
}

// isEmpty reports whether there is none.
func (e *evidence) isEmpty() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.left) == 0
}

// removeEvidence removes what the hooks in front of the release have left. What cannot be removed has a time to live.
func (r *releaseHooksResource) removeEvidence(ctx context.Context, req p.DeleteRequest) {
	if r.evidence.isEmpty() {
		return
	}
	clu, err := r.source.Cluster(req.OldInputs)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, s := range r.evidence.takeBefore(req.Urn, releasePlace{clu.Target(), values.Text(req.OldInputs.Get(keyRelease))}) {
		if err := remove(ctx, s.target.Cluster, s.target.Ref, s.live.GetUID()); err != nil {
			p.GetLogger(ctx).Debugf("%s goes by its time to live: %v", s.target.Ref, err)
		}
	}
}
