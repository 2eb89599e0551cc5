package controller

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// listing is a client that lists one Environment.
type listing struct{ client.Client }

func (listing) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	list.(*v1alpha1.EnvironmentList).Items = []v1alpha1.Environment{{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop"}}}
	return nil
}

// Two controllers see the same Environments, and a sum over both would count them twice.
func TestOnlyTheControllerThatWasElectedSaysWhatIsThere(t *testing.T) { // [X66]
	registry, elected := prometheus.NewPedanticRegistry(), make(chan struct{})
	reconciler := &Reconciler{Client: listing{}, slots: newSlots(1), metrics: newMetrics()}
	require.NoError(t, reconciler.RegisterMetrics(registry, elected))
	said, err := registry.Gather()
	require.NoError(t, err)
	assert.Empty(t, said)
	close(elected)
	said, err = registry.Gather()
	require.NoError(t, err)
	assert.Len(t, said, 6)
}
