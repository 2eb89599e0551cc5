package lives_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// The law: the writes that the audit log of the API server has of an up that succeeded are what the preview before it listed. An
// object that is listed as unchanged has no write; one that is created has no deletion; one that is updated has none either; one
// that is deleted or replaced has one.
const asListed = "an up writes what its preview lists"

// foresee runs a preview, and returns the steps that it lists by URN.
func (l *life) foresee() map[string][]string {
	preview := l.do(engine.Preview, engine.Options{})
	if preview.Err != nil {
		return nil
	}
	listed := map[string][]string{}
	for _, step := range preview.Steps {
		listed[string(step.URN)] = append(listed[string(step.URN)], step.Op)
	}
	// What a resource that is renamed replaces is deleted under its former name.
	for _, th := range l.things {
		if former := string(urn("k8sconnect:index:KubeObject", th.former)); th.former != "" {
			listed[th.urn()] = append(listed[th.urn()], listed[former]...)
		}
	}
	return listed
}

// foreseen compares that with the audit log.
func (l *life) foreseen(o operation, listed map[string][]string, mark cluster.AuditMark, result engine.Result) {
	if listed == nil || result.Err != nil || !o.isPlain() {
		return
	}
	requests, err := l.cluster.RequestsSince(mark)
	if err != nil {
		l.rapid.Fatal(err)
	}
	written := map[string][]string{}
	for _, r := range requests.From("k8sconnect") {
		if slices.Contains([]string{"create", "update", "patch", "delete"}, r.Verb) && !strings.Contains(r.URI, "dryRun=") && r.Code < 300 {
			written[r.Object()] = append(written[r.Object()], r.Verb)
		}
	}
	for _, th := range l.things {
		l.book.count("held: " + asListed)
		object := l.namespace + "/" + resources[th.kind()].Resource + "/" + th.object
		if unscoped[th.kind()] {
			object = resources[th.kind()].Resource + "/" + th.object
		}
		verbs, steps := written[object], listed[th.urn()]
		deletes, replaced := slices.Contains(verbs, "delete"), slices.Contains(steps, "delete-replaced")
		unchanged := !slices.ContainsFunc(steps, func(op string) bool { return op != "same" && op != "refresh" })
		if unchanged && len(verbs) > 0 || deletes != replaced {
			l.breaks(violation{law: asListed, thing: th, text: fmt.Sprintf("%s: the preview listed %v, and the API server saw %v.\n%s", object, steps, verbs, result.Output)})
			return
		}
	}
}
