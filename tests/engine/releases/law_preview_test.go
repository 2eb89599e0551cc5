package releases_test

import (
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// The law of previews. What an update changes, its preview has listed, and what the preview has listed, the update changes; the
// audit log of the API server has seen it. And after an update that ended well, there is nothing to change.

// listed are the resources that a preview shows with a change, by their types and names.
type listed map[string]string // operation by type and name

// preview makes a preview of the program.
func (p *play) preview() (listed, bool) {
	p.Helper()
	p.write()
	mark, err := p.cluster.AuditMark()
	require.NoError(p, err)
	result := p.Do(p.Context(), engine.Preview, engine.Options{Diff: true})
	p.ops++
	p.judgeOutput(outcome{Result: result, kind: engine.Preview})
	if result.Err != nil {
		if !p.isOrphaned(result.Output) {
			p.breaks("previews", p.factsOfFailure(outcome{Result: result}), "the preview fails: %s", shortened(result.Output))
		}
		return nil, false
	}
	if changed := p.changedSince(mark); len(changed) > 0 {
		p.breaks("previews", []string{"writes"}, "the preview changes %v", changed)
	}
	changes := listed{}
	for _, step := range result.Steps {
		if step.Op != "same" && step.Op != "refresh" && step.Op != "read" {
			parts := strings.Split(string(step.URN.Type()), ":")
			changes[parts[len(parts)-1]+" "+step.URN.Name()] = step.Op
		}
	}
	return changes, true
}

// changedSince are the objects of the life that somebody but the controller has changed, as resource and name.
func (p *play) changedSince(mark cluster.AuditMark) []string {
	p.Helper()
	requests, err := p.cluster.RequestsSince(mark)
	require.NoError(p, err)
	changed := map[string]bool{}
	for _, r := range requests {
		space, object, is := strings.Cut(r.Object(), "/")
		writes := slices.Contains([]string{"create", "update", "patch", "delete"}, r.Verb)
		ofOperator := strings.HasPrefix(object, "role")
		if is && writes && !ofOperator && slices.Contains(p.spaces[:], space) && r.Code < 300 && !strings.Contains(r.URI, "dryRun=All") && !strings.Contains(r.UserAgent, "played-controller") {
			changed[object] = true
		}
	}
	return slices.Sorted(mapsKeys(changed))
}

// judgePreview compares what a preview has listed with what the update has changed. before are the programs whose objects may be there.
func (p *play) judgePreview(changes listed, before []model, resumed bool, o outcome) {
	p.Helper()
	changed := p.changedSince(o.mark)
	names := map[string]string{} // objects by resource and name
	tasks := false
	for what, op := range changes {
		kind, name, _ := strings.Cut(what, " ")
		tasks = tasks || kind == "Task" || kind == "ReleaseHooks"
		if kind != "KubeObject" {
			continue
		}
		switch name {
		case configName:
			names["configmaps/"+name] = op
		case workloadName:
			names["deployments/"+name] = op
		default:
			_, key, _ := strings.Cut(name, ":")
			kind, object, _ := strings.Cut(key[strings.LastIndex(key, "/")+1:], ".")
			if resource, judged := resources[kind]; judged {
				names[resource.Resource+"/"+object] = op
			}
		}
	}
	for _, object := range changed {
		resource, name, _ := strings.Cut(object, "/")
		_, patches := changes["Patch patched"]
		passing := tasks && slices.ContainsFunc(p.hookObjects(before), func(n string) bool { return n == name })
		switch {
		case names[object] != "", resource == "jobs" && tasks, passing, name == foreignName && patches:
		default:
			p.breaks("previews", []string{"not listed"}, "the update changes %s, which the preview has not listed: %v", object, changes)
		}
	}
	if o.Err != nil {
		return
	}
	for object, op := range names {
		if resumed && op == "create" {
			continue // It was made by an operation that was killed, and the update finds it.
		}
		_, name, _ := strings.Cut(object, "/")
		deletes := op == "delete" || op == "delete-replaced" // What a hook has made may stay.
		if !slices.Contains(changed, object) && !(deletes && slices.ContainsFunc(p.hookObjects(before), func(n string) bool { return n == name })) {
			p.breaks("previews", []string{"not done", op}, "the preview lists %q of %s, and the update does not change it", op, object)
		}
	}
}

// hookObjects are the names of all hooks, now and before.
func (p *play) hookObjects(before []model) (names []string) {
	for _, m := range append(slices.Clone(before), p.m) {
		for _, d := range append(copies(m.documents), m.removed...) {
			if d.hook != nil {
				names = append(names, d.nameIn(m.releaseName()))
			}
		}
	}
	return names
}

// judgeSame wants that there is nothing to change.
func (p *play) judgeSame() {
	p.Helper()
	result := p.Do(p.Context(), engine.Preview, engine.Options{ExpectNoChanges: true, Diff: true})
	p.ops++
	if result.Err != nil {
		p.breaks("previews", append(p.factsOfFailure(outcome{Result: result}), "not same"), "after an update that ended well, there is something to change: %s", shortened(result.Output))
	}
}
