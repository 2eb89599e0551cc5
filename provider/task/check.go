package task

import (
	"context"
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/choice"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// Check validates the inputs, without the network.
func (r *taskResource) Check(ctx context.Context, req p.CheckRequest) (p.CheckResponse, error) {
	r.calls.Check(req.Urn)
	r.former.check(req.Urn)
	hook := req.Inputs.Get(tracked.KeyHook)
	checked, wrong := check.Inputs[Args](req.Inputs.Delete(tracked.KeyHook))
	checkHook(hook, &wrong)
	if !hook.IsNull() {
		checked = checked.Set(tracked.KeyHook, hook)
	}
	checked = checkObject(ctx, checked, &wrong)
	checked = checkWith(ctx, checked, &wrong)
	checkRunOn(req.Inputs.Get(keyRunOn), &wrong)
	if v := req.Inputs.Get(keyTriggers); !v.IsNull() && !v.IsComputed() && !v.IsArray() {
		wrong.Add(keyTriggers, "The value must be a list.")
	}
	checkTimeout(req.Inputs, &wrong)
	if words := choice.Of[Keep](); !words.Allow(req.Inputs.Get(keyKeep)) {
		wrong.Add(keyKeep, fmt.Sprintf("The value must be one of %s.", words))
	}
	checkLogLines(req.Inputs.Get(keyLogLines), &wrong)
	wrong.Flag(req.Inputs, keyForceDestroy)
	return p.CheckResponse{Inputs: checked, Failures: wrong}, nil
}

// checkObject validates the Job or Pod to run.
func checkObject(ctx context.Context, inputs property.Map, wrong *check.Mistakes) property.Map {
	v := inputs.Get(keyManifest)
	if v.IsNull() {
		wrong.Add(keyManifest, "Give the Job or the Pod to run.")
		return inputs
	}
	object, clean, ok := checkManifest(ctx, v, keyManifest, wrong)
	if !ok {
		return inputs
	}
	id := manifest.IdentityOf(object)
	switch kind := id.GroupKind(); {
	case object == nil || id.APIVersion == "" || id.Kind == "":
	case kind != kinds.Job && kind != kinds.Pod:
		wrong.Add(keyManifest+".kind", fmt.Sprintf("A Task runs a Job of batch/v1 or a Pod of v1, not a %s of %s.", id.Kind, id.APIVersion))
	default:
		checkRestartPolicy(kind, object, keyManifest, wrong)
	}
	return inputs.Set(keyManifest, clean)
}

// checkRestartPolicy refuses pods that never end. at is the path of the object in the inputs.
func checkRestartPolicy(kind schema.GroupKind, object map[string]any, at string, wrong *check.Mistakes) {
	keys, _ := kinds.PodTemplate(kind)
	path := append(slices.Clone(keys), "spec", "restartPolicy")
	var v any = object
	for _, key := range path {
		members, ok := v.(map[string]any)
		if !ok {
			return // Something else is wrong with it, or it is not known yet.
		}
		v = members[key]
	}
	if policy, _ := v.(string); v == nil || policy == "Always" {
		wrong.Add(at+"."+strings.Join(path, "."), "The value must be Never or OnFailure: with Always, which is the default, a pod never ends.")
	}
}

// checkWith validates the objects that exist only for the run.
func checkWith(ctx context.Context, inputs property.Map, wrong *check.Mistakes) property.Map {
	v := inputs.Get(keyWith)
	if v.IsNull() || v.IsComputed() {
		return inputs
	}
	if !v.IsArray() {
		wrong.Add(keyWith, "The value must be a list of manifests.")
		return inputs
	}
	var checked []property.Value
	for i, item := range v.AsArray().All {
		_, clean, ok := checkManifest(ctx, item, fmt.Sprintf("%s[%d]", keyWith, i), wrong)
		if !ok {
			clean = item
		}
		checked = append(checked, clean)
	}
	return inputs.Set(keyWith, property.New(checked).WithSecret(v.Secret()))
}

// checkManifest validates one manifest. It returns the manifest with the secret marks of its kind, and without the fields that
// are never sent. The object is nil while the whole manifest is unknown.
func checkManifest(ctx context.Context, v property.Value, path string, wrong *check.Mistakes) (object map[string]any, clean property.Value, ok bool) {
	if v.IsComputed() {
		return nil, v, true
	}
	if !v.IsMap() {
		wrong.Add(path, "The manifest must be an object with apiVersion, kind and metadata.")
		return nil, v, false
	}
	plain, secrets, err := values.FromProperty(v)
	if err != nil {
		wrong.Add(path, err.Error())
		return nil, v, false
	}
	written, _ := plain.(map[string]any)
	object, dropped := manifest.Normalize(written)
	if len(dropped) > 0 {
		p.GetLogger(ctx).Warningf("%s: %s", path, manifest.SayDropped(dropped))
	}
	problems := manifest.Validate(object)
	for _, problem := range problems {
		wrong.Add(values.JoinPath(path, problem.Path), problem.Reason)
	}
	tracked.MarkKind(&secrets, manifest.IdentityOf(object))
	clean, err = values.ToProperty(object, secrets)
	if err != nil {
		wrong.Add(path, err.Error())
		return nil, v, false
	}
	return object, clean, len(problems) == 0
}

func checkRunOn(v property.Value, wrong *check.Mistakes) {
	words := choice.Of[RunOn]()
	switch {
	case v.IsNull() || v.IsComputed():
	case !v.IsArray() || v.AsArray().Len() == 0:
		wrong.Add(keyRunOn, fmt.Sprintf("The value must be a list of one or more of %s.", words))
	default:
		for i, item := range v.AsArray().All {
			if item.IsNull() || !words.Allow(item) {
				wrong.Add(fmt.Sprintf("%s[%d]", keyRunOn, i), fmt.Sprintf("The value must be one of %s.", words))
			}
		}
	}
}

func checkTimeout(inputs property.Map, wrong *check.Mistakes) {
	if text := wrong.Text(inputs, keyTimeout); text != "" {
		if _, err := waitfor.ParseTimeout(text); err != nil {
			wrong.Add(keyTimeout, err.Error())
		}
	}
}

func checkLogLines(v property.Value, wrong *check.Mistakes) {
	if v.IsNull() || v.IsComputed() {
		return
	}
	if !v.IsNumber() || v.AsNumber() != float64(int(v.AsNumber())) || v.AsNumber() < 0 || v.AsNumber() > maxLogLines {
		wrong.Add(keyLogLines, fmt.Sprintf("The value must be a whole number from 0 to %d.", maxLogLines))
	}
}
