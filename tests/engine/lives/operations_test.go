package lives_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// operation is an operation with its options, and what happens to it.
type operation struct {
	kind    engine.Kind
	options engine.Options
	// dies and ends are the number of the call to the provider that changes something, after which it is killed or cancelled.
	dies, ends int32
	// foreseen has a preview before it.
	foreseen bool
	// rests has a preview after it.
	rests bool
	about string
}

func urn(token, name string) resource.URN {
	return resource.URN("urn:pulumi:dev::life::" + token + "::" + name)
}

func (th *thing) urn() string { return string(urn("k8sconnect:index:KubeObject", th.resource)) }

// draw draws an operation.
func (l *life) draw() operation {
	o := operation{kind: engine.Up, about: "up"}
	th := pick(l.rapid, "operated", l.things)
	switch rapid.IntRange(0, 39).Draw(l.rapid, "operation") {
	case 0:
		o.kind, o.about = engine.Refresh, "refresh"
	case 1:
		o.kind, o.options.RunProgram, o.about = engine.Refresh, true, "refresh --run-program"
	case 2:
		o.options.Targets, o.about = []string{th.urn()}, "up --target "+th.resource
	case 3:
		o.options.Excludes, o.about = []string{th.urn()}, "up --exclude "+th.resource
	case 4:
		o.options.Replaces, o.about = []string{th.urn()}, "up --replace "+th.resource
	case 5:
		o.options.ContinueOnError, o.about = true, "up --continue-on-error"
	case 6:
		o.options.Refresh, o.about = true, "up --refresh"
	case 7:
		o.dies = rapid.Int32Range(1, 3).Draw(l.rapid, "dies")
		o.about = "up, killed"
	case 8:
		o.ends = rapid.Int32Range(1, 3).Draw(l.rapid, "ends")
		o.about = "up, cancelled"
	case 9:
		o.kind, o.about = engine.Destroy, "destroy"
	case 10:
		o.kind, o.options.Targets, o.about = engine.Destroy, []string{th.urn()}, "destroy --target "+th.resource
	default:
		o.foreseen = rapid.Bool().Draw(l.rapid, "foreseen")
		o.rests = rapid.Bool().Draw(l.rapid, "rests")
	}
	return o
}

// isPlain says that it is an up of the whole program, without anything in its way.
func (o operation) isPlain() bool {
	return o.kind == engine.Up && o.options.Targets == nil && o.options.Excludes == nil && o.dies == 0 && o.ends == 0
}

// operate runs an operation and holds the laws.
func (l *life) operate(o operation) {
	program := l.declareThings()
	before := map[*thing]*unstructured.Unstructured{}
	for _, th := range l.things {
		before[th] = l.place.live(th.kind(), th.object)
	}
	promised := l.promises(o, before)
	var listed map[string][]string
	if o.foreseen {
		listed = l.foresee()
	}
	mark, err := l.cluster.AuditMark()
	if err != nil {
		l.rapid.Fatal(err)
	}
	result := l.run(o)
	l.book.count(o.about)
	l.note("%s: %s (%s)", o.about, outcome(result.Err), result.Took.Round(10*time.Millisecond))
	l.program = program
	l.hides(result)
	for _, hold := range []func(){
		func() { l.hold(promised, result, before, o) },
		func() { l.foreseen(o, listed, mark, result) },
		func() { l.keptApart(o, before, result) },
	} {
		if !l.over {
			hold()
		}
	}
	if l.over {
		return
	}
	switch {
	case result.Err == nil && o.isPlain():
		l.applied(o, result, before)
	case o.kind == engine.Destroy && result.Err == nil && o.options.Targets == nil:
		l.destroyed(before)
		l.takenAway(result)
	default:
		if !l.goBack(o, result) {
			l.unsure(o, result)
		}
	}
}

func outcome(err error) string {
	if err == nil {
		return "done"
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return "failed: " + text
}

// declareThings declares the things of the life.
func (l *life) declareThings() []declared {
	program := make([]declared, 0, len(l.things)+1)
	for _, th := range l.things {
		program = append(program, th.declared())
		if th.name == "ClusterRole" {
			program = append(program, object(th.resource+"-part", partOf(th)))
		}
	}
	program = append(program, l.companions.declared()...)
	l.declare(program...)
	return program
}

// partOf is the role whose rules a controller gives an aggregated one.
func partOf(th *thing) m {
	return parsef(`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: %s-part, labels: {into: %s}},
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`, th.object, th.object)
}

// run runs it to its end, or kills or cancels it.
func (l *life) run(o operation) engine.Result {
	if o.dies == 0 && o.ends == 0 {
		return l.do(o.kind, o.options)
	}
	var calls atomic.Int32
	var running atomic.Pointer[engine.Operation]
	started := make(chan struct{})
	l.stack.Intercept(func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		reply, err := handle(ctx, request)
		method := info.FullMethod[strings.LastIndex(info.FullMethod, "/")+1:]
		if slices.Contains([]string{"Create", "Update", "Delete"}, method) {
			<-started
			switch calls.Add(1) {
			case o.dies:
				running.Load().Kill()
			case o.ends:
				running.Load().Cancel()
			}
		}
		return reply, err
	})
	defer l.stack.Intercept(nil)
	op := l.stack.Start(l.Context(), o.kind, o.options)
	running.Store(op)
	close(started)
	result := op.Wait()
	if errors.Is(result.Err, engine.ErrKilled) {
		if err := l.stack.Unlock(l.Context()); err != nil {
			l.rapid.Fatal(err)
		}
	}
	return result
}

// unsure is after what did not do all of the program. What each resource has is not known until an up has done that.
func (l *life) unsure(o operation, result engine.Result) {
	l.whole = false
	if o.kind == engine.Refresh && result.Err == nil {
		return
	}
	for _, th := range l.things {
		if o.kind == engine.Up && o.options.Targets != nil && th.urn() != o.options.Targets[0] ||
			o.options.Excludes != nil && th.urn() == o.options.Excludes[0] {
			continue
		}
		th.applied, th.odd = nil, true
	}
	if l.patch != nil {
		l.patch.settled = false
	}
}

// destroyed is after everything has gone.
func (l *life) destroyed(before map[*thing]*unstructured.Unstructured) {
	l.nothingLeft(before)
	for _, th := range l.things {
		th.applied = nil
		if l.twin != "" {
			l.erase(l.twin, th.kind(), th.object)
		}
		if th.retained {
			l.erase(l.namespace, th.kind(), th.object)
		}
	}
}
