package operator

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// environment is an Environment of a test.
type environment struct {
	*surroundings
	name string
}

// fields are a part of an object.
type fields = map[string]any

// create makes an Environment. What is given goes into its spec.
func (s *surroundings) create(name string, spec fields) *environment {
	s.Helper()
	object := environmentOf(s.namespace, name, spec)
	require.NoError(s, s.client.Create(s.Context(), object))
	s.Cleanup(func() {
		if s.Failed() {
			s.explain()
		}
	})
	return &environment{surroundings: s, name: name}
}

// program makes the program what it is given, or changes it to that.
func (s *surroundings) program(text string) {
	s.Helper()
	wanted := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "program"}, Data: map[string]string{"Pulumi.yaml": text},
	}
	if err := s.client.Create(s.Context(), wanted); client.IgnoreAlreadyExists(err) == nil && err != nil {
		require.NoError(s, s.client.Update(s.Context(), wanted))
	} else {
		require.NoError(s, err)
	}
}

// read is the Environment as it is, nil if it is gone.
func (e *environment) read() *unstructured.Unstructured {
	e.Helper()
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(environmentKind)
	err := e.client.Get(context.Background(), client.ObjectKey{Namespace: e.namespace, Name: e.name}, object)
	if client.IgnoreNotFound(err) == nil && err != nil {
		return nil
	}
	require.NoError(e, err)
	return object
}

// status is what a test looks at.
type status struct {
	ObservedGeneration int64
	Conditions         []metav1.Condition
	Serial             int64
	CurrentOperation   *struct {
		Serial int64
		Kind   string
		Job    string
		JobUID string
		Holder *struct{ Pod, UID string }
	}
	LastApplied *struct {
		Hash       string
		Generation int64
		Serial     int64
		Summary    map[string]int64
	}
	LastFailure *struct {
		Reason, Message string
		RetryCount      int64
	}
	PendingPlan *struct {
		Hash    string
		Changes []struct {
			Op, Name string
			Paths    []string
		}
		Drift, Destroy bool
	}
	Watched struct {
		Objects    int64
		NotWatched []string
		Digest     string
	}
	Outputs       map[string]any
	ResourceCount int64
	Resources     []struct{ Name, Kind, ObjectName, UID, State string }
	History       []struct {
		Serial       int64
		Kind, Result string
	}
}

func (e *environment) status() status {
	e.Helper()
	object := e.read()
	require.NotNil(e, object, "the Environment is gone")
	encoded, err := object.MarshalJSON()
	require.NoError(e, err)
	var decoded struct{ Status status }
	require.NoError(e, json.Unmarshal(encoded, &decoded))
	return decoded.Status
}

func (s status) condition(kind string) metav1.Condition {
	at := slices.IndexFunc(s.Conditions, func(c metav1.Condition) bool { return c.Type == kind })
	if at < 0 {
		return metav1.Condition{}
	}
	return s.Conditions[at]
}

// becomes waits until a condition of this generation has a reason.
func (e *environment) becomes(kind string, wanted metav1.ConditionStatus, reason string) status {
	e.Helper()
	var last status
	e.eventually(func() bool {
		object := e.read()
		require.NotNil(e, object, "the Environment is gone")
		last = e.status()
		condition := last.condition(kind)
		return last.ObservedGeneration == object.GetGeneration() && condition.Status == wanted && (reason == "" || condition.Reason == reason)
	}, kind+" "+string(wanted)+" "+reason)
	return last
}

func (e *environment) ready() status { e.Helper(); return e.becomes("Ready", metav1.ConditionTrue, "") }

// applied waits until a run with a serial of at least this one has succeeded.
func (e *environment) applied(serial int64) status {
	e.Helper()
	var last status
	e.eventually(func() bool {
		last = e.status()
		return last.LastApplied != nil && last.LastApplied.Serial >= serial && last.condition("Ready").Status == metav1.ConditionTrue
	}, "a run succeeds")
	return last
}

// change merges fields into the spec.
func (e *environment) change(spec fields) {
	e.Helper()
	e.patch(fields{"spec": spec})
}

func (e *environment) annotate(key, value string) {
	e.Helper()
	e.patch(fields{"metadata": fields{"annotations": fields{key: value}}})
}

func (e *environment) patch(change fields) {
	e.Helper()
	object := e.read()
	before := object.DeepCopy()
	merge(object.Object, change)
	require.NoError(e, e.client.Patch(e.Context(), object, client.MergeFrom(before)))
}

func merge(into, from fields) {
	for key, value := range from {
		if nested, isMap := value.(fields); isMap {
			if existing, has := into[key].(fields); has {
				merge(existing, nested)
				continue
			}
		}
		into[key] = value
	}
}

// delete deletes the Environment and waits until it is gone.
func (e *environment) delete() {
	e.Helper()
	require.NoError(e, e.client.Delete(e.Context(), e.read()))
	e.gone()
}

func (e *environment) gone() {
	e.Helper()
	e.eventually(func() bool { return e.read() == nil }, "the Environment is gone")
}

// configMap reads a ConfigMap of the namespace, nil if there is none.
func (s *surroundings) configMap(name string) *corev1.ConfigMap {
	s.Helper()
	var found corev1.ConfigMap
	err := s.client.Get(context.Background(), client.ObjectKey{Namespace: s.namespace, Name: name}, &found)
	if client.IgnoreNotFound(err) == nil && err != nil {
		return nil
	}
	require.NoError(s, err)
	return &found
}

// secret reads a Secret of the namespace, nil if there is none.
func (s *surroundings) secret(name string) *corev1.Secret {
	s.Helper()
	var found corev1.Secret
	err := s.client.Get(context.Background(), client.ObjectKey{Namespace: s.namespace, Name: name}, &found)
	if client.IgnoreNotFound(err) == nil && err != nil {
		return nil
	}
	require.NoError(s, err)
	return &found
}
