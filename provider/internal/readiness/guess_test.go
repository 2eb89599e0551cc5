package readiness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestAGuessIsReportedAtTheEnd(t *testing.T) {
	await := func(t *testing.T, statuses ...string) (guesses []string, err error) {
		shown := make(chan *unstructured.Unstructured, len(statuses))
		for _, status := range statuses {
			shown <- &unstructured.Unstructured{Object: manifest(t, "acme.io/v1", "Widget", "{metadata: {uid: a}, status: "+status+"}")}
		}
		_, err = Await(t.Context(), compile(t, ready), feed(shown), Options{
			Timeout: time.Minute, Guessed: func(by string) { guesses = append(guesses, by) },
		})
		return guesses, err
	}
	t.Run("[R9] once", func(t *testing.T) {
		guesses, err := await(t, "{phase: Pending}", "{phase: Running}")
		require.NoError(t, err)
		assert.Equal(t, []string{"status.phase is Running"}, guesses)
	})
	t.Run("[R9] and not where the object says that it is Ready", func(t *testing.T) {
		guesses, err := await(t, "{phase: Pending}", `{phase: Running, conditions: [{type: Ready, status: "True"}]}`)
		require.NoError(t, err)
		assert.Empty(t, guesses)
	})
	t.Run("[R8] an object that is suspended meanwhile ends the wait", func(t *testing.T) {
		_, err := await(t, "{phase: Pending}", "{phase: Paused}")
		notReady := (*NotReadyError)(nil)
		require.ErrorAs(t, err, &notReady)
		assert.Equal(t, Failed, notReady.Reason)
		assert.True(t, notReady.Suspended)
	})
}
