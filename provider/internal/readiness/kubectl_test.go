package readiness

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/kubectl/pkg/polymorphichelpers"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// kubectl rollout status is the reference for the rules of rollouts: whenever it calls a rollout complete so do these
// rules, and only then. It cannot tell with the update strategy OnDelete, and passes over minReadySeconds of a
// StatefulSet, which is waited for here.
func TestRolloutsAreCompleteWhenKubectlSaysSo(t *testing.T) {
	rolling := slices.DeleteFunc(slices.Clone(drawn), func(k drawnKind) bool { return !HasRollout(kindOf(object{"apiVersion": k.apiVersion, "kind": k.kind})) })
	require.Len(t, rolling, len(rollouts), "every kind that rolls out pods is drawn")
	seen := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		live := drawLiveOf(t, rapid.SampledFrom(rolling).Draw(t, "kind"))
		if onDelete(live) {
			return
		}
		if kindOf(live) == kinds.StatefulSet {
			unstructured.RemoveNestedField(live, "spec", "minReadySeconds")
		}
		rapid.SampledFrom([]func(){
			func() {},
			func() { unstructured.RemoveNestedField(live, "spec", "updateStrategy", "rollingUpdate") },
			func() { unstructured.RemoveNestedField(live, "status") },
			func() { settle(live) }, // which chance alone seldom does
		}).Draw(t, "as given")()
		viewer, err := polymorphichelpers.StatusViewerFor(kindOf(live))
		require.NoError(t, err)
		said, done, err := viewer.Status(&unstructured.Unstructured{Object: live}, 0)
		if err != nil {
			said = err.Error()
		}
		missing := rolloutCriterion{}.missing(live)
		assert.Equal(t, done && err == nil, missing == "", "kubectl: %s\nhere: %s", said, missing)
		seen[missing == ""]++
	})
	assert.Positive(t, seen[true], "complete rollouts")
	assert.Positive(t, seen[false], "incomplete rollouts")
}

// settle makes a rollout complete.
func settle(live object) {
	const pods = int64(2)
	live["spec"].(object)["replicas"] = pods
	live["status"] = object{
		"observedGeneration": int64(2), "currentRevision": "a", "updateRevision": "a",
		"replicas": pods, "updatedReplicas": pods, "readyReplicas": pods, "availableReplicas": pods,
		"desiredNumberScheduled": pods, "currentNumberScheduled": pods, "updatedNumberScheduled": pods, "numberReady": pods, "numberAvailable": pods,
	}
}
