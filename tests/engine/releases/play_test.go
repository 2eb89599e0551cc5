package releases_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// manifest is a template without anything to fill in, in a namespace.
func manifest(text, space string) map[string]any {
	var object map[string]any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		panic(err)
	}
	object["metadata"].(map[string]any)["namespace"] = space
	return object
}

// play is a life that is told, and what the laws need to know of it.
type play struct {
	*life

	spaces [2]string
	m      model
	// last is what the last complete update has brought up; nil if nothing is there. open means that something was begun after
	// that and has not come to its end: an update that failed, was interrupted or was limited to targets.
	last *model
	open *event
	// since are the programs that have been brought up from the last complete update on, with that one.
	since []model

	draws   draws
	ofTask  taskState
	stays   map[string]bool   // objects that may outlive the release
	lingers map[string]bool   // objects that may be where the release was, until its end
	ended   map[string]bool   // hooks that have succeeded in a deletion, for ten minutes
	leaving []string          // Tasks that the program does not have any more, and that could not be deleted
	secrets map[string]string // values, and whose they are
	claims  map[int]types.UID // by the numbers of the documents

	// killed says that an operation was interrupted, renaming that it renamed something, replacing that a replacement has not come
	// to its end, continued that an operation went on after an error, over that the life cannot go on, and renamedSkipping that the
	// Chart got another name while its hooks were skipped, which they still are.
	killed, renaming, replacing, continued, over, renamedSkipping bool

	seen [2]int   // runs, by namespace
	cut  []run    // those of the last operation if it was cut short; nil if it was not
	said []string // what the last step did
	// interrupted are the programs whose updates were cut short: what these have made may be left.
	interrupted []model
	found       []violation
	ops         int
	// helm says in which updates Helm is asked.
	helm func() bool
}

// violation is a law that was broken. The facts say in which way, for the table of known defects.
type violation struct {
	law, what string
	facts     map[string]bool
}

func (v violation) has(facts ...string) bool {
	for _, fact := range facts {
		if !v.facts[fact] {
			return false
		}
	}
	return true
}

func (p *play) breaks(law string, facts []string, format string, args ...any) {
	v := violation{law: law, what: fmt.Sprintf(format, args...), facts: map[string]bool{}}
	for _, fact := range facts {
		v.facts[fact] = true
	}
	p.found = append(p.found, v)
}

func newPlay(t testing.TB) *play {
	t.Helper()
	p := &play{
		life: newLife(t), m: model{toggles: map[string]bool{}, resource: "shop", setName: "set"},
		draws: newDraws(), stays: map[string]bool{}, lingers: map[string]bool{}, ended: map[string]bool{}, secrets: map[string]string{}, claims: map[int]types.UID{}, helm: func() bool { return false },
	}
	p.spaces = [2]string{p.space, p.cluster.Namespace(t)}
	p.makeForeign()
	p.write()
	return p
}

// newRuns are the runs since the last call, in all namespaces.
func (p *play) newRuns() (fresh []run) {
	for i, space := range p.spaces {
		runs := played.ran(space, p.seen[i])
		p.seen[i] += len(runs)
		fresh = append(fresh, runs...)
	}
	return fresh
}

// outcome is what an operation came to.
type outcome struct {
	engine.Result

	kind engine.Kind
	// whole means that it was limited to nothing, and was not interrupted by the test.
	whole    bool
	replaces string // the type of the resource that was to be replaced
	runs     []run
	found    []run // what the operation before began that was cut short: its ends may be seen in this one; nil if it was not
	mark     cluster.AuditMark
}

