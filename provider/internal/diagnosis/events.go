package diagnosis

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
)

const (
	// mostEvents is how many events are told.
	mostEvents = 5
	// mostPodsWithEvents is how many pods are asked for their events.
	mostPodsWithEvents = 3
	// eventsNamespace is where the events of objects are that are in no namespace.
	eventsNamespace = "default"
)

// Event is something that the cluster reported about an object.
type Event struct {
	// Subject is what it is about, such as "pod web-abc".
	Subject         string
	Reason, Message string
	// Count is how often it was reported.
	Count int32
	At    time.Time

	warning bool
}

// String is the event in one line.
func (e Event) String() string {
	text := fmt.Sprintf("%s: %s: %s", e.Subject, e.Reason, strings.TrimSpace(e.Message))
	if e.Count > 1 {
		text += fmt.Sprintf(" (%d times)", e.Count)
	}
	return text
}

// Events lists the last warnings about an object and its worst pods, the newest last.
// Where there are none, other events are given: that of a volume claim that finds no
// volume is not a warning.
func Events(ctx context.Context, clu *cluster.Cluster, object *unstructured.Unstructured, troubles []Trouble) []Event {
	uids := []types.UID{object.GetUID()}
	for _, trouble := range troubles[:min(len(troubles), mostPodsWithEvents)] {
		if trouble.UID != object.GetUID() {
			uids = append(uids, trouble.UID)
		}
	}
	namespace := object.GetNamespace()
	if namespace == "" {
		namespace = eventsNamespace
	}
	var events []Event
	for _, uid := range uids {
		events = append(events, eventsOf(ctx, clu, namespace, uid)...)
	}
	if slices.ContainsFunc(events, func(e Event) bool { return e.warning }) {
		events = slices.DeleteFunc(events, func(e Event) bool { return !e.warning })
	}
	slices.SortStableFunc(events, func(a, b Event) int { return a.At.Compare(b.At) })
	return events[max(0, len(events)-mostEvents):]
}

func eventsOf(ctx context.Context, clu *cluster.Cluster, namespace string, uid types.UID) []Event {
	if uid == "" {
		return nil
	}
	list, err := clu.List(ctx, cluster.ListOptions{
		APIVersion: "v1", Kind: "Event", Namespace: namespace,
		FieldSelector: fields.OneTermEqualSelector("involvedObject.uid", string(uid)).String(),
	})
	if err != nil {
		return nil
	}
	var events []Event
	for _, item := range list.Items {
		event := &corev1.Event{}
		if runtime.DefaultUnstructuredConverter.FromUnstructured(item.Object, event) != nil {
			continue
		}
		events = append(events, Event{
			Subject: strings.ToLower(event.InvolvedObject.Kind) + " " + event.InvolvedObject.Name,
			Reason:  event.Reason, Message: event.Message, Count: countOf(event), At: lastSeen(event),
			warning: event.Type == corev1.EventTypeWarning,
		})
	}
	return events
}

// countOf and lastSeen know both ways in which repeated events are recorded.
func countOf(event *corev1.Event) int32 {
	if event.Series != nil {
		return event.Series.Count
	}
	return event.Count
}

func lastSeen(event *corev1.Event) time.Time {
	latest := event.CreationTimestamp.Time
	times := []time.Time{event.FirstTimestamp.Time, event.LastTimestamp.Time, event.EventTime.Time}
	if event.Series != nil {
		times = append(times, event.Series.LastObservedTime.Time)
	}
	for _, at := range times {
		if at.After(latest) {
			latest = at
		}
	}
	return latest
}
