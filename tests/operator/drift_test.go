package operator

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// drifts changes what the program made.
func (s *surroundings) drifts() {
	s.Helper()
	made := s.configMap("greeting")
	require.NotNil(s, made)
	made.Data["text"] = "goodbye"
	require.NoError(s, s.client.Update(s.Context(), made))
}

func TestDriftIsCorrected(t *testing.T) { // [X6]
	t.Parallel()
	s := with(t)
	s.program(greeting)
	e := s.create("shop", fields{"config": fields{"text": "hello"}, "driftDetection": fields{"interval": "2s"}})
	e.applied(1)
	s.drifts()
	uid := s.configMap("greeting").UID

	corrected := e.becomes("DriftDetected", metav1.ConditionFalse, "Corrected")
	assert.Equal(t, "hello", s.configMap("greeting").Data["text"])
	assert.Equal(t, uid, s.configMap("greeting").UID)
	assert.Equal(t, "DriftCheck", corrected.History[0].Kind)
	e.becomes("DriftDetected", metav1.ConditionFalse, "NoDrift")
}

func TestDriftIsReportedAndApproved(t *testing.T) { // [X6] [X24]
	t.Parallel()
	s := with(t)
	s.program(greeting)
	e := s.create("shop", fields{"config": fields{"text": "hello"}, "driftDetection": fields{"interval": "2s", "correct": false}})
	e.applied(1)
	s.drifts()

	drifted := e.becomes("DriftDetected", metav1.ConditionTrue, "DriftDetected")
	assert.Equal(t, "goodbye", s.configMap("greeting").Data["text"], "nothing is put right")
	require.NotNil(t, drifted.PendingPlan)
	assert.True(t, drifted.PendingPlan.Drift)
	require.NotEmpty(t, drifted.PendingPlan.Changes)
	assert.Equal(t, "greeting", drifted.PendingPlan.Changes[0].Name)
	assert.Equal(t, metav1.ConditionTrue, drifted.condition("Ready").Status)

	e.annotate("platform.example.com/approve", drifted.PendingPlan.Hash)
	s.eventually(func() bool { return s.configMap("greeting").Data["text"] == "hello" }, "it is put right")
	s.eventually(func() bool { return e.status().PendingPlan == nil }, "there is nothing to approve any more")
}

func TestDriftIsSeenWhenItHappens(t *testing.T) { // [X65]
	t.Parallel()
	s := with(t)
	s.program(strings.Replace(greeting, "outputs:", `  service:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: Service, metadata: {name: greeter}, spec: {clusterIP: None}}
outputs:`, 1))
	e := s.create("shop", fields{"config": fields{"text": "hello"}, "driftDetection": fields{"interval": "24h", "watch": true}})
	e.applied(1)
	isWatched := func() {
		s.eventually(func() bool { return e.status().Watched.Digest != "" }, "the object is watched")
		assert.EqualValues(t, 1, e.status().Watched.Objects)
		assert.Equal(t, []string{"v1 Service: the operator may not list and watch it"}, e.status().Watched.NotWatched)
	}
	isWatched()
	uid := s.configMap("greeting").UID
	s.drifts()

	e.becomes("DriftDetected", metav1.ConditionFalse, "Corrected")
	assert.Equal(t, "hello", s.configMap("greeting").Data["text"])
	assert.Equal(t, uid, s.configMap("greeting").UID)
	isWatched()
	assert.EqualValues(t, 2, e.status().Serial, "one run looks and corrects")

	s.run("apply", "-f", filepath.Join(manifests, "watch", "access.yaml"))
	s.eventually(func() bool { return e.status().Watched.Objects == 2 && e.status().Watched.NotWatched == nil }, "the right is used once it is given")
	s.run("delete", "-n", s.namespace, "service", "greeter")
	s.eventually(func() bool {
		return s.client.Get(s.Context(), client.ObjectKey{Namespace: s.namespace, Name: "greeter"}, &corev1.Service{}) == nil
	}, "the Service is made again")
}
