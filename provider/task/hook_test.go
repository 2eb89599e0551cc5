package task

import (
	"testing"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

type props = map[string]property.Value

// refusals are the properties that a check has refused.
func refusals(t *testing.T, resp p.CheckResponse, err error) (refused []string) {
	t.Helper()
	require.NoError(t, err)
	for _, failure := range resp.Failures {
		refused = append(refused, failure.Property)
	}
	return refused
}

func list(items ...property.Value) property.Value {
	return property.New(append([]property.Value{}, items...))
}

func TestAHookIsChecked(t *testing.T) {
	t.Parallel()
	text, unknown := func(s string) property.Value { return property.New(s) }, property.New(property.Computed)
	for name, c := range map[string]struct {
		hook property.Value
		want []string
	}{
		"the release":            {property.New(props{tracked.HookRelease: text("shop")}), nil},
		"everything":             {property.New(props{tracked.HookRelease: text("shop"), tracked.HookDeleteAfter: list(text("succeeded"), text("failed")), tracked.HookTakeOver: property.New(true)}), nil},
		"an event":               {property.New(props{tracked.HookRelease: text("shop"), tracked.HookEvent: property.New(props{tracked.EventNumber: property.New(1.0), tracked.EventOpen: property.New(true)})}), nil},
		"an unknown one":         {property.New(props{tracked.HookRelease: text("shop"), tracked.HookEvent: unknown}), nil},
		"no event":               {property.New(props{tracked.HookRelease: text("shop"), tracked.HookEvent: text("install")}), []string{"__hook.event"}},
		"one that has no number": {property.New(props{tracked.HookRelease: text("shop"), tracked.HookEvent: property.New(props{tracked.EventOpen: property.New(true)})}), []string{"__hook.event.number"}},
		"unknown words":          {property.New(props{tracked.HookRelease: text("shop"), tracked.HookDeleteAfter: list(unknown)}), nil},
		"no release":             {property.New(props{}), []string{"__hook.release"}},
		"a text":                 {text("shop"), []string{"__hook"}},
		"other words":            {property.New(props{tracked.HookRelease: text("shop"), tracked.HookDeleteAfter: list(text("always"))}), []string{"__hook.deleteAfter[0]"}},
		"no list":                {property.New(props{tracked.HookRelease: text("shop"), tracked.HookDeleteAfter: text("failed")}), []string{"__hook.deleteAfter"}},
		"a member it has not": {
			property.New(props{tracked.HookRelease: text("shop"), "weight": property.New(1.0), tracked.HookTakeOver: text("yes")}), []string{"__hook.weight", "__hook.takeOver"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &taskResource{source: connection.NewSource("test")}
			resp, err := r.Check(t.Context(), p.CheckRequest{
				Urn: "urn:pulumi:a::b::k8sconnect:index:Task::c", Inputs: property.NewMap(props{keyManifest: job(text("Never")), tracked.KeyHook: c.hook}),
			})
			assert.ElementsMatch(t, c.want, refusals(t, resp, err), "%v", resp.Failures)
			assert.Equal(t, c.hook, resp.Inputs.Get(tracked.KeyHook))
		})
	}
}

func TestWhatIsKeptOfARun(t *testing.T) {
	t.Parallel()
	hookOf := func(deleteAfter ...outcome) inputs {
		of := &hook{}
		for _, end := range deleteAfter {
			of.deleteAfter = append(of.deleteAfter, string(end))
		}
		return inputs{keep: keepFailed, hook: of}
	}
	for name, c := range map[string]struct {
		in                         inputs
		afterSuccess, afterFailure bool
	}{
		"always":                      {inputs{keep: keepAlways}, true, true},
		"what has failed":             {inputs{keep: keepFailed}, false, true},
		"nothing":                     {inputs{keep: keepNever}, false, false},
		"of a hook, by default":       {hookOf(), true, true},
		"of a hook, hook-succeeded":   {hookOf(afterSuccess), false, true},
		"of a hook, hook-failed":      {hookOf(afterFailure), true, false},
		"of a hook with both of them": {hookOf(afterFailure, afterSuccess), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.afterSuccess, c.in.keeps(afterSuccess))
			assert.Equal(t, c.afterFailure, c.in.keeps(afterFailure))
		})
	}
}

func TestHowAnObjectEnded(t *testing.T) {
	t.Parallel()
	made := "2026-01-02T15:00:00Z"
	of := func(apiVersion, kind string, status map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": "it", "creationTimestamp": made, "deletionTimestamp": "2026-01-02T16:00:00Z"},
			"status": status,
		}}
	}
	condition := func(name, status, at string) map[string]any {
		return map[string]any{"conditions": []any{map[string]any{"type": name, "status": status, "lastTransitionTime": at}}}
	}
	containers := func(phase string, ends ...string) map[string]any {
		var statuses []any
		for _, end := range ends {
			statuses = append(statuses, map[string]any{"name": "a", "state": map[string]any{"terminated": map[string]any{"exitCode": int64(0), "finishedAt": end}}})
		}
		return map[string]any{"phase": phase, "containerStatuses": statuses}
	}
	at := func(text string, succeeded bool) *ending {
		parsed, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return &ending{succeeded: succeeded, at: parsed}
	}
	for name, c := range map[string]struct {
		live *unstructured.Unstructured
		want *ending
	}{
		"a Job that runs":             {of("batch/v1", "Job", map[string]any{"active": int64(1)}), nil},
		"a Job that is complete":      {of("batch/v1", "Job", condition("Complete", "True", "2026-01-02T15:05:00Z")), at("2026-01-02T15:05:00Z", true)},
		"a Job that has failed":       {of("batch/v1", "Job", condition("Failed", "True", "2026-01-02T15:05:00Z")), at("2026-01-02T15:05:00Z", false)},
		"a Job that is about to fail": {of("batch/v1", "Job", condition("FailureTarget", "True", "2026-01-02T15:05:00Z")), nil},
		"a Job that is no longer":     {of("batch/v1", "Job", condition("Complete", "False", "2026-01-02T15:05:00Z")), nil},
		"a Pod that runs":             {of("v1", "Pod", containers("Running")), nil},
		"a Pod, by its last container": {
			of("v1", "Pod", containers("Succeeded", "2026-01-02T15:07:00Z", "2026-01-02T15:06:00Z")), at("2026-01-02T15:07:00Z", true),
		},
		"a Pod on a node whose clock is slow": {of("v1", "Pod", containers("Failed", "2026-01-02T14:00:00Z")), at(made, false)},
		"something that has no end":           {of("v1", "ConfigMap", nil), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := endingOf(c.live)
			if c.want == nil {
				assert.Nil(t, got)
				return
			}
			require.NotNil(t, got)
			assert.Equal(t, c.want.succeeded, got.succeeded)
			assert.True(t, c.want.at.Equal(got.at), "%s", got.at)
		})
	}
}
