package rpc_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// newPatch is the Patch of the stack.
func (l *life) newPatch(p *process) *part {
	return &part{
		session: &session{t: l.t, process: p, urn: urnOfType(patchType, "it")}, what: "Patch", shows: "managedFields",
		dependsOn: func() *part { return nil },
		wants: func(resource.PropertyMap) resource.PropertyMap {
			return l.wants.patchInputs(l.target, l.ownersTarget())
		},
		mayFail: func() bool { return l.theTarget() == nil || l.isTroubled() }, // it may be made in the same run
		settled: l.patchSettled,
	}
}

// ownersTarget is the object of others as they make it.
func (l *life) ownersTarget() m {
	metadata := m{"name": "theirs", "namespace": l.world.namespace}
	if l.target == "ConfigMap" {
		return m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": m{"a": "theirs", "b": "theirs", "guard": "yes"}}
	}
	labels := m{"app": "theirs"}
	return m{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": m{
		"replicas": float64(1), "selector": m{"matchLabels": labels},
		"template": m{"metadata": m{"labels": labels}, "spec": m{
			"containers": []any{m{"name": "web", "image": "theirs:1", "env": []any{
				m{"name": "A", "value": "theirs"}, m{"name": "B", "value": "theirs"},
			}}},
			"tolerations": []any{m{"key": "theirs", "operator": "Exists"}},
		}},
	}}
}

func (l *life) theTarget() *unstructured.Unstructured { return l.find(l.target, "theirs") }

// makeTarget has others make what the Patch changes, if it is not there.
func (l *life) makeTarget() {
	if l.theTarget() == nil {
		// What refuses changes may refuse this one.
		_, _ = l.world.objects(l.target).Create(l.t.Context(), &unstructured.Unstructured{Object: l.ownersTarget()},
			metav1.CreateOptions{FieldManager: "owner"})
	}
}

// patched is what a Patch sets, in the structure of its target. tolerations are a list that is replaced as a whole.
func (p wanted) patched(kind string) m {
	value := fmt.Sprint("patched-", p.patchValue)
	if kind == "ConfigMap" {
		data := m{"a": value}
		if p.patchMore {
			data["more"] = "patched"
		}
		if p.secret > 0 {
			data["s"] = secret(fmt.Sprint(hush, "-", p.secret))
		}
		return m{"data": data}
	}
	if p.patch == "mergePatch" {
		tolerations := []any{m{"key": "patched", "operator": "Equal", "value": value}}
		if p.patchMore {
			tolerations = append(tolerations, m{"key": "more", "operator": "Exists"})
		}
		if p.secret > 0 {
			tolerations = append(tolerations, m{"key": secret(fmt.Sprint(hush, "-", p.secret)), "operator": "Exists"})
		}
		return m{"spec": m{"template": m{"spec": m{"tolerations": tolerations}}}}
	}
	env := []any{m{"name": "A", "value": value}}
	if p.patchMore {
		env = append(env, m{"name": "MORE", "value": "patched"})
	}
	if p.secret > 0 {
		env = append(env, m{"name": "S", "value": secret(fmt.Sprint(hush, "-", p.secret))})
	}
	return m{"spec": m{"template": m{"spec": m{"containers": []any{m{"name": "web", "env": env}}}}}}
}

// operations are the same as a JSON patch. What others have between, its tests notice.
func (p wanted) operations(kind string) []any {
	tree := p.patched(kind)
	if kind == "ConfigMap" {
		all := operations([]string{"data"}, tree["data"].(m))
		if p.guarded {
			all = slices.Insert(all, 0, any(m{"op": "test", "path": "/data/guard", "value": "yes"}))
		}
		return all
	}
	const env = "/spec/template/spec/containers/0/env"
	set := tree["spec"].(m)["template"].(m)["spec"].(m)["containers"].([]any)[0].(m)["env"].([]any)
	all := []any{
		m{"op": "test", "path": env + "/0/name", "value": "A"},
		m{"op": "replace", "path": env + "/0/value", "value": set[0].(m)["value"]},
	}
	for _, added := range set[1:] {
		all = append(all, m{"op": "add", "path": env + "/-", "value": added})
	}
	return all
}

// patchInputs is the Patch of a program as the engine sees it; nil if it has none.
func (p wanted) patchInputs(kind string, target m) resource.PropertyMap {
	switch p.patch {
	case "":
		return nil
	case "jsonPatch":
		return patching(target, m{"jsonPatch": p.operations(kind)})
	}
	tree := p.patched(kind)
	return patching(target, m{p.patch: tree})
}

