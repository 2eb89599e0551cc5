package releases_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

const (
	// lives is how many lives a test run tells, and mostOperations how many operations each has, beside its end.
	lives, mostOperations = 12, 14
	// shortening is how long a life that broke a law is made shorter.
	shortening = time.Minute
)

// step is a change of the program, or an operation.
type step struct {
	verb string
	a, b int
}

func (s step) String() string { return fmt.Sprintf("{%q, %d, %d}", s.verb, s.a, s.b) }

// operations are what can be done with a program, with how often they are drawn.
var operations = map[string]struct {
	weight int
	do     func(p *play, a, b int)
}{
	"up":                     {30, func(p *play, _, _ int) { p.operate(engine.Up, engine.Options{}, "", nil) }},
	"preview, up":            {14, previewed},
	"up, preview":            {8, upTwice},
	"up --continue-on-error": {3, func(p *play, _, _ int) { p.operate(engine.Up, engine.Options{ContinueOnError: true}, "", nil) }},
	"up --target":            {3, targeted},
	"up --replace":           {5, replaced},
	"up, killed":             {4, func(p *play, a, _ int) { p.operate(engine.Up, engine.Options{}, "", after(a%12, kill)) }},
	"up, cancelled": {3, func(p *play, a, _ int) {
		p.operate(engine.Up, engine.Options{}, "", after(a%12, (*engine.Operation).Cancel))
	}},
	"refresh":                           {3, func(p *play, _, _ int) { p.operate(engine.Refresh, engine.Options{}, "", nil) }},
	"destroy":                           {2, func(p *play, _, _ int) { p.operate(engine.Destroy, engine.Options{}, "", nil) }},
	"up fails, up as before":            {3, failsAndGoesBack},
	"the state loses a hook":            {3, loses},
	"the Task fails and is for its end": {2, failsAndIsForItsEnd},
	"a hook fails and is for another":   {2, hookFailsAndIsForAnother},
	"ten minutes go by":                 {2, tenMinutesGoBy},
}

func tenMinutesGoBy(p *play, _, _ int) {
	played.expire(p.spaces[0])
	played.expire(p.spaces[1])
	clear(p.ended)
}

func kill(o *engine.Operation) { o.Kill() }

// after disturbs an operation at the call of this number.
func after(calls int, disturb func(*engine.Operation)) func(*engine.Operation) {
	var mu sync.Mutex
	return func(o *engine.Operation) {
		mu.Lock()
		defer mu.Unlock()
		if calls--; calls == -1 {
			disturb(o)
		}
	}
}

func previewed(p *play, _, _ int) {
	changes, ok := p.preview()
	if !ok {
		return
	}
	p.m.version-- // The update has the same chart.
	before, resumed := slices.Clone(p.since), p.open != nil
	o := p.operate(engine.Up, engine.Options{}, "", nil)
	p.judgePreview(changes, before, resumed, o)
}

func upTwice(p *play, _, _ int) {
	if o := p.operate(engine.Up, engine.Options{}, "", nil); o.Err == nil {
		p.judgeSame()
	}
}

// some is a URN of the state whose type is one of these.
func (p *play) some(choice int, types ...string) (urn, kind string) {
	urns := slices.DeleteFunc(p.urns(), func(urn string) bool {
		return !slices.ContainsFunc(types, func(kind string) bool { return strings.Contains(urn, "k8sconnect:index:"+kind+"::") })
	})
	if len(urns) == 0 {
		return "", ""
	}
	slices.Sort(urns)
	urn = urns[choice%len(urns)]
	name := strings.Split(strings.Split(urn, "::")[2], ":")
	return urn, name[len(name)-1]
}

func targeted(p *play, a, _ int) {
	if urn, _ := p.some(a, "KubeObject", "Task"); urn != "" {
		p.operate(engine.Up, engine.Options{Targets: []string{urn}}, "", nil)
	}
}

func replaced(p *play, _, _ int) {
	for _, urn := range p.urns() {
		if strings.Contains(urn, "::k8sconnect:index:Task::") { // no hook of a Chart
			p.operate(engine.Up, engine.Options{Replaces: []string{urn}}, "Task", nil)
			return
		}
	}
}

// failsAndIsForItsEnd brings up a Task that fails, and then one that is for its end alone.
func failsAndIsForItsEnd(p *play, _, _ int) {
	if p.m.chore == nil {
		p.m.chores++
		p.m.chore = &chore{}
	}
	p.m.chore.image, p.m.chore.runOn = "fails:0", []string{"create", "update"}
	p.m.chore.rev++
	p.operate(engine.Up, engine.Options{}, "", nil)
	p.m.chore.image, p.m.chore.runOn = "hook:0", []string{deletes}
	p.operate(engine.Up, engine.Options{}, "", nil)
}

