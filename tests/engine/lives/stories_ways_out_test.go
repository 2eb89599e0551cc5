package lives_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

func options() engine.Options { return engine.Options{} }

// TestAChangeThatIsRefusedCanBeTakenBack tells that no refusal is a dead end.
func TestAChangeThatIsRefusedCanBeTakenBack(t *testing.T) {
	story(t, "[D58]", "plain", func(p *place) {
		job := queued("work")
		p.up(object("job", job, retained))
		result := p.tryUp(object("job", changed(job, `{spec: {template: {spec: {restartPolicy: OnFailure}}}}`), retained))
		require.Error(p, result.Err)
		uid := p.live("Job", "work").GetUID()
		result = p.tryUp(object("job", job, retained, input("adopt", true)))
		require.NoError(p, result.Err, "the change cannot be taken back: %s", result.Output)
		require.Equal(p, uid, p.live("Job", "work").GetUID())
	})
}

// TestAWaitThatBeginsToFail tells that a Wait is held to what its program says now.
func TestAWaitThatBeginsToFail(t *testing.T) {
	story(t, "[D53]", "plain", func(p *place) {
		settings, never := object("settings", configMap("settings")), m{"fieldValue": m{"data.a": "never"}, "timeout": "1s"}
		p.up(settings, waitOn("settings", "wait", never, input("onFailure", "warn")))
		result := p.tryUp(settings, waitOn("settings", "wait", never, input("onFailure", "fail")))
		require.Error(p, result.Err, "the up succeeds although nothing ever held: %s", result.Output)
	})
}

// TestWhatAPatchAddsIsRemoved tells that onDestroy: remove removes a sidecar also after a repair.
func TestWhatAPatchAddsIsRemoved(t *testing.T) {
	story(t, "[D54]", "plain", func(p *place) {
		require.NoError(p, put(p.Context(), p.namespace, deployment("web")))
		p.up(patchOf("sidecar", m{
			"target": m{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}, "onDestroy": "remove",
			"patch": parse(`{spec: {template: {spec: {containers: [{name: side, image: "example.com/side:1", env: [{name: A, value: "1"}]}]}}}}`),
		}))
		p.edit("Deployment", "web", `{spec: {template: {spec: {containers: [{name: main, image: "example.com/app:1"}, {name: side, image: "example.com/side:9", env: [{name: A, value: "1"}]}]}}}}`)
		p.up()
		result := p.do(engine.Destroy, options())
		require.NoError(p, result.Err, result.Output)
		spec := p.live("Deployment", "web").Object["spec"].(m)["template"].(m)["spec"].(m)
		require.Len(p, spec["containers"], 1, "the sidecar is still there: %s", result.Output)
	})
}

// TestStatusOfAKindWithoutSubresource tells that status is left to the controller also where the API server would accept it: exported
// manifests have it, and an apply would take it from the controller.
func TestStatusOfAKindWithoutSubresource(t *testing.T) {
	story(t, "[D63]", "plain", func(p *place) {
		result := p.up(object("thing", changed(custom("Plain", "thing"), `{status: {phase: Done}}`)))
		require.Nil(p, p.live("Plain", "thing").Object["status"])
		require.Contains(p, result.Output, "status ignored, because only the API server and controllers write it.")
	})
}
