package operator

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// origin makes nothing, and says in an output that is secret what it is configured with.
const origin = `name: origin
runtime: yaml
config:
  text: {type: string}
outputs:
  text: {"fn::secret": "${text}"}
`

func TestAnEnvironmentThatDependsOnAnother(t *testing.T) { // [X67]
	t.Parallel()
	s := with(t)
	s.program(greeting)
	require.NoError(t, s.client.Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "origin"}, Data: map[string]string{"Pulumi.yaml": origin},
	}))
	shop := s.create("shop", fields{"configFrom": fromOutput("network", "text")})
	shop.becomes("Ready", metav1.ConditionFalse, "DependencyMissing")
	network := s.create("network", merged(text("hello"), fields{"program": fields{"configMapRef": fields{"name": "origin"}}}))
	made := shop.ready()
	assert.Equal(t, "hello", s.text("greeting"))
	assert.NotContains(t, made.Outputs, "text", "what is secret there is secret here")
	assert.Equal(t, "hello", string(s.secret("shop-outputs").Data["text"]))

	network.change(text("bye"))
	s.eventually(func() bool { return s.text("greeting") == "bye" }, "the change arrives")
	shop.ready()
	assert.Len(t, shop.status().History, 2)

	require.NoError(t, s.client.Delete(t.Context(), network.read()))
	network.becomes("Ready", metav1.ConditionFalse, "HasDependents")
	shop.delete()
	network.gone()
	assert.Nil(t, s.configMap("greeting"))
}
