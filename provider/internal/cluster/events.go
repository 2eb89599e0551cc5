package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record/util"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

const (
	// eventSource is the component that reports the events.
	eventSource = "k8sconnect"
	// maxEventMessage is the API server's limit, in bytes.
	maxEventMessage = 1024
)

// Event describes something that was done to an object, for people who look at it.
type Event struct {
	// Reason is one word in CamelCase.
	Reason string
	// Message is for people. Record cuts it to the API server's limit.
	Message string
}

// Record creates an event about the object with this UID, in one request that is never sent again. Callers ignore the
// error: many users may not create events, and the reported action has happened in any case.
func (c *Cluster) Record(ctx context.Context, ref Ref, uid types.UID, event Event) error {
	subject := fmt.Sprintf("event about %s", ref)
	namespace := ref.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault // the namespace for events about cluster-scoped objects
	}
	if err := pathSegment("namespace", namespace); err != nil {
		return fmt.Errorf("%s: %w", subject, &failure.NotSentError{Err: err})
	}
	now := metav1.NewTime(time.Now())
	body, err := json.Marshal(corev1.Event{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Event"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: util.GenerateEventName(ref.Name, now.UnixNano())},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: ref.APIVersion, Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name, UID: uid,
		},
		Reason:              event.Reason,
		Message:             beginningOf(event.Message, maxEventMessage),
		Type:                corev1.EventTypeNormal,
		Source:              corev1.EventSource{Component: eventSource},
		ReportingController: eventSource,
		FirstTimestamp:      now,
		LastTimestamp:       now,
		Count:               1,
	})
	if err != nil {
		return fmt.Errorf("%s: %w", subject, &failure.NotSentError{Err: err})
	}
	request := c.client.Post().AbsPath("/api/v1/namespaces", namespace, "events").MaxRetries(0).Body(body)
	if _, err := c.once(ctx, request); err != nil {
		return fmt.Errorf("%s: %w", subject, err)
	}
	return nil
}

// beginningOf cuts text to at most limit bytes without splitting a character.
func beginningOf(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
