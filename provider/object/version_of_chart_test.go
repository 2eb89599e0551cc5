package object

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

func TestTheVersionThatAChartHasChosen(t *testing.T) {
	t.Parallel()
	err := failure.Explain(&failure.KindNotServedError{
		APIVersion: "apiregistration.k8s.io/v1beta1", Kind: "APIService", Permanent: true, ServedAs: []string{"apiregistration.k8s.io/v1"},
	}, failure.Operation{Verb: "create", Subject: "APIService v1.metrics"})
	const child = "$k8sconnect:index:KubeObject::web:apiregistration.k8s.io/APIService.v1.metrics"
	t.Run("the error of a Chart's object has the line that lets its templates choose another one [D67]", func(t *testing.T) {
		t.Parallel()
		advised := adviseChart(resource.URN("urn:pulumi:dev::shop::k8sconnect:index:Chart"+child), err)
		assert.ErrorContains(t, advised, "\n        apiVersions: [apiregistration.k8s.io/v1, apiregistration.k8s.io/v1/APIService]\n")
		assert.NotContains(t, advised.Error(), "set apiVersion to")
		reason, _ := failure.ReasonOf(advised)
		assert.Equal(t, failure.ReasonKindNotServed, reason)
	})
	t.Run("that of any other object has not [D67]", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, err, adviseChart(resource.URN("urn:pulumi:dev::shop::k8sconnect:index:Manifests"+child), err))
		assert.ErrorContains(t, err, "set apiVersion to apiregistration.k8s.io/v1")
	})
}
