package task

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Delete runs the steps. If one fails, the later ones do not begin, and the resource stays, with everything that depends on it.
func (r *releaseHooksResource) Delete(ctx context.Context, req p.DeleteRequest) error {
	old := decodeHooksState(req.Properties)
	if isEmpty(req.OldInputs) || r.lives.IsOver(req.Urn, old.hashKey, old.since) {
		return nil
	}
	in, err := decodeSteps(req.OldInputs)
	if err != nil {
		return err
	}
	object := refOf(firstStep(req.OldInputs), "")
	clu, err := clusterOfDeletion(ctx, r.source, req.OldInputs, old.origin, object)
	if clu == nil {
		return tracked.ExplainDestroy(err, req.Properties)
	}
	d := deletion{clu: clu, force: in[0].forceDestroy}
	if d.steps, err = r.stepsOf(ctx, req.Urn, in, old, clu); err == nil {
		err = d.run(tracked.Writing(ctx, r.source, req.Urn, in[0].sensitive))
	}
	return in[0].excuse(ctx, tracked.ExplainDestroy(err, req.Properties), "The release")
}

// decodeSteps reads the steps. Each step is decoded like the inputs of a Task. All steps share the secret texts, because one step
// may show a secret of another.
func decodeSteps(properties property.Map) ([]inputs, error) {
	var common inputs
	if err := common.decodeWait(properties); err != nil {
		return nil, err
	}
	list := properties.Get(keySteps)
	if !list.IsArray() {
		return nil, errUnknownSteps
	}
	var steps []inputs
	for i, v := range list.AsArray().All {
		if !v.IsMap() {
			return nil, errUnknownSteps
		}
		object, err := common.decodeContent(fmt.Sprintf("%s[%d].%s", keySteps, i, keyManifest), v.AsMap().Get(keyManifest))
		if err != nil {
			return nil, err
		}
		manifest, _ := object.(map[string]any)
		steps = append(steps, inputs{object: manifest, content: object, hook: &hook{
			release: values.Text(properties.Get(tracked.HookRelease)), takeOver: values.Flag(properties.Get(tracked.HookTakeOver)),
			deleteAfter: values.Scalars(v.AsMap().Get(tracked.HookDeleteAfter)), formerly: values.Scalars(v.AsMap().Get(tracked.HookFormerly)),
		}})
	}
	if len(common.unknown) > 0 {
		return nil, errUnknownSteps
	}
	common.forceDestroy = values.Flag(properties.Get(keyForceDestroy))
	for i := range steps {
		steps[i].timeout, steps[i].logLines, steps[i].forceDestroy = common.timeout, common.logLines, common.forceDestroy
		steps[i].sensitive, steps[i].secret = common.sensitive, common.secret
	}
	return steps, nil
}

var errUnknownSteps = p.InternalErrorf("the engine asked to delete a release whose hooks are unknown")

// firstStep is the identity of the first step. It stands for all steps where one object has to be named.
func firstStep(properties property.Map) manifest.Identity {
	steps := properties.Get(keySteps)
	if !steps.IsArray() || steps.AsArray().Len() == 0 || !steps.AsArray().Get(0).IsMap() {
		return manifest.Identity{}
	}
	plain, _, err := values.FromProperty(steps.AsArray().Get(0).AsMap().Get(keyManifest))
	object, _ := plain.(map[string]any)
	if err != nil {
		return manifest.Identity{}
	}
	return manifest.IdentityOf(object)
}

// deletion is one attempt to run the steps.
type deletion struct {
	clu   *cluster.Cluster
	steps []*step
	// force means that the release goes although a step has failed.
	force bool
}

// step is one step of a deletion.
type step struct {
	*run

	// live is the object that the step has made; nil before that.
	live *unstructured.Unstructured
	// goesOn means that it may still be running although it has ended with an error.
	goesOn bool
}

