package controller_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

func TestAClassSaysWhetherItsProgramAgrees(t *testing.T) { // [X61]
	p := newPlatform(t)
	p.served()
	message := p.classSays(v1alpha1.ConditionProgramAgrees, class.ReasonKeysUnknown)
	assert.Contains(t, message, "so those that do fail: image, replicas.")
	require.Eventually(t, func() bool { return len(p.eventsAbout("default", p.readClass().UID)[class.ReasonKeysUnknown]) == 1 }, eventually, moment)
	shop := p.new(p.tenant(nil), "shop", map[string]any{"image": "shop:1"}, nil)
	shop.runs(1) // It stops nothing.
	shop.says("Applied")

	program := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "program"}}
	const declared = `{"data":{"Pulumi.yaml":"name: shop\nruntime: yaml\nconfig: {image: {type: string}, replicas: {type: integer}}\n"}}`
	require.NoError(t, p.Patch(t.Context(), program, client.RawPatch(types.MergePatchType, []byte(declared))))
	p.classSays(v1alpha1.ConditionProgramAgrees, "Agrees")
}
