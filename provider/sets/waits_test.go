package sets

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/order"
)

func TestWhatIsAppliedWithoutWhatItNeeds(t *testing.T) {
	t.Parallel()
	edge := order.Edge{Object: "ConfigMap.a", Because: "it may be the operator"}
	assert.Equal(t, "ConfigMap.a is applied all the same (it may be the operator)", goOnWithout([]order.Edge{edge}))
	assert.Equal(t, "ConfigMap.a is applied all the same (it may be the operator), and so is 1 other", goOnWithout([]order.Edge{edge, edge}))
	assert.Equal(t, "ConfigMap.a is applied all the same (it may be the operator), and so are 2 others", goOnWithout([]order.Edge{edge, edge, edge}))
}
