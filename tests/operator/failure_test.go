package operator

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// refused is a program whose object the API server refuses.
var refused = strings.ReplaceAll(greeting, "kind: ConfigMap", "kind: ConfigMap\n        immutable: 7")

func TestAFailure(t *testing.T) {
	t.Parallel()
	s := with(t)
	s.program(refused)
	e := s.create("shop", fields{"config": fields{"text": "hello"}, "retry": fields{"limit": 1, "backoff": "1s"}})

	t.Run("[X8] says what the API server said, resource by resource", func(t *testing.T) {
		s.eventually(func() bool { return e.status().LastFailure != nil }, "the first attempt fails")
		failed := e.status()
		assert.Equal(t, "UpdateFailed", failed.LastFailure.Reason)
		assert.Contains(t, failed.LastFailure.Message, "greeting")
		assert.Contains(t, failed.LastFailure.Message, "immutable")
	})
	t.Run("[X17] is repeated, and then Stalled with the reason and the way out", func(t *testing.T) {
		stalled := e.becomes("Stalled", metav1.ConditionTrue, "UpdateFailed")
		assert.Equal(t, int64(2), stalled.LastFailure.RetryCount)
		assert.Equal(t, int64(2), stalled.Serial)
		assert.Contains(t, stalled.condition("Stalled").Message, "platform.example.com/retry")
		assert.Contains(t, stalled.condition("Ready").Message, "immutable")
	})
	t.Run("[X17] is tried again when a person asks for it, once", func(t *testing.T) {
		e.annotate("platform.example.com/retry", "please")
		s.eventually(func() bool { return e.status().Serial >= 4 }, "it is tried again")
		e.becomes("Stalled", metav1.ConditionTrue, "UpdateFailed")
		assert.Equal(t, int64(4), e.status().Serial, "with as many attempts as the first time")
	})
	t.Run("[X7] leaves the last failed Job for a look", func(t *testing.T) {
		s.eventually(func() bool { return len(s.jobs()) == 1 }, "one Job is left")
		assert.Equal(t, []string{"shop-4"}, s.jobs())
	})
	t.Run("[X17] is over when the program is put right", func(t *testing.T) {
		s.program(greeting)
		applied := e.ready()
		assert.Nil(t, applied.LastFailure)
		assert.Empty(t, applied.condition("Stalled"))
	})
}

func TestATimeOut(t *testing.T) { // [X10]
	t.Parallel()
	s := with(t)
	s.program(slow)
	// Long enough for a pod that begins on a busy machine to make the first of its objects.
	e := s.create("shop", fields{"config": fields{"text": "one"}, "timeout": "35s", "retry": fields{"limit": 0}})
	stalled := e.becomes("Stalled", metav1.ConditionTrue, "TimedOut")
	assert.Contains(t, stalled.LastFailure.Message, "35s")
	require.NotNil(t, s.configMap("made"), "what was made stays")

	uid := s.configMap("made").UID
	s.done("one")
	e.change(fields{"timeout": "1m"})
	e.ready()
	assert.Equal(t, uid, s.configMap("made").UID, "and is continued")
}

func TestAPodThatDoesNotStart(t *testing.T) { // [X34]
	t.Parallel()
	for name, test := range map[string]struct {
		spec    fields
		before  func(*surroundings)
		message string
		right   func(*surroundings, *environment)
	}{
		"no service account": {
			spec: fields{"serviceAccountName": "nobody"}, message: `"nobody" not found`,
			right: func(_ *surroundings, e *environment) { e.change(fields{"serviceAccountName": "environment-runner"}) },
		},
		"no node": {
			spec:    fields{"runner": fields{"resources": fields{"requests": fields{"cpu": "1000"}}}},
			message: "Insufficient cpu",
			right: func(_ *surroundings, e *environment) {
				e.change(fields{"runner": fields{"resources": fields{"requests": fields{"cpu": "1m"}}}})
			},
		},
		"no quota": {
			before: func(s *surroundings) {
				require.NoError(s, s.client.Create(s.Context(), &corev1.ResourceQuota{
					ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "none"},
					Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}},
				}))
			},
			message: "exceeded quota",
			right: func(s *surroundings, e *environment) {
				require.NoError(s, s.client.Delete(s.Context(), &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "none"}}))
				e.change(fields{"timeout": "10m"})
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := with(t)
			s.program(greeting)
			if test.before != nil {
				test.before(s)
			}
			spec := fields{"config": fields{"text": "hello"}}
			merge(spec, test.spec)
			e := s.create("shop", spec)
			waiting := e.becomes("Ready", metav1.ConditionFalse, "PodNotStarted")
			assert.Contains(t, waiting.condition("Ready").Message, test.message)
			test.right(s, e)
			assert.Equal(t, "hello", e.ready().Outputs["text"])
		})
	}
}

func TestInputsThatAreMissing(t *testing.T) {
	t.Parallel()
	s := with(t)
	e := s.create("shop", fields{"secretConfig": fields{"text": fields{"secretKeyRef": fields{"name": "texts", "key": "greeting"}}}})

	waiting := e.becomes("Ready", metav1.ConditionFalse, "InputsMissing")
	assert.Contains(t, waiting.condition("Ready").Message, "ConfigMap program")
	s.program(greeting)
	s.eventually(func() bool { return strings.Contains(e.status().condition("Ready").Message, "Secret texts") }, "the Secret is missing")
	s.setSecret("texts", map[string]string{"other": "x"})
	s.eventually(func() bool { return strings.Contains(e.status().condition("Ready").Message, `no key "greeting"`) }, "the key is missing")
	s.setSecret("texts", map[string]string{"greeting": "hello"})
	e.ready()
	assert.Equal(t, "hello", s.configMap("greeting").Data["text"])
}
