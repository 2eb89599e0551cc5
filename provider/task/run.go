package task

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/diagnosis"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// run is one run of a Task.
type run struct {
	in inputs
	// name distinguishes the run from all others.
	name string
	// with are the objects that exist only for this run, or for this run and other hooks of the event.
	with []needed
	// target is the object of the run, and the field manager that makes it.
	target tracked.Target
	// sensitive are all texts that must not be shown.
	sensitive []string
	// lasting means that the object of a successful run is not touched: it is evidence for longer than this run.
	lasting bool
	// unremembered means that no state has the object after the run, so that no later run removes it.
	unremembered bool
}

// end is how far a run came.
type end struct {
	// unfinished is empty if the run has succeeded.
	unfinished unfinished
	// begun means that something of the run may be in the cluster.
	begun bool
	// live is the object as it was seen last.
	live *unstructured.Unstructured
	// stays means that the object is kept permanently.
	stays  bool
	result result
}

// outcome says how a run that has ended did so.
func (e end) outcome() outcome {
	if e.unfinished == "" {
		return afterSuccess
	}
	return afterFailure
}

// execute runs to the end: it makes what the run needs, waits, collects the result, and removes the objects that existed only for
// the run. It continues with whatever objects of the same run exist already.
func (r *run) execute(ctx context.Context) (end, error) {
	e := end{unfinished: interrupted}
	if len(r.with) > 0 {
		// A run that has ended does not need them, and an earlier run that is still running must not lose them.
		live, err := r.makeRoom(ctx, r.runObject())
		if err != nil {
			return e, r.target.Explain("read", err, r.in.sensitive)
		}
		e.begun, e.live = live != nil, live
	}
	if e.live == nil {
		var err error
		if e.begun, err = r.applyWith(ctx); err == nil {
			e.live, err = r.make(ctx)
			e.begun = e.begun || mayExist(err)
			err = r.target.Explain("create", err, r.in.sensitive)
		}
		if err != nil {
			return e, r.withdraw(ctx, &e, err)
		}
	}
	return r.await(ctx, e)
}

// withdraw removes what was made for a run that could not begin. It leaves what cannot be removed to the next command.
func (r *run) withdraw(ctx context.Context, e *end, cause error) error {
	if e.live != nil || mayExist(cause) {
		return cause
	}
	if err := r.removeWith(ctx, unneeded(r.with, afterFailure)); err == nil {
		e.begun = false
	}
	return cause
}

// await waits for the end of the run, and clears up after it.
func (r *run) await(ctx context.Context, e end) (end, error) {
	spec, err := specOf(r.in)
	if err != nil {
		return e, err
	}
	live := e.live
	if end := endingOf(live); end == nil || !end.succeeded { // A run that has succeeded may be about to be removed.
		live, err = waitfor.Run(ctx, waitfor.Request{
			Cluster: r.target.Cluster, Object: r.target.Identity(), UID: e.live.GetUID(), Spec: spec,
			Sensitive: r.sensitive, IsRun: true, HideOutput: r.in.secret, LogLines: r.in.logLines,
		})
	}
	ended := (*waitfor.Error)(nil)
	switch {
	case err == nil:
		e.unfinished, e.live = "", live
	case errors.As(err, &ended) && ended.Err.Reason == readiness.Failed:
		e.unfinished = failed
		if ended.Err.Last != nil {
			e.live = ended.Err.Last
		}
	default:
		return e, err // The run may continue in the cluster.
	}
	// Even a canceled command keeps the result of a run that has ended.
	var pods *diagnosis.Remembered
	if ended != nil {
		pods = ended.Pods
	}
	e.result = r.resultOf(ctx, e, pods)
	left := r.clearUp(ctx, &e)
	switch {
	case left == nil:
		return e, err
	case e.outcome() == afterSuccess:
		e.unfinished = interrupted // The next command finds that the run has succeeded, and clears up.
		return e, left
	default:
		p.GetLogger(ctx).Warningf("What was made for the run could not be removed: %v", left)
		return e, err
	}
}

// clearUp removes the objects of an ended run that no one asked to keep. The object of a successful run gets its time to live
// last: as long as the other objects cannot be removed, it is the evidence that the run need not be repeated.
func (r *run) clearUp(ctx context.Context, e *end) error {
	left := r.removeWith(ctx, unneeded(r.with, e.outcome()))
	if e.outcome() == afterSuccess && (r.lasting || left != nil) {
		return left
	}
	stays, err := r.retire(ctx, e.live, e.outcome())
	e.stays = stays
	return errors.Join(left, r.target.Explain("set the time to live of", err, r.in.sensitive))
}

// specOf says what to wait for: the end of the Job or Pod.
func specOf(in inputs) (waitfor.Spec, error) {
	criteria := readiness.Criteria{FieldValue: map[string]string{"status.phase": "Succeeded"}}
	if isJob(in.id().GroupKind()) {
		criteria = readiness.Criteria{Condition: "Complete"}
	}
	goal, problems := readiness.Compile(criteria)
	if len(problems) > 0 {
		return waitfor.Spec{}, p.InternalErrorf("the goal of a run: %s", problems[0].Reason)
	}
	return waitfor.Spec{Goal: goal, Timeout: in.timeout}, nil
}
