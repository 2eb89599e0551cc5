package controller_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/runner"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// exportedOf is an exported state with nothing but the stack itself.
func exportedOf(t *testing.T, stack string) []byte {
	t.Helper()
	urn := fmt.Sprintf("urn:pulumi:%s::shop::pulumi:pulumi:Stack::shop-%[1]s", stack)
	content, err := json.Marshal(map[string]any{"version": 3, "deployment": map[string]any{
		"manifest":  map[string]any{"time": "2030-01-01T00:00:00Z", "magic": "", "version": ""},
		"resources": []map[string]any{{"urn": urn, "custom": false, "type": "pulumi:pulumi:Stack"}},
	}})
	require.NoError(t, err)
	return content
}

// interrupted has an Environment whose run has begun and was interrupted, and is suspended before it is continued.
func (p *place) interrupted() {
	p.Helper()
	p.environment()
	job := p.job(1)
	p.eventually(func() bool { return p.read().Status.CurrentOperation.JobUID == job.UID }, "the Job is in the status")
	store := state.New(p.Client, p.namespace, p.environmentName)
	head, err := store.Read(p.Context())
	require.NoError(p, err)
	head.Project = "shop"
	head.Record = state.Record{
		Serial: 1, Kind: v1alpha1.OperationUpdate, InputHash: p.read().Status.CurrentOperation.InputHash, Outcome: state.Running,
		StartedAt: metav1.Now(), ResourceCount: 1,
	}
	require.NoError(p, store.Save(p.Context(), head))
	p.change(func(environment *v1alpha1.Environment) { environment.Spec.Suspend = true })
	require.NoError(p, p.Delete(p.Context(), job, client.PropagationPolicy(metav1.DeletePropagationBackground)))
	p.eventually(func() bool {
		operation := p.read().Status.CurrentOperation
		return operation != nil && operation.Serial == 2
	}, "it is interrupted")
}

func TestAnImportedStateIsNotTheEndOfARun(t *testing.T) { // [X74]
	p := newPlace(t)
	p.interrupted()
	require.NoError(t, runner.Import(t.Context(), p.Client, p.namespace, "shop", exportedOf(t, p.namespace+".shop")))
	p.change(func(environment *v1alpha1.Environment) { environment.Spec.Suspend = false })
	p.eventually(func() bool {
		status := p.read().Status
		return status.LastApplied != nil || status.CurrentOperation != nil && status.CurrentOperation.JobUID != ""
	}, "it goes on")
	require.Nil(t, p.read().Status.LastApplied, "nothing was applied")
	p.runs(p.read().Status.Serial)
	p.becomes("Applied")
}
