package readiness

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// feed shows the states that are sent, and ends when the context does.
func feed(states <-chan *unstructured.Unstructured) Follow {
	return func(ctx context.Context, see func(*unstructured.Unstructured) (bool, error)) error {
		for {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case live := <-states:
				if done, err := see(live); done || err != nil {
					return err
				}
			}
		}
	}
}

func TestADoubtIsDecidedAboutWhileItLasts(t *testing.T) {
	widget := func(status string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: manifest(t, "acme.io/v1", "Widget", "{metadata: {uid: a}, status: "+status+"}")}
	}
	unwritten, written, done := widget("{}"), widget(`{conditions: [{type: Ready, status: "False"}]}`), widget(`{conditions: [{type: Ready, status: "True"}]}`)
	type excuse = func(context.Context, *unstructured.Unstructured, Doubt) (string, bool)

	await := func(t *testing.T, excuse excuse, timeout time.Duration, states ...*unstructured.Unstructured) (*unstructured.Unstructured, []string, error) {
		shown, warnings := make(chan *unstructured.Unstructured, len(states)), []string(nil)
		for _, state := range states {
			shown <- state
		}
		live, err := Await(t.Context(), compile(t, ready), feed(shown), Options{
			Timeout: timeout, Excuse: excuse, Warn: func(warning string) { warnings = append(warnings, warning) },
		})
		return live, warnings, err
	}
	t.Run("what is excused holds, with a warning [W31]", func(t *testing.T) {
		live, warnings, err := await(t, func(_ context.Context, live *unstructured.Unstructured, doubt Doubt) (string, bool) {
			assert.Equal(t, unwritten, live)
			assert.Equal(t, NoStatus, doubt)
			return "nothing writes a status", true
		}, time.Minute, unwritten)
		require.NoError(t, err)
		assert.Equal(t, unwritten, live)
		assert.Equal(t, []string{"nothing writes a status"}, warnings)
	})
	t.Run("what is excused without a word holds [W31]", func(t *testing.T) {
		live, warnings, err := await(t, func(context.Context, *unstructured.Unstructured, Doubt) (string, bool) { return "", true }, time.Minute, unwritten)
		require.NoError(t, err)
		assert.Equal(t, unwritten, live)
		assert.Empty(t, warnings)
	})
	t.Run("what is not excused is waited for [W31]", func(t *testing.T) {
		asked := 0
		refused := func(context.Context, *unstructured.Unstructured, Doubt) (string, bool) { asked++; return "", false }
		_, warnings, err := await(t, refused, 50*time.Millisecond, unwritten, unwritten)
		notReady := (*NotReadyError)(nil)
		require.ErrorAs(t, err, &notReady)
		assert.Equal(t, TimedOut, notReady.Reason)
		assert.Equal(t, []string{"no status yet"}, notReady.Missing)
		assert.Equal(t, 1, asked, "one doubt is decided about once")
		assert.Empty(t, warnings)
	})
	t.Run("a doubt that has ended is decided about no more [W31]", func(t *testing.T) {
		late := func(ctx context.Context, _ *unstructured.Unstructured, _ Doubt) (string, bool) {
			<-ctx.Done()
			return "too late", true
		}
		live, warnings, err := await(t, late, time.Minute, unwritten, written, done)
		require.NoError(t, err)
		assert.Equal(t, done, live)
		assert.Empty(t, warnings)

		_, warnings, err = await(t, late, 50*time.Millisecond, unwritten, written)
		notReady := (*NotReadyError)(nil)
		require.ErrorAs(t, err, &notReady)
		assert.Equal(t, []string{"condition Ready=False"}, notReady.Missing)
		assert.Empty(t, warnings)
	})
	t.Run("an excuse does not outlast the object [W14]", func(t *testing.T) {
		_, warnings, err := await(t, func(ctx context.Context, _ *unstructured.Unstructured, _ Doubt) (string, bool) {
			<-ctx.Done()
			return "too late", true
		}, time.Minute, unwritten, nil)
		notReady := (*NotReadyError)(nil)
		require.ErrorAs(t, err, &notReady)
		assert.Equal(t, "the object was deleted", notReady.Why)
		assert.Empty(t, warnings)
	})
	t.Run("who has no excuses waits [W31]", func(t *testing.T) {
		_, _, err := await(t, nil, 20*time.Millisecond, unwritten)
		assert.ErrorContains(t, err, "timed out")
	})
}
