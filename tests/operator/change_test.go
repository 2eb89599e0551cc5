package operator

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// slow waits until its ConfigMap says that it is done, as long as the test wants.
const slow = `name: slow
runtime: yaml
config:
  text: {type: string}
resources:
  made:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: made}
        data: {text: "${text}"}
  awaited:
    type: k8sconnect:Wait
    properties:
      resourceRef: {apiVersion: v1, kind: ConfigMap, name: made}
      waitFor: {fieldValue: {metadata.annotations.done: "${text}"}}
outputs:
  text: ${text}
`

// done lets a run of slow go on.
func (s *surroundings) done(text string) {
	s.Helper()
	s.eventually(func() bool {
		made := s.configMap("made")
		return made != nil && made.Data["text"] == text
	}, "the object is applied")
	made := s.configMap("made")
	before := made.DeepCopy()
	made.Annotations = map[string]string{"done": text}
	require.NoError(s, s.client.Patch(s.Context(), made, client.MergeFrom(before)))
}

func (s *surroundings) setSecret(name string, data map[string]string) {
	s.Helper()
	wanted := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: name}, StringData: data}
	err := s.client.Create(s.Context(), wanted)
	if client.IgnoreAlreadyExists(err) == nil && err != nil {
		err = s.client.Update(s.Context(), wanted)
	}
	require.NoError(s, err)
}

// jobs are the names of the Jobs that are there.
func (s *surroundings) jobs() []string {
	s.Helper()
	var all batchv1.JobList
	require.NoError(s, s.client.List(context.Background(), &all, client.InNamespace(s.namespace)))
	names := make([]string, len(all.Items))
	for i := range all.Items {
		names[i] = all.Items[i].Name
	}
	return names
}

func TestWhatIsAChange(t *testing.T) {
	t.Parallel()
	s := with(t)
	s.program(strings.ReplaceAll(greeting, "{type: string}", "{type: string, secret: true}"))
	s.setSecret("texts", map[string]string{"greeting": "hello"})
	e := s.create("shop", fields{"secretConfig": fields{"text": fields{"secretKeyRef": fields{"name": "texts", "key": "greeting"}}}})
	first := e.applied(1)
	require.Equal(t, "hello", s.configMap("greeting").Data["text"])
	require.NotContains(t, first.Outputs, "text", "it is secret")

	t.Run("[X2] what changes nothing of the inputs runs nothing", func(t *testing.T) {
		e.annotate("example.com/note", "read")
		e.change(fields{"timeout": "20m"})
		e.ready()
		program := s.configMap("program")
		program.Labels = map[string]string{"team": "a"}
		require.NoError(t, s.client.Update(t.Context(), program))
		// Whatever would run would run before what is asked for now.
		e.change(fields{"suspend": true})
		e.becomes("Suspended", metav1.ConditionTrue, "")
		assert.Equal(t, first.Serial, e.status().Serial)
		e.change(fields{"suspend": false})
		assert.Equal(t, first.Serial, e.ready().Serial)
	})
	t.Run("[X3] a changed secret is one update", func(t *testing.T) {
		s.setSecret("texts", map[string]string{"greeting": "good morning"})
		assert.Equal(t, first.Serial+1, e.applied(first.Serial+1).Serial)
		assert.Equal(t, "good morning", s.configMap("greeting").Data["text"])
	})
	t.Run("[X3] a changed program is one update", func(t *testing.T) {
		s.program(strings.ReplaceAll(strings.ReplaceAll(greeting, "{type: string}", "{type: string, secret: true}"), "data: {text", "data: {more: x, text"))
		assert.Equal(t, first.Serial+2, e.applied(first.Serial+2).Serial)
		assert.Equal(t, map[string]string{"text": "good morning", "more": "x"}, s.configMap("greeting").Data)
	})
	t.Run("[X7] only the newest Job stays", func(t *testing.T) {
		s.eventually(func() bool { return len(s.jobs()) == 1 }, "one Job is left")
		assert.Equal(t, []string{"shop-3"}, s.jobs())
		assert.Nil(t, s.secret("shop-3-inputs"))
	})
	t.Run("[X23] a destroy needs no program", func(t *testing.T) {
		require.NoError(t, s.client.Delete(t.Context(), s.configMap("program")))
		require.NoError(t, s.client.Delete(t.Context(), s.secret("texts")))
		e.delete()
		assert.Nil(t, s.configMap("greeting"))
	})
}

func TestAChangeWhileARunGoesOn(t *testing.T) { // [X4]
	t.Parallel()
	s := with(t)
	s.program(slow)
	e := s.create("shop", fields{"config": fields{"text": "one"}})
	s.eventually(func() bool { return s.configMap("made") != nil }, "the run is in the middle")
	e.change(fields{"config": fields{"text": "two"}})
	e.change(fields{"config": fields{"text": "three"}})
	running := e.becomes("Reconciling", metav1.ConditionTrue, "Updating")
	require.Equal(t, int64(1), running.CurrentOperation.Serial, "it is not ended for a change")
	require.NotNil(t, running.CurrentOperation.Holder, "[X22] who has the stack to itself is in the status")

	s.done("one")
	s.done("three")
	last := e.applied(2)
	assert.Equal(t, int64(2), last.Serial, "the change in between is left out")
	assert.Equal(t, "three", last.Outputs["text"])
}

func TestSuspend(t *testing.T) { // [X25]
	t.Parallel()
	s := with(t)
	s.program(slow)
	e := s.create("shop", fields{"config": fields{"text": "one"}})
	s.eventually(func() bool { return s.configMap("made") != nil }, "the run is in the middle")
	e.change(fields{"suspend": true, "config": fields{"text": "two"}})
	s.done("one")
	suspended := e.becomes("Suspended", metav1.ConditionTrue, "")
	s.eventually(func() bool { suspended = e.status(); return suspended.CurrentOperation == nil }, "the run goes on to its end")
	assert.Equal(t, int64(1), suspended.LastApplied.Serial)
	assert.Equal(t, int64(1), suspended.Serial, "nothing begins")

	e.change(fields{"suspend": false})
	s.done("two")
	assert.Equal(t, int64(2), e.applied(2).Serial)
}
