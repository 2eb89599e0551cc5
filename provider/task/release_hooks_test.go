package task

import (
	"maps"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

func TestDeleteHooksAreChecked(t *testing.T) {
	t.Parallel()
	text, unknown := func(s string) property.Value { return property.New(s) }, property.New(property.Computed)
	configMap := property.New(props{
		"apiVersion": text("v1"), "kind": text("ConfigMap"), "metadata": property.New(props{"name": text("a"), "uid": text("1")}),
	})
	step := func(more props) property.Value {
		more[keyManifest] = configMap
		return property.New(more)
	}
	for name, c := range map[string]struct {
		steps property.Value
		more  props
		want  []string
	}{
		"nothing to do":  {list(), nil, nil},
		"unknown steps":  {unknown, nil, nil},
		"an unknown one": {list(unknown, step(props{})), nil, nil},
		"no list":        {text("none"), nil, []string{"steps"}},
		"nothing at all": {property.Value{}, nil, []string{"steps"}},
		"wrong steps": {
			list(text("a step"), step(props{"weight": property.New(1.0)}), step(props{tracked.HookDeleteAfter: list(text("always"))}), property.New(props{keyManifest: job(text("Always"))}), property.New(props{})),
			nil,
			[]string{"steps[0]", "steps[1].weight", "steps[2].deleteAfter[0]", "steps[3].manifest.spec.template.spec.restartPolicy", "steps[4].manifest"},
		},
		"other inputs": {
			list(), props{tracked.HookRelease: text(""), keyTimeout: text("soon"), keyLogLines: property.New(-1.0), tracked.HookTakeOver: text("yes"), keyForceDestroy: text("no"), keyRunOn: list()},
			[]string{tracked.HookRelease, keyTimeout, keyLogLines, tracked.HookTakeOver, keyForceDestroy, keyRunOn},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inputs := props{tracked.HookRelease: text("shop"), keySteps: c.steps}
			maps.Copy(inputs, c.more)
			r := &releaseHooksResource{source: connection.NewSource("test")}
			resp, err := r.Check(t.Context(), p.CheckRequest{Urn: "urn:pulumi:a::b::k8sconnect:index:ReleaseHooks::c", Inputs: property.NewMap(inputs)})
			assert.ElementsMatch(t, c.want, refusals(t, resp, err), "%v", resp.Failures)
			if c.steps.IsArray() {
				assert.Equal(t, c.steps.AsArray().Len(), resp.Inputs.Get(keySteps).AsArray().Len(), "an empty list is no null")
			}
			if len(c.want) == 0 && c.steps.IsArray() && c.steps.AsArray().Len() == 2 {
				metadata := resp.Inputs.Get(keySteps).AsArray().Get(1).AsMap().Get(keyManifest).AsMap().Get("metadata").AsMap()
				assert.False(t, metadata.Get("uid").IsString(), "what the API server alone writes is not sent")
			}
		})
	}
}