// operate runs an operation on the program of the model, and has the laws judge it.
func (p *play) operate(kind engine.Kind, options engine.Options, replaces string, disturb func(*engine.Operation)) outcome {
	p.Helper()
	if kind == engine.Up {
		p.write()
		p.noteStays()
		p.since = append(p.since, p.m.clone())
	}
	mark, err := p.cluster.AuditMark()
	require.NoError(p, err)
	o := outcome{kind: kind, replaces: replaces, whole: len(options.Targets) == 0 && disturb == nil, mark: mark}
	if disturb == nil {
		o.Result = p.Do(p.Context(), kind, options)
	} else {
		o.Result = p.disturbed(kind, options, disturb)
		p.killed = true
		p.renaming = p.renaming || p.last != nil && (p.last.resource != p.m.resource || p.last.setName != p.m.setName)
		p.noteMade()
	}
	p.ops++
	p.continued = p.continued || options.ContinueOnError && o.Err != nil
	o.runs = p.newRuns()
	o.found, p.cut = p.cut, nil
	if disturb != nil {
		p.cut = append([]run{}, o.runs...)
		for _, r := range o.runs { // The state may not know of it.
			p.stays[p.spaces[p.m.space]+"/Job/"+r.job] = true
		}
	}
	p.said = append(p.said, fmt.Sprintf("%s took %v (%v), ran %v", kind, o.Took.Round(time.Millisecond), o.Err != nil, jobs(o.runs)))
	p.judge(o)
	p.noteName()
	p.replacing = o.Err != nil && (p.replacing || replaces != "")
	return o
}

// noteName notes the name that the state keeps for the release, if its Chart is renamed now.
func (p *play) noteName() {
	if record, _ := p.some(0, "ChartRecord"); record == "" {
		p.m.kept = ""
	} else {
		p.m.kept = p.m.releaseName()
	}
}

// disturbed runs an operation, and disturbs it at a call that changes something.
func (p *play) disturbed(kind engine.Kind, options engine.Options, disturb func(*engine.Operation)) engine.Result {
	var running atomic.Pointer[engine.Operation]
	p.Intercept(func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		verb := info.FullMethod[strings.LastIndex(info.FullMethod, "/")+1:]
		if o := running.Load(); o != nil && (verb == "Create" || verb == "Update" || verb == "Delete") {
			reply, err := handle(ctx, request)
			disturb(o)
			return reply, err
		}
		return handle(ctx, request)
	})
	o := p.Start(p.Context(), kind, options)
	running.Store(o)
	result := o.Wait()
	p.Intercept(nil)
	if strings.Contains(fmt.Sprint(result.Err), engine.ErrKilled.Error()) {
		require.NoError(p, p.Unlock(p.Context()))
	}
	return result
}

// judge asks the laws, and notes what is there now.
func (p *play) judge(o outcome) {
	p.Helper()
	if *story {
		p.Log(o.Output)
	}
	p.judgeOutput(o)
	if o.kind == engine.Refresh {
		if len(o.runs) > 0 {
			p.breaks("hooks", []string{"refresh"}, "a refresh ran %v", jobs(o.runs))
		}
		if o.Err != nil {
			p.breaks("ways out", append(p.factsOfFailure(o), "refresh"), "a refresh failed: %s", shortened(o.Output))
		}
		return
	}
	p.judgeTask(o)
	p.judgeHooks(o)
	p.judgeEnd(o)
	if o.Err != nil || !o.whole {
		p.draws.doubt(p.m.rotate)
		if o.kind == engine.Destroy || p.m.absent {
			clear(p.claims) // They may have gone before something else failed.
		}
		if record, _ := p.some(0, "ChartRecord"); record == "" && (o.kind == engine.Destroy || p.m.absent) {
			p.draws.forget() // The release went before something beside it failed.
		}
		return
	}
	if o.kind == engine.Destroy {
		p.renamedSkipping = false
		p.judgeNothingLeft()
		return
	}
	live := [2]objects{p.life.live(p.spaces[0]), p.life.live(p.spaces[1])}
	p.judgeObjects(live)
	p.judgeDraws(live)
	p.judgeSecrets(live)
	if p.helm() {
		p.judgeHelm(live)
	}
	done := p.m.clone()
	p.renamedSkipping = done.skipHooks && !done.absent && (p.renamedSkipping || p.last != nil && p.last.resource != done.resource)
	p.last, p.open, p.since = &done, nil, []model{done}
}
