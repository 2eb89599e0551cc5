package task

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/choice"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// keyInstalling is a member of a hook that older versions of the provider wrote.
const keyInstalling = "installing"

// outcome says how a run has ended, in the words of deleteAfter.
type outcome string

const (
	afterSuccess outcome = "succeeded"
	afterFailure outcome = "failed"
)

// hook says that the Task belongs to a release. Its object keeps the name from the manifest, because other objects of the chart
// may refer to it.
type hook struct {
	// release identifies the release: all its hooks have this value, and no hook of another release has it.
	release string
	// deleteAfter are the outcomes of a run after which its object is deleted.
	deleteAfter []string
	// takeOver means that ours replaces a Helm hook that has ended.
	takeOver bool
	// event is the install or upgrade of the release; nil if the Chart does not give one.
	event *event
	// formerly are field managers of KubeObjects: they manage the same objects in those versions of the chart in which no hook
	// makes them.
	formerly []string
}

// decodeHook reads the input; nil if there is none.
func decodeHook(v property.Value) *hook {
	if !v.IsMap() {
		return nil
	}
	members := v.AsMap()
	return &hook{
		release: values.Text(members.Get(tracked.HookRelease)), deleteAfter: values.Scalars(members.Get(tracked.HookDeleteAfter)),
		takeOver: values.Flag(members.Get(tracked.HookTakeOver)), event: decodeEvent(members.Get(tracked.HookEvent)),
		formerly: values.Scalars(members.Get(tracked.HookFormerly)),
	}
}

// sameHook returns inputs without the members that say when a hook runs and which objects of the release it may replace. An event
// that begins or ends is no change of the hook, and neither is another list of such objects.
func sameHook(inputs property.Map) property.Map {
	if v := inputs.Get(tracked.KeyHook); v.IsMap() {
		return inputs.Set(tracked.KeyHook, property.New(v.AsMap().Delete(keyInstalling).Delete(tracked.HookEvent).Delete(tracked.HookFormerly)))
	}
	return inputs
}

// isRenamed reports whether the release of a hook has got another name or namespace.
func (in inputs) isRenamed(was inputs) bool {
	return in.hook != nil && was.hook != nil && in.hook.release != was.hook.release
}

// keeps reports whether the object of a run stays after its end.
func (h *hook) keeps(end outcome) bool { return !slices.Contains(h.deleteAfter, string(end)) }

// checkHook validates the input that makes a Task a hook.
func checkHook(v property.Value, wrong *check.Mistakes) {
	switch {
	case v.IsNull():
		return
	case !v.IsMap():
		wrong.Add(tracked.KeyHook, "The value must be an object.")
		return
	}
	for name := range v.AsMap().AllStable {
		if !slices.Contains([]string{tracked.HookRelease, tracked.HookDeleteAfter, tracked.HookTakeOver, tracked.HookEvent, tracked.HookFormerly}, name) {
			wrong.Add(values.JoinPath(tracked.KeyHook, name), "There is no such property.")
		}
	}
	checkRelease(v.AsMap().Get(tracked.HookRelease), values.JoinPath(tracked.KeyHook, tracked.HookRelease), wrong)
	checkDeleteAfter(v.AsMap().Get(tracked.HookDeleteAfter), values.JoinPath(tracked.KeyHook, tracked.HookDeleteAfter), wrong)
	if flag := v.AsMap().Get(tracked.HookTakeOver); !flag.IsNull() && !flag.IsBool() {
		wrong.Add(values.JoinPath(tracked.KeyHook, tracked.HookTakeOver), "The value must be true or false.")
	}
	checkEvent(v.AsMap().Get(tracked.HookEvent), wrong)
}

func checkRelease(v property.Value, path string, wrong *check.Mistakes) {
	if values.Text(v) == "" {
		wrong.Add(path, "The value must be a text that names the release.")
	}
}

func checkDeleteAfter(v property.Value, path string, wrong *check.Mistakes) {
	if v.IsNull() || v.IsComputed() {
		return
	}
	if !v.IsArray() {
		wrong.Add(path, "The value must be a list.")
		return
	}
	words := choice.Words{string(afterSuccess), string(afterFailure)}
	for i, item := range v.AsArray().All {
		if item.IsNull() || !words.Allow(item) {
			wrong.Add(fmt.Sprintf("%s[%d]", path, i), fmt.Sprintf("The value must be one of %s.", words))
		}
	}
}
