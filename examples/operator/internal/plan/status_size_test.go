package plan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

const statusSize = 64 << 10

// big is a record that is as big as its program likes.
func big(record *state.Record, size int) {
	text := strings.Repeat("\"é\n", size)
	record.ResourceCount, record.Message = 1000, strings.Repeat(text, 20)
	for i := range 1000 {
		record.Resources = append(record.Resources, v1alpha1.ResourceStatus{
			Name: fmt.Sprintf("object-%d", i), Kind: "ConfigMap", Namespace: strings.Repeat("n", 63), ObjectName: text[:min(len(text), 253)],
			UID: "6f1f9b0a-7a53-4a5f-9b43-6c1a9f6f8a10", State: v1alpha1.ResourceFailed,
		})
	}
	if record.Plan != nil {
		for i := range 50 {
			change := v1alpha1.Change{Op: "update", Type: "k8sconnect:index:Object", Name: fmt.Sprintf("object-%d", i)}
			for range 10 {
				change.Paths = append(change.Paths, text)
			}
			record.Plan.Changes = append(record.Plan.Changes, change)
		}
	}
}

func TestAStatusIsSmallWhateverAProgramMakes(t *testing.T) { // [X19]
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{1, 30, 400}).Draw(t, "size")
		w := newWorld()
		w.environment.Spec.DriftDetection = &v1alpha1.DriftDetection{}
		w.environment.Spec.Approval = rapid.SampledFrom([]v1alpha1.ApprovalMode{v1alpha1.ApprovalAutomatic, v1alpha1.ApprovalManual}).Draw(t, "approval")
		for range 6 {
			w.until(func() bool { return w.run.working() })
			change := func(record *state.Record) { big(record, size) }
			w.outputsOf(size)
			switch rapid.IntRange(0, 3).Draw(t, "end") {
			case 0:
				w.ends(state.Failed, change)
			case 1:
				w.ends(state.Succeeded, func(record *state.Record) {
					if record.Kind == v1alpha1.OperationDriftCheck {
						record.Drifted, record.Plan = true, &v1alpha1.Plan{Hash: "plan", Drift: true}
					}
					change(record)
				})
			default:
				w.ends(state.Succeeded, change)
			}
			w.rests()
			encoded, err := json.Marshal(w.status())
			require.NoError(t, err)
			require.Less(t, len(encoded), statusSize)
			w.approve()
			if w.is(v1alpha1.ConditionStalled) {
				w.change(w.hash)
			}
		}
	})
}

// outputsOf makes the head name outputs of a size.
func (w *world) outputsOf(size int) {
	head := *w.head
	head.Outputs = map[string]state.Output{"secret": {Value: "hidden", Secret: true}}
	for i := range 100 {
		head.Outputs[fmt.Sprintf("output-%d", i)] = state.Output{Value: map[string]any{"text": strings.Repeat("x", size)}}
	}
	w.head = &head
}

func TestOutputsInTheStatusAreCutAndNotSecret(t *testing.T) { // [X1] [X19] [X26]
	w := newWorld()
	w.starts()
	w.outputsOf(5000)
	w.succeeds()
	w.rests()
	require.NotContains(t, w.status().Outputs, "secret")
	var shown string
	require.NoError(t, json.Unmarshal(w.status().Outputs["output-0"].Raw, &shown))
	require.LessOrEqual(t, len(shown), 1024)
	require.True(t, strings.HasSuffix(shown, "…"))
	require.Len(t, w.head.Outputs["output-0"].Value, 1, "the head keeps it whole")
}

func TestAProblemOfAnyLengthFits(t *testing.T) { // [X19]
	w := newWorld()
	w.decide()
	w.problem = &plan.Problem{Reason: "InputsMissing", Message: strings.Repeat("x", 100_000)}
	w.rests()
	require.LessOrEqual(t, len(w.ready().Message), 4096)
}

func TestARequestOfAnyLengthFits(t *testing.T) { // [X19] [X56]
	w := newWorld()
	w.applies()
	for i, end := range []string{"a", "b"} {
		w.environment.Annotations = map[string]string{v1alpha1.AnnotationRun: strings.Repeat("x", 100_000) + end}
		w.applies()
		require.Len(t, w.started, 2+i, "one that differs at its end asks again")
		require.Less(t, len(w.status().LastRunRequest), 300)
		w.rests()
		require.Len(t, w.started, 2+i, "one run is enough")
	}
}
