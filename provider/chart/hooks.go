package chart

import (
	"cmp"
	"slices"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// The events of hooks that are run, and the policies that say when a hook is deleted.
const (
	preInstall  = "pre-install"
	postInstall = "post-install"
	preUpgrade  = "pre-upgrade"
	postUpgrade = "post-upgrade"
	preDelete   = "pre-delete"
	postDelete  = "post-delete"

	hookSucceeded = "hook-succeeded"
	hookFailed    = "hook-failed"
)

// stage is when hooks run, as seen from the objects of the release.
type stage struct{ install, upgrade string }

var (
	beforeObjects = stage{preInstall, preUpgrade}
	afterObjects  = stage{postInstall, postUpgrade}
)

// String names the stage for a Task.
func (s stage) String() string {
	if s == afterObjects {
		return "after"
	}
	return "before"
}

// hook is a hook of a release.
type hook struct {
	chart.Hook

	// key identifies the hook. It is the same as object, unless several hooks have the same object.
	key string
	// object is the key that its object has in the set, if it has one.
	object string
	// shared means that the object also belongs to the release. It is applied when the hook's own object would be.
	shared bool
	// since says, for each stage, when the release got the hook.
	since map[stage]since
}

// nameIn is the name under which the hook is remembered.
func (h hook) nameIn(s stage) string {
	if h.runs() {
		return h.taskName(s)
	}
	return h.key
}

// order sorts hooks as Helm does: by weight, then by name, then by kind.
func order(hooks []hook) []hook {
	hooks = slices.Clone(hooks)
	slices.SortStableFunc(hooks, func(a, b hook) int {
		one, other := manifest.IdentityOf(a.Object), manifest.IdentityOf(b.Object)
		return cmp.Or(a.Weight-b.Weight, cmp.Compare(one.Name, other.Name), kinds.CompareApplyOrder(one.GroupKind(), other.GroupKind()))
	})
	return hooks
}

// runs reports whether a hook is a workload that runs to completion.
func (h hook) runs() bool {
	kind := manifest.IdentityOf(h.Object).GroupKind()
	return kind == kinds.Job || kind == kinds.Pod
}

func (h hook) has(event string) bool { return slices.Contains(h.Events, event) }

func (h hook) deletedWhen(policy string) bool { return slices.Contains(h.DeletePolicies, policy) }

// The operations of a Task.
const (
	onCreate = "create"
	onUpdate = "update"
)

// runsOn are the operations in which the Task of a hook runs. Install hooks run when the release is installed, upgrade hooks when it has
// changed. If a hook is only in a later version of the chart, it runs at once if it is an upgrade hook.
func (h hook) runsOn(s stage) (operations []string) {
	if h.since[s] == atInstall && h.has(s.install) || h.since[s] == atUpgrade && h.has(s.upgrade) {
		operations = append(operations, onCreate)
	}
	if h.has(s.upgrade) {
		operations = append(operations, onUpdate)
	}
	return operations
}

// isKept reports whether the object of a hook that does not run stays: its delete policies do not remove it after its phase. It is a child
// of the component like all others, but is not deleted with the release, as in Helm.
func (h hook) isKept() bool {
	return !h.runs() && !h.shared && !h.deletedWhen(hookSucceeded) && (h.made(beforeObjects) || h.made(afterObjects))
}

// made reports whether the release makes the object of a hook in a stage: an install makes the objects of install hooks. A later version of
// the chart makes the objects of upgrade hooks, and so does a release that was taken over.
func (h hook) made(s stage) bool {
	if h.since[s] == atInstall {
		return h.has(s.install)
	}
	return h.has(s.upgrade)
}

// isOnce reports whether later versions of a kept hook are not applied: it belongs to no upgrade.
func (h hook) isOnce() bool { return !h.has(preUpgrade) && !h.has(postUpgrade) }

// stageOf is when a kept hook is applied.
func (h hook) stageOf() stage {
	if h.made(beforeObjects) {
		return beforeObjects
	}
	return afterObjects
}

// comesIn reports whether the object of a hook is applied in a stage.
func (h hook) comesIn(s stage) bool {
	if h.shared {
		return h.has(s.install) || h.has(s.upgrade)
	}
	return h.isKept() && h.stageOf() == s
}

// passes reports whether the object exists only for other hooks, and is deleted with them.
func (h hook) passes() bool { return !h.runs() && !h.isKept() && !h.shared }

// with are the hooks whose objects must exist while this hook runs, and which nothing else makes: the hooks of the same phase that come
// before it and do not run themselves.
func (h hook) with(all []hook, s stage) (needed []hook) {
	for _, other := range order(all) {
		if other.key == h.key {
			break
		}
		together := other.has(s.upgrade) && h.has(s.upgrade) || h.since[s] == atInstall && other.has(s.install) && h.has(s.install)
		if together && other.passes() {
			needed = append(needed, other)
		}
	}
	return needed
}

// runsIn reports whether the Task of a hook runs in an event. If no event is open, it runs if the release moves to another cluster.
func (h hook) runsIn(what happening, s stage) bool {
	on := h.runsOn(s)
	if what == nothing {
		return slices.Contains(on, onCreate)
	}
	return len(on) > 0 && h.isOf(what, s)
}

// shares says which of the hooks that this hook needs are also needed by others that run in the same event: found are needed by a hook that
// runs before it, left by one that runs after it. Both are indices into the result of with.
func (h hook) shares(all []hook, what happening, s stage) (found, left []int) {
	behind := false
	for _, other := range order(all) {
		if other.key == h.key {
			behind = true
			continue
		}
		if !other.runs() || !other.runsIn(what, s) {
			continue
		}
		needed := keys(other.with(all, s))
		for i, n := range h.with(all, s) {
			switch {
			case !slices.Contains(needed, n.key):
			case behind:
				left = append(left, i)
			default:
				found = append(found, i)
			}
		}
	}
	slices.Sort(found)
	slices.Sort(left)
	return slices.Compact(found), slices.Compact(left)
}

func keys(hooks []hook) (found []string) {
	for _, h := range hooks {
		found = append(found, h.key)
	}
	return found
}

// steps are the hooks of a deletion, in order. It leaves out objects that stay, because they exist already.
func steps(hooks []hook, event string) (ordered []hook) {
	for _, h := range order(hooks) {
		if h.has(event) && !h.isKept() && !h.shared {
			ordered = append(ordered, h)
		}
	}
	return ordered
}

// deleteAfter are the results of a run after which the hook's object is deleted, in the words of a Task.
func (h hook) deleteAfter() (ends []string) {
	if h.deletedWhen(hookSucceeded) {
		ends = append(ends, "succeeded")
	}
	if h.deletedWhen(hookFailed) {
		ends = append(ends, "failed")
	}
	return ends
}