// stepsOf prepares the steps. When a deletion is repeated, the same steps get the same names.
func (r *releaseHooksResource) stepsOf(
	ctx context.Context, urn resource.URN, in []inputs, old hooksState, clu *cluster.Cluster,
) ([]*step, error) {
	var steps []*step
	for _, in := range in {
		name, err := runName(in.id().Name, urn, in.content, onDelete, old.hashKey)
		if err != nil {
			return nil, err
		}
		made, err := newRun(ctx, r.source, in, clu, runID{object: in.id(), name: name, manager: tracked.ManagerOf(urn)})
		if err != nil {
			return nil, err
		}
		made.lasting = true // until all steps are done
		steps = append(steps, &step{run: made})
	}
	return steps, nil
}

// runs reports whether the step is a Job or a Pod. The other steps make an object that these need.
func (s *step) runs() bool { return isRun(s.target.Identity().GroupKind()) }

// run runs one step after the other. It does not repeat steps that succeeded in the last attempt.
func (d deletion) run(ctx context.Context) error {
	var runs []*run
	for _, s := range d.steps {
		if s.runs() {
			runs = append(runs, s.run)
		}
	}
	if err := forgetEarlierAttempt(ctx, runs); err != nil {
		return err
	}
	for i, s := range d.steps {
		if err := s.do(ctx); err != nil {
			d.abandon(ctx, i)
			return err
		}
	}
	pods, err := clearSteps(ctx, d.steps)
	if err != nil {
		return err
	}
	return removePods(ctx, pods)
}

// do makes the object of the step, and waits for the end of a Job or a Pod.
func (s *step) do(ctx context.Context) (err error) {
	if !s.runs() {
		o := s.runObject()
		o.passing = true
		s.live, err = s.create(ctx, s.in.objectOf(s.target.Identity()), o)
		return s.target.Explain("create", err, s.in.sensitive)
	}
	e, err := s.execute(ctx)
	s.live, s.goesOn = e.live, e.begun && e.unfinished == interrupted
	return err
}

// abandon removes what is no longer needed after a step has failed. A step that may still be running keeps its objects, unless
// the release goes: then the step is stopped. What cannot be removed is left to the next attempt.
func (d deletion) abandon(ctx context.Context, failed int) {
	s := d.steps[failed]
	if s.goesOn && !d.force || errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	// The time that the program allows for the deletion may be up, and no later command would look after these objects.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	var err error
	if s.goesOn && s.live == nil {
		s.live, err = s.find(ctx)
	}
	switch {
	case s.live == nil || !s.runs():
	case s.goesOn, !isJob(s.target.Identity().GroupKind()) && !s.in.keeps(afterFailure):
		err = remove(ctx, d.clu, s.target.Ref, s.live.GetUID())
	}
	pods, left := clearSteps(ctx, d.steps[:failed])
	if left == nil && d.force {
		left = removePods(ctx, pods)
	}
	if err = errors.Join(err, left); err != nil {
		p.GetLogger(ctx).Warningf("What was made for the hooks could not be removed: %v", err)
	}
}

// clearSteps removes, in reverse order, the objects of successful steps that must not be kept. A Job goes ten minutes later:
// until the engine has saved that the release is gone, the Job is the evidence that the hook has run. A Pod has no time to live,
// so it goes at the very end, and stays if the deletion does not get that far: the steps with such Pods are returned.
func clearSteps(ctx context.Context, steps []*step) (pods []*step, err error) {
	backwards := slices.Clone(steps)
	slices.Reverse(backwards)
	for _, s := range backwards {
		kind := s.target.Identity().GroupKind()
		switch {
		case isJob(kind):
			if _, err := s.retire(ctx, s.live, afterSuccess); err != nil {
				return nil, s.target.Explain("set the time to live of", err, s.in.sensitive)
			}
		case s.in.keeps(afterSuccess):
		case s.runs():
			pods = append(pods, s)
		default:
			if err := s.removeOne(ctx, s.target, s.name); err != nil && !failure.Gone(err) {
				return nil, s.target.Explain("delete", err, s.in.sensitive)
			}
		}
	}
	return pods, nil
}

// removePods removes the Pods of steps.
func removePods(ctx context.Context, pods []*step) error {
	for _, s := range pods {
		if err := remove(ctx, s.target.Cluster, s.target.Ref, s.live.GetUID()); err != nil {
			return s.target.Explain("delete", err, s.in.sensitive)
		}
	}
	return nil
}
