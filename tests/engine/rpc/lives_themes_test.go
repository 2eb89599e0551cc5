package rpc_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
)

// combinations are steps that lead anywhere only together.
func combinations() [][]chapter {
	return [][]chapter{aboutLimits, aboutIgnored, aboutNobodys, aboutOrder, aboutSecrets, aboutUnconfirmed, aboutSpelling, aboutSecretNames}
}

// aboutLimits is a program that contradicts what others or defaults have set.
var aboutLimits = []chapter{
	{4, cast{object: "Deployment"}, "", unlimits},
	{4, cast{object: "Deployment"}, "", func(drawing) step { return requested }},
	{2, cast{object: "Deployment"}, "", recreates},
	{1, cast{}, "", saysValue},
	{2, cast{}, "", func(drawing) step { return up }},
}

// aboutIgnored is what the program leaves to others.
var aboutIgnored = []chapter{
	{3, cast{}, "", ignoresField},
	{2, cast{object: "Deployment"}, "", tolerates},
	{3, cast{object: "Deployment"}, "", ignoresTimes},
	{1, cast{}, "", ignoresNote},
	{1, cast{}, "", annotates},
	{2, cast{object: "Deployment"}, "", func(drawing) step { return timed }},
	{2, cast{}, "", func(drawing) step { return scaled }},
	{1, cast{}, "", saysValue},
	{2, cast{}, "", func(drawing) step { return up }},
}

// aboutNobodys is what nobody owns, beside what we own.
var aboutNobodys = []chapter{
	{3, cast{}, "", one("there are values that nobody owns", (*life).orphan)},
	{3, cast{}, "", labels},
	{3, cast{}, "", annotates},
	{2, cast{}, "", ignoresNote},
	{1, cast{}, "", addsEntry},
	{2, cast{}, "", func(drawing) step { return up }},
}

// aboutOrder is the order of items.
var aboutOrder = []chapter{
	{3, cast{object: "Deployment"}, "", swaps},
	{1, cast{}, "", addsEntry},
	{1, cast{}, "", saysSecret},
	{1, cast{object: "Deployment"}, "", one("others add a variable", func(l *life) error {
		return l.edit(types.JSONPatchType, `[{"op": "add", "path": "/spec/template/spec/containers/0/env/0", "value": {"name": "THEIRS", "value": "x"}}]`)
	})},
	{2, cast{}, "", func(drawing) step { return up }},
}

// aboutSecrets is what is secret, in places that move.
var aboutSecrets = []chapter{
	{3, cast{}, "", saysSecret},
	{2, cast{}, "", switches("has a name that is secret", func(p *wanted) *bool { return &p.names })},
	{2, cast{}, "", ignoresField},
	{2, cast{}, "", switches("patches more", func(p *wanted) *bool { return &p.patchMore })},
	{1, cast{target: "ConfigMap"}, "", switches("tests before it patches", func(p *wanted) *bool { return &p.guarded })},
	{3, cast{}, "", one("the target is edited", (*life).editTarget)},
	{2, cast{}, "", one("the owner of the target applies it", (*life).applyTarget)},
	{2, cast{}, "", one("refresh", (*life).refresh)},
	{2, cast{}, "", func(drawing) step { return up }},
}

// aboutSecretNames is a map of which even the names are secret, and which is ignored.
var aboutSecretNames = []chapter{
	{4, cast{}, "", notes},
	{4, cast{}, "", ignoresNotes},
	{4, cast{}, "", one("the program has its secret annotations and ignores them, or neither", func(l *life) error {
		has := !l.wants.notes
		l.wants.notes, l.wants.ignoresNotes = has, has
		return nil
	})},
	{4, cast{}, "", func(drawing) step { return notedToo }},
	{1, cast{}, "", saysValue},
	{3, cast{}, "", func(drawing) step { return up }},
}

// notedToo makes another manager an owner of the secret annotations.
var notedToo = step{"another manager applies the secret annotations as well", func(l *life) error {
	if !l.wants.notes {
		return nil
	}
	return l.edit(types.ApplyPatchType, fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata": {"name": "it", "annotations": {%q: "noted"}}}`,
		map[string]string{"ConfigMap": "v1", "Deployment": "apps/v1"}[l.cast.object], l.cast.object, hush))
}}

// aboutUnconfirmed is a write of which nothing is known, and then a cluster that says nothing either.
var aboutUnconfirmed = []chapter{
	{3, cast{}, "", func(random drawing) step {
		others := someWrite(random)
		return step{fmt.Sprintf("the program says another value; up, and the reply to a write is lost after %d others", others), unanswered(others)}
	}},
	{2, cast{}, "", saysValue},
	{1, cast{object: "ConfigMap"}, "", switches("makes the object immutable", func(p *wanted) *bool { return &p.frozen })},
	{2, cast{}, "", one("refresh", (*life).refresh)},
	{2, cast{}, "", one("preview, up and refresh while the cluster cannot be reached", (*life).unreachable)},
	{2, cast{}, "", one("the credentials are renewed, those of the last run have expired", (*life).renew)},
	{2, cast{}, "", one("a policy refuses every change", func(l *life) error { return l.refuse(true) })},
	{1, cast{}, "", one("the policy refuses nothing any more", func(l *life) error { return l.refuse(false) })},
	{2, cast{}, "", func(drawing) step { return up }},
}

// aboutSpelling is an update without effect, and then a cluster that says nothing.
var aboutSpelling = []chapter{
	{4, cast{object: "Deployment"}, "", switches("says 1 instead of 1000m", func(p *wanted) *bool { return &p.whole })},
	{1, cast{}, "", saysValue},
	{1, cast{}, "", one("refresh", (*life).refresh)},
	{1, cast{}, "", one("preview, up and refresh while the cluster cannot be reached", (*life).unreachable)},
	{2, cast{}, "", one("the credentials are renewed, those of the last run have expired", (*life).renew)},
	{3, cast{}, "", func(drawing) step { return up }},
}

// epilogue is what may go on failing at the end of a story: a read and the Diff after it never fail for that, whatever
// state the story has left.
func epilogue(random drawing) []step {
	refreshed := step{"refresh", (*life).refresh}
	return [][]step{
		nil,
		{{"the credentials are renewed, those of the last run have expired", (*life).renew}, refreshed},
		{{"a policy refuses every change", func(l *life) error { return l.refuse(true) }}, refreshed, up},
		{{"preview, up and refresh while the cluster cannot be reached", (*life).unreachable}},
	}[random.IntN(4)]
}
