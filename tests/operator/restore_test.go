package operator

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestARestoredEnvironment(t *testing.T) { // [X57]
	t.Parallel()
	s := with(t)
	s.program(greeting)
	e := s.create("shop", merged(text("hello"), fields{"onDelete": "Orphan"}))
	e.ready()
	made := s.configMap("greeting").UID

	var saved corev1.SecretList
	require.NoError(t, s.client.List(t.Context(), &saved, client.InNamespace(s.namespace), client.HasLabels{"platform.example.com/state-part"}))
	require.NotEmpty(t, saved.Items)
	e.delete()
	var backups []*corev1.Secret
	for i := range saved.Items {
		backups = append(backups, backedUp(&saved.Items[i]))
		if name := saved.Items[i].Name; s.secret(name) != nil { // The inputs of a run go with the Environment.
			s.removeByForce(name)
		}
	}

	// As backup tools do: Secrets before custom resources, which have neither their uid nor their status.
	for _, backup := range backups {
		require.NoError(t, s.client.Create(t.Context(), backup))
	}
	again := s.create("shop", text("good evening"))
	again.ready()
	assert.Equal(t, made, s.configMap("greeting").UID)
	assert.Equal(t, "good evening", s.text("greeting"))
	again.delete()
	assert.Nil(t, s.configMap("greeting"))
	assert.Nil(t, s.secret("shop-state"))
}
