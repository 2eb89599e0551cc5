package operator

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// removeByForce removes a Secret past its finalizer, and returns what a backup would have kept of it.
func (s *surroundings) removeByForce(name string) *corev1.Secret {
	s.Helper()
	secret := s.secret(name)
	backup := backedUp(secret)
	secret.Finalizers = nil
	require.NoError(s, s.client.Update(s.Context(), secret))
	require.NoError(s, s.client.Delete(s.Context(), secret))
	return backup
}

// backedUp is a Secret as a backup tool creates it again: without what was its life.
func backedUp(secret *corev1.Secret) *corev1.Secret {
	backup := secret.DeepCopy()
	backup.ObjectMeta = metav1.ObjectMeta{
		Namespace: secret.Namespace, Name: secret.Name, Labels: secret.Labels, Annotations: secret.Annotations, Finalizers: secret.Finalizers,
	}
	return backup
}

func TestStateThatWasRemovedByForce(t *testing.T) { // [X33]
	t.Parallel()
	s := with(t)
	s.program(greeting)
	e := s.create("shop", fields{"config": fields{"text": "hello"}})
	e.ready()
	before := s.configMap("greeting")

	for _, name := range []string{"shop-state", "shop-passphrase"} {
		backup := s.removeByForce(name)
		e.change(fields{"config": fields{"text": "changed without " + name}})
		lost := e.becomes("Ready", metav1.ConditionFalse, "StateLost")
		assert.Contains(t, lost.condition("Ready").Message, name)
		assert.Equal(t, before.Data, s.configMap("greeting").Data, "nothing runs without %s", name)

		require.NoError(t, s.client.Create(t.Context(), backup))
		e.ready()
		after := s.configMap("greeting")
		assert.Equal(t, before.UID, after.UID)
		assert.Equal(t, "changed without "+name, after.Data["text"], "it goes on by itself with %s", name)
		before = after
	}

	s.removeByForce("shop-state")
	require.NoError(t, s.client.Delete(t.Context(), e.read()))
	lost := e.becomes("Ready", metav1.ConditionFalse, "StateLost")
	assert.Contains(t, lost.condition("Ready").Message, "shop-state")
	assert.NotNil(t, s.configMap("greeting"))
	e.annotate("platform.example.com/orphan", "true")
	e.gone()
	assert.NotNil(t, s.configMap("greeting"))
}
