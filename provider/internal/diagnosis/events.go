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
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
)

const (
	// maxPodsWithEvents is the number of pods whose events are read.
	maxPodsWithEvents = 3
	// eventsNamespace has the events of objects that are in no namespace.
	eventsNamespace = "default"
)

// Event is an event that the cluster has recorded about an object.
type Event struct {
	// Subject is the object that the event is about, such as "pod web-abc"; empty for the diagnosed object itself.
	Subject         string
	Reason, Message string
	// Count is how often the event was reported.
	Count int32
	// At is the time of the last report.
	At time.Time

	warning bool
}

// String returns the event in one line.
func (e Event) String() string {
	text := "event"
	if e.Subject != "" {
		text += " of " + e.Subject
	}
	text += ": " + Joined(e.Reason, e.Message)
	ago := duration.HumanDuration(time.Since(e.At)) + " ago"
	if e.Count > 1 {
		return fmt.Sprintf("%s (%d times, last %s)", text, e.Count, ago)
	}
	return text + " (" + ago + ")"
}

// Repeats reports whether the event says only what a text says already. Only the words can show that, since
// nothing else connects the two. The kubelet puts a few words before the cause: "Error: secret "a" not
// found", "Failed to pull image "b": not found"; for a container in ImagePullBackOff or CrashLoopBackOff, it
// reports BackOff.
func (e Event) Repeats(told string) bool {
	if e.Message != "" && strings.Contains(told, e.Message) || e.Reason == "BackOff" && strings.Contains(told, "BackOff") {
		return true
	}
	_, cause, _ := strings.Cut(e.Message, ": ")
	return cause != "" && strings.Contains(told, cause)
}

// IsWarning reports whether the event is a warning. Any other event is news, and no cause.
func (e Event) IsWarning() bool { return e.warning }

// RefusesPods reports whether the event says that the object cannot create its pods.
func (e Event) RefusesPods() bool { return e.warning && e.Subject == "" && e.Reason == "FailedCreate" }

// noise are warnings about the nodes or the cluster. They are reported for every pod and stop none from running.
var noise = map[string]bool{"MissingClusterDNS": true, "DNSConfigForming": true}

// Foremost chooses the events to show: the newest ones, the newest last. Noise comes after them, and only if there is
// room for it.
func Foremost(events []Event, most int) []Event {
	var telling, noisy []Event
	for _, event := range events {
		if noise[event.Reason] {
			noisy = append(noisy, event)
		} else {
			telling = append(telling, event)
		}
	}
	telling = telling[max(0, len(telling)-most):]
	return append(telling, noisy[max(0, len(noisy)-most+len(telling)):]...)
}

// Events lists the warnings about an object and its worst pods, the newest last. If there are no warnings, it
// lists other events: the event of a volume claim that finds no volume is not a warning.
func Events(ctx context.Context, clu *cluster.Cluster, object *unstructured.Unstructured, troubles []PodIssue) []Event {
	uids := []types.UID{object.GetUID()}
	for _, trouble := range troubles[:min(len(troubles), maxPodsWithEvents)] {
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
		of := eventsOf(ctx, clu, namespace, uid)
		for i := range of {
			if uid == object.GetUID() {
				of[i].Subject = ""
			}
		}
		events = append(events, of...)
	}
	if slices.ContainsFunc(events, func(e Event) bool { return e.warning }) {
		events = slices.DeleteFunc(events, func(e Event) bool { return !e.warning })
	}
	slices.SortStableFunc(events, func(a, b Event) int { return a.At.Compare(b.At) })
	return merged(events)
}

// merged keeps the last of several events with the same words, with the sum of their counts.
func merged(events []Event) []Event {
	type said struct{ reason, message string }
	counts := map[said]int32{}
	for _, e := range events {
		counts[said{e.Reason, e.Message}] += max(e.Count, 1)
	}
	var last []Event
	for _, e := range slices.Backward(events) {
		if count, ok := counts[said{e.Reason, e.Message}]; ok {
			e.Count = count
			last = append(last, e)
			delete(counts, said{e.Reason, e.Message})
		}
	}
	slices.Reverse(last)
	return last
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
			Reason:  event.Reason, Message: withoutProtocol(strings.TrimSpace(event.Message)),
			Count: countOf(event), At: lastSeen(event),
			warning: event.Type == corev1.EventTypeWarning,
		})
	}
	return events
}

// countOf and lastSeen know both ways in which Kubernetes records repeated events.
func countOf(event *corev1.Event) int32 {
	if event.Series != nil {
		return event.Series.Count
	}
	return event.Count
}

func lastSeen(event *corev1.Event) time.Time {
	var latest time.Time
	times := []time.Time{event.FirstTimestamp.Time, event.LastTimestamp.Time, event.EventTime.Time}
	if event.Series != nil {
		times = append(times, event.Series.LastObservedTime.Time)
	}
	for _, at := range times {
		if at.After(latest) {
			latest = at
		}
	}
	if latest.IsZero() {
		return event.CreationTimestamp.Time
	}
	return latest
}
