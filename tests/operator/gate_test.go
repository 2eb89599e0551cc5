package operator

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// gated makes two ConfigMaps, one before and one after a gate that tests open and shut: the ConfigMap "gate". Each change of
// the text passes the gate.
const gated = `name: gated
runtime: yaml
config:
  text: {type: string}
resources:
  one:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: one}
        data: {text: "${text}"}
  passed:
    type: k8sconnect:Wait
    properties:
      resourceRef: {apiVersion: v1, kind: ConfigMap, name: gate}
      triggers: ["${text}"]
      waitFor: {expression: "object.data.open == 'yes'", timeout: 10m}
    options:
      dependsOn: ["${one}"]
  two:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: two}
        data: {text: "${text}"}
    options:
      dependsOn: ["${passed}"]
outputs:
  text: ${text}
`

func text(value string) fields { return fields{"config": fields{"text": value}} }

// gate opens or shuts the gate.
func (s *surroundings) gate(open string) {
	s.Helper()
	wanted := &corev1.ConfigMap{Data: map[string]string{"open": open}}
	wanted.Namespace, wanted.Name = s.namespace, "gate"
	if err := s.client.Create(s.Context(), wanted); client.IgnoreAlreadyExists(err) == nil && err != nil {
		require.NoError(s, s.client.Update(s.Context(), wanted))
	} else {
		require.NoError(s, err)
	}
}

func (s *surroundings) openGate() { s.Helper(); s.gate("yes") }
func (s *surroundings) shutGate() { s.Helper(); s.gate("no") }

// text is that of a ConfigMap, "" if there is none.
func (s *surroundings) text(name string) string {
	s.Helper()
	if found := s.configMap(name); found != nil {
		return found.Data["text"]
	}
	return ""
}

// uids are those of the ConfigMaps that the program makes.
func (s *surroundings) uids() map[string]types.UID {
	s.Helper()
	var all corev1.ConfigMapList
	require.NoError(s, s.client.List(s.Context(), &all, client.InNamespace(s.namespace)))
	uids := map[string]types.UID{}
	for _, found := range all.Items {
		if !slices.Contains([]string{"gate", "program", "kube-root-ca.crt"}, found.Name) {
			uids[found.Name] = found.UID
		}
	}
	return uids
}

// record is what the state says of the newest run.
type record struct {
	Serial         int64
	Kind, Outcome  string
	Pod, PodUID    string
	Reason         string
	Resources      []struct{ ObjectName, UID string }
	ResourceCount  int64
	ElsewhereCount int64
}

// record reads the head of the state.
func (e *environment) record() record {
	e.Helper()
	var read record
	if head := e.secret(e.name + "-state"); head != nil {
		require.NoError(e, json.Unmarshal(head.Data["record"], &read))
	}
	return read
}

// begun waits until a run has taken the state, and returns the name of its pod.
func (e *environment) begun(serial int64) (pod string) {
	e.Helper()
	e.eventually(func() bool {
		found := e.record()
		pod = found.Pod
		return found.Serial == serial && found.Outcome == "Running"
	}, "run "+strconv.FormatInt(serial, 10)+" begins")
	return pod
}

// atGate waits until a run has put a text before the gate, and returns the name of its pod.
func (e *environment) atGate(serial int64, text string) (pod string) {
	e.Helper()
	pod = e.begun(serial)
	e.eventually(func() bool { return e.text("one") == text }, "one says "+text)
	e.eventually(func() bool { return strings.Contains(e.node.logs(e.namespace+"/"+pod), "passed") }, "the run is at the gate")
	return pod
}

// hold puts a finalizer on a ConfigMap, so that its deletion takes until it is let go.
func (s *surroundings) hold(name string, held bool) {
	s.Helper()
	found := s.configMap(name)
	before := found.DeepCopy()
	if held {
		controllerutil.AddFinalizer(found, "test.example.com/hold")
	} else {
		controllerutil.RemoveFinalizer(found, "test.example.com/hold")
	}
	require.NoError(s, s.client.Patch(s.Context(), found, client.MergeFrom(before)))
}

// results are those of the runs in the history, by serial.
func (s status) results() map[int64]string {
	results := map[int64]string{}
	for _, entry := range s.History {
		results[entry.Serial] = entry.Kind + " " + entry.Result
	}
	return results
}