// patchSettled holds after an up that succeeded with the Patch.
func (l *life) patchSettled(resource.PropertyMap) error {
	live := l.theTarget()
	if live == nil {
		return law(asWanted, "the Patch succeeds, and its target is gone")
	}
	wanted, _ := plain(resource.NewPropertyValue(l.wants.patched(l.target))).(m)
	// What a JSON patch adds to a list, it adds once, and where it was added it stays.
	compare := lacks
	if l.wants.patch == "jsonPatch" {
		compare = lacksAnywhere
	}
	if err := compare(wanted, live.Object, ""); err != nil {
		return law(asWanted, "the patched object differs from the patch: %w", err)
	}
	return nil
}

// targetApart compares the patched object before and after a command: only what the program patches may have changed.
func (l *life) targetApart(before, after *unstructured.Unstructured) error {
	switch {
	case before == nil && after != nil:
		return law(keptApart, "the Patch has made its target")
	case before == nil:
		return nil
	case uidOf(before) != uidOf(after):
		return law(keptApart, "the target of the Patch is gone")
	}
	sets := map[string]bool{}
	if l.wants.patch != "" {
		tree, _ := plain(resource.NewPropertyValue(l.wants.patched(l.target))).(m)
		sets = setBy(tree)
	}
	now := leavesIn(after.Object)
	for at, was := range leavesIn(before.Object) {
		if asJSON(now[at].value) != asJSON(was.value) && !sets[wholeOf(was.path).String()] {
			return law(keptApart, "of the patched object, %s was %s and is %s", at, asJSON(was.value), asJSON(now[at].value))
		}
	}
	return nil
}

// handedBack proves that nothing of the target belongs to the Patch any more.
func (l *life) handedBack(live *unstructured.Unstructured) error {
	if live == nil {
		return nil
	}
	for _, entry := range live.GetManagedFields() {
		if entry.Manager == patchManager(l.patch.urn) {
			return law(asWanted, "the Patch is destroyed, and still owns fields")
		}
	}
	return nil
}

// followPatch does what the message of a Patch that failed says.
func (l *life) followPatch(text string) string {
	live := l.theTarget()
	switch {
	case live == nil && strings.Contains(text, "not found"):
		l.makeTarget()
		return "make the target"
	case live != nil && strings.Contains(text, "test"):
		// Whoever changed what the patch relies on takes it back.
		l.drop(l.target, "theirs")
		l.makeTarget()
		return "make the target as it was"
	}
	return ""
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// changesOfPatch are the changes of the program about its Patch.
var changesOfPatch = []chapter{
	{6, cast{}, "", func(random drawing) step {
		kind := append(patchKinds[:3:3], "")[random.IntN(4)]
		return step{"the program patches by: " + kind, func(l *life) error {
			l.wants.patch = kind
			return nil
		}}
	}},
	{3, cast{}, "", says("patched value", 3, func(p *wanted, n int) { p.patchValue = n })},
	{2, cast{}, "", switches("patches more", func(p *wanted) *bool { return &p.patchMore })},
	{1, cast{target: "ConfigMap"}, "", switches("tests before it patches", func(p *wanted) *bool { return &p.guarded })},
}

func (l *life) applyTarget() error {
	if l.theTarget() != nil {
		return l.write(l.target, "theirs", "owner", types.ApplyPatchType, asJSON(l.ownersTarget()))
	}
	return nil
}

func (l *life) editTarget() error {
	if l.target == "ConfigMap" {
		return l.write(l.target, "theirs", "editor", types.MergePatchType, `{"data": {"a": "edited", "b": "edited", "new": "edited"}}`)
	}
	return l.write(l.target, "theirs", "editor", types.JSONPatchType, `[
		{"op": "replace", "path": "/spec/template/spec/containers/0/env/0/value", "value": "edited"},
		{"op": "add", "path": "/spec/template/spec/tolerations/0", "value": {"key": "edited", "operator": "Exists"}},
		{"op": "replace", "path": "/spec/replicas", "value": 4}]`)
}

// aboutTarget is what the owner of the patched object and others do to it.
var aboutTarget = []chapter{
	{2, cast{}, "", one("the owner of the target applies it", (*life).applyTarget)},
	{2, cast{}, "", one("the target is edited", (*life).editTarget)},
	{1, cast{}, "", one("what the patch relies on changes", func(l *life) error {
		if l.target == "ConfigMap" {
			return l.write(l.target, "theirs", "editor", types.MergePatchType, `{"data": {"guard": "no"}}`)
		}
		return l.write(l.target, "theirs", "editor", types.JSONPatchType,
			`[{"op": "add", "path": "/spec/template/spec/containers/0/env/0", "value": {"name": "FIRST", "value": "x"}}]`)
	})},
	{1, cast{}, "", one("the target is deleted", func(l *life) error {
		l.drop(l.target, "theirs")
		return nil
	})},
	{1, cast{}, "", one("the target is deleted and made again", func(l *life) error {
		l.drop(l.target, "theirs")
		l.makeTarget()
		return nil
	})},
}
