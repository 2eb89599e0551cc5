package readiness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestAnObjectThatIsSuspendedMeanwhileEndsTheWait(t *testing.T) { // [R8]
	shown := make(chan *unstructured.Unstructured, 2)
	for _, phase := range []string{"Pending", "Paused"} {
		shown <- &unstructured.Unstructured{Object: manifest(t, "acme.io/v1", "Widget", "{metadata: {uid: a}, status: {phase: "+phase+"}}")}
	}
	_, err := Await(t.Context(), compile(t, ready), feed(shown), Options{Timeout: time.Minute})
	notReady := (*NotReadyError)(nil)
	require.ErrorAs(t, err, &notReady)
	assert.Equal(t, Failed, notReady.Reason)
	assert.True(t, notReady.Suspended)
}
