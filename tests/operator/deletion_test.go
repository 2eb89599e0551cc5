package operator

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func splitFields(text string) []string { return strings.Fields(text) }

func TestOrphan(t *testing.T) { // [X11]
	t.Parallel()
	s := with(t)
	s.program(greeting)
	e := s.create("shop", fields{"config": fields{"text": "hello"}, "onDelete": "Orphan"})
	e.ready()
	uid := s.configMap("greeting").UID
	e.delete()
	require.NotNil(t, s.configMap("greeting"))
	require.NotNil(t, s.secret("shop-state"), "the state stays, too")

	// Another Environment of the name goes on where this one ended.
	again := s.create("shop", fields{"config": fields{"text": "good evening"}})
	again.applied(2)
	assert.Equal(t, uid, s.configMap("greeting").UID)
	assert.Equal(t, "good evening", s.configMap("greeting").Data["text"])
	again.delete()
	assert.Nil(t, s.configMap("greeting"))
	assert.Nil(t, s.secret("shop-state"))
}

func TestADeletionThatFails(t *testing.T) { // [X11]
	t.Parallel()
	s := with(t)
	s.program(greeting)
	e := s.create("shop", fields{"config": fields{"text": "hello"}, "retry": fields{"limit": 0}})
	e.ready()
	// The run may not delete any more.
	out, err := kubectl(t.Context(), s.cluster, "delete", "rolebinding", "environment-programs", "-n", s.namespace)
	require.NoError(t, err, out)
	require.NoError(t, s.client.Delete(t.Context(), e.read()))
	stalled := e.becomes("Stalled", metav1.ConditionTrue, "DestroyFailed")
	assert.Contains(t, stalled.condition("Ready").Message, "Forbidden")
	assert.NotNil(t, s.configMap("greeting"))

	s.apply(runner)
	e.annotate("platform.example.com/retry", "1")
	e.gone()
	assert.Nil(t, s.configMap("greeting"))
}

func TestADeletionWhileARunGoesOn(t *testing.T) { // [X11]
	t.Parallel()
	s := with(t)
	s.program(slow)
	e := s.create("shop", fields{"config": fields{"text": "one"}})
	s.eventually(func() bool { return s.configMap("made") != nil }, "the run is in the middle")
	e.delete()
	assert.Nil(t, s.configMap("made"))
}
