package operator

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const approve = "platform.example.com/approve"

func TestApproval(t *testing.T) { // [X9]
	t.Parallel()
	s := with(t)
	s.program(greeting)
	e := s.create("shop", fields{"approval": "Manual", "config": fields{"text": "hello"}})

	planned := e.becomes("Ready", metav1.ConditionFalse, "WaitingForApproval")
	require.NotNil(t, planned.PendingPlan)
	assert.Nil(t, s.configMap("greeting"), "nothing is made before it is approved")
	assert.Contains(t, planned.condition("Ready").Message, planned.PendingPlan.Hash, "the message says how to approve")
	first := planned.PendingPlan.Hash

	e.annotate(approve, first)
	applied := e.applied(2)
	assert.Equal(t, "hello", s.configMap("greeting").Data["text"])
	assert.Nil(t, applied.PendingPlan)

	t.Run("an outdated approval does nothing", func(t *testing.T) {
		e.change(fields{"config": fields{"text": "good evening"}})
		planned := e.becomes("Ready", metav1.ConditionFalse, "WaitingForApproval")
		require.NotEqual(t, first, planned.PendingPlan.Hash)
		require.NotEmpty(t, planned.PendingPlan.Changes)
		assert.Equal(t, "update", planned.PendingPlan.Changes[0].Op)
		assert.Equal(t, "hello", s.configMap("greeting").Data["text"])

		// What was planned is not what would happen any more.
		made := s.configMap("greeting")
		require.NoError(t, s.client.Delete(t.Context(), made))
		e.change(fields{"config": fields{"text": "good night"}})
		second := planned.PendingPlan.Hash
		e.annotate(approve, second)
		s.eventually(func() bool {
			plan := e.status().PendingPlan
			return plan != nil && plan.Hash != second
		}, "there is another plan")
		planned = e.becomes("Ready", metav1.ConditionFalse, "WaitingForApproval")
		e.annotate(approve, planned.PendingPlan.Hash)
		s.eventually(func() bool {
			made := s.configMap("greeting")
			return made != nil && made.Data["text"] == "good night"
		}, "the approved plan runs")
	})
	t.Run("what changes no resource needs no approval", func(t *testing.T) {
		serial := e.ready().Serial
		s.program(greeting + "  more: x\n")
		assert.Equal(t, "x", e.applied(serial + 2).Outputs["more"])
	})
}