// hookFailsAndIsForAnother brings up a hook that fails, and then one that is repaired, but for another event.
func hookFailsAndIsForAnother(p *play, a, b int) {
	m := &p.m
	name := fmt.Sprint("once", m.number())
	m.documents = append(m.documents, document{
		number: m.next, kind: "Job", name: name, file: b % 3, prefixed: true, image: "fails:0", hook: &hook{events: eventsOf(2 + a%4), weight: a%7 - 3},
	})
	if p.operate(engine.Up, engine.Options{}, "", nil).Err == nil {
		return
	}
	for i := range m.documents {
		if d := &m.documents[i]; d.name == name {
			d.image, d.hook.events = "hook:0", eventsOf(b)
		}
	}
	p.operate(engine.Up, engine.Options{}, "", nil)
}

// loses removes the Task of a hook from the state, as a person who edits it may. Its Job is gone by then. The hooks of what is open would run
// once more.
func loses(p *play, a, _ int) {
	if urn, _ := p.some(a, "Chart$k8sconnect:index:Task"); urn != "" && p.open == nil && p.last != nil {
		tenMinutesGoBy(p, 0, 0)
		for _, d := range p.last.documents { // A Job that does not go by itself is known to nothing any more.
			if d.isJob() {
				p.stays[p.spaces[p.last.space]+"/"+d.idIn(p.last.releaseName())] = true
			}
		}
		maps.Copy(p.stays, p.lingers) // nor is one where the release was
		p.forget(urn)
	}
}

// failsAndGoesBack brings up the program, and a version that fails between the first and the last hook of its upgrade, and the program again.
func failsAndGoesBack(p *play, a, b int) {
	m := &p.m
	add := func(name, event string, weight int) {
		if !slices.ContainsFunc(m.documents, func(d document) bool { return d.isJob() && d.on(event) }) {
			d := document{number: m.number(), kind: "Job", file: b % 3, prefixed: true, image: "hook:0", hook: &hook{events: []string{event}, weight: weight}}
			d.name = fmt.Sprint(name, d.number)
			m.documents = append(m.documents, d)
		}
	}
	add("begin", "pre-upgrade", -3)
	add("end", "post-upgrade", a%3)
	before := copies(m.documents)
	up := func() engine.Result { return p.operate(engine.Up, engine.Options{}, "", nil).Result }
	if up().Err != nil {
		return
	}
	for i := range m.documents {
		if d := &m.documents[i]; d.isJob() && d.on("post-upgrade") {
			d.image = "fails:0"
		}
	}
	up()
	m.documents = before
	up()
}

// draw draws the steps of a life.
func draw(seed int) (all []step) {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	changing, operating := []string{}, []string{}
	for _, verb := range slices.Sorted(mapsKeys(changes)) {
		changing = append(changing, slices.Repeat([]string{verb}, changes[verb].weight)...)
	}
	for _, verb := range slices.Sorted(mapsKeys(operations)) {
		operating = append(operating, slices.Repeat([]string{verb}, operations[verb].weight)...)
	}
	// Each life is about some changes more than about others.
	verbs := slices.Sorted(mapsKeys(changes))
	for range 3 {
		changing = append(changing, slices.Repeat([]string{verbs[random.IntN(len(verbs))]}, 15)...)
	}
	draw := func(verbs []string) {
		all = append(all, step{verbs[random.IntN(len(verbs))], random.IntN(1000), random.IntN(1000)})
	}
	for range 4 + random.IntN(5) {
		draw([]string{"add a document", "add a hook"})
	}
	all = append(all, step{verb: "up"})
	for range mostOperations/2 + random.IntN(mostOperations/2) {
		for range 1 + random.IntN(5) {
			draw(changing)
		}
		draw(operating)
	}
	return all
}

// tell tells a life, and stops where a law is broken that is not known to be. Every life ends well.
func (b *book) tell(t testing.TB, steps []step) (fresh *violation, p *play) {
	p = newPlay(t)
	calls := 0
	p.helm = func() bool { calls++; return calls%5 == 1 }
	judged := 0
	check := func() *violation {
		for ; judged < len(p.found); judged++ {
			v := p.found[judged]
			if number := known(v); number != "" {
				b.sees(t, number)
				continue
			}
			return &v
		}
		return nil
	}
	for _, s := range append(slices.Clone(steps), step{verb: "the end"}) {
		switch {
		case s.verb == "the end":
			p.end()
		case changes[s.verb].do != nil:
			changes[s.verb].do(&p.m, s.a, s.b)
		default:
			operations[s.verb].do(p, s.a, s.b)
		}
		if *story {
			t.Logf("%v: %v", s, p.said)
		}
		p.said = nil
		if v := check(); v != nil {
			v.what = fmt.Sprintf("in %q: %s", s.verb, v.what)
			b.count(p)
			return v, p
		}
		if p.over {
			break
		}
	}
	b.count(p)
	return nil, p
}

// end repairs what fails, brings everything up once more, and takes it down.
func (p *play) end() {
	m := &p.m
	for i := range m.documents {
		if d := &m.documents[i]; d.isJob() {
			d.image = strings.Replace(d.image, "fails:", "hook:", 1)
		}
	}
	if m.chore != nil {
		m.chore.image = "hook:0"
	}
	p.operate(engine.Up, engine.Options{}, "", nil)
	p.operate(engine.Destroy, engine.Options{}, "", nil)
}
