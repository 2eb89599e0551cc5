package operator

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// passing makes nothing, and waits at the gate.
const passing = `name: passing
runtime: yaml
resources:
  passed:
    type: k8sconnect:Wait
    properties:
      resourceRef: {apiVersion: v1, kind: ConfigMap, name: gate}
      waitFor: {expression: "object.data.open == 'yes'", timeout: 10m}
`

func TestANamespaceWithManyEnvironmentsDoesNotHoldUpAnother(t *testing.T) { // [X48]
	t.Parallel()
	many := alone(t)
	few := in(t, many.cluster, many.node, "")
	few.program(tiny)
	many.program(passing)
	many.shutGate()
	// A node may have room for fewer than there are slots.
	small := fields{"runner": fields{"resources": fields{"requests": fields{"cpu": "10m", "memory": "64Mi"}}}}
	var running []*environment
	for i := range slots {
		e := many.create(fmt.Sprintf("shop-%d", i), small)
		running = append(running, e)
	}
	many.eventually(func() bool { return many.activeJobs() == slots }, "all slots are taken")
	next := many.create("next", small)
	assert.Contains(t, next.becomes("Reconciling", metav1.ConditionTrue, "Queued").condition("Reconciling").Message, "0 wait before it")

	other := few.create("shop", small)
	assert.Contains(t, other.becomes("Reconciling", metav1.ConditionTrue, "Queued").condition("Reconciling").Message, "0 wait before it",
		"its namespace has no run under way")

	many.openGate()
	other.ready()
	next.ready()
	for _, e := range running {
		e.ready()
	}
}
