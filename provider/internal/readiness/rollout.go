package readiness

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubectl/pkg/polymorphichelpers"
)

// HasRollout reports whether a kind is one that rolls out pods.
func HasRollout(kind schema.GroupKind) bool {
	_, err := polymorphichelpers.StatusViewerFor(kind)
	return err == nil
}

// rolloutCriterion holds when a rollout is complete, by the rules of kubectl rollout
// status. Those refuse the update strategy OnDelete, under which nobody rolls out
// anything: there, all pods that should exist must be ready.
type rolloutCriterion struct{}

func (rolloutCriterion) String() string    { return "the rollout" }
func (rolloutCriterion) readsStatus() bool { return true }

func (rolloutCriterion) missing(object map[string]any) string {
	live := &unstructured.Unstructured{Object: object}
	kind := live.GroupVersionKind().GroupKind()
	viewer, err := polymorphichelpers.StatusViewerFor(kind)
	if err != nil {
		return fmt.Sprintf("%s has no rollout", kind.Kind)
	}
	if strategy, _, _ := unstructured.NestedString(object, "spec", "updateStrategy", "type"); strategy == "OnDelete" {
		return podsMissing(object, kind)
	}
	message, done, err := viewer.Status(live, 0)
	switch {
	case err != nil:
		return err.Error()
	case done:
		return ""
	default:
		return rolloutMessage(message)
	}
}

// rolloutMessage drops from kubectl's message what the context says already.
func rolloutMessage(message string) string {
	message = strings.TrimSuffix(strings.TrimSpace(message), "...")
	if _, after, ok := strings.Cut(message, "rollout to finish: "); ok {
		return after
	}
	return strings.ToLower(message[:1]) + message[1:]
}

// podsMissing compares how many pods there should be with how many are ready.
func podsMissing(object map[string]any, kind schema.GroupKind) string {
	number := func(path ...string) int64 { n, _, _ := unstructured.NestedInt64(object, path...); return n }
	if number("status", "observedGeneration") < number("metadata", "generation") {
		return "waiting for spec update to be observed"
	}
	ready, wanted := number("status", "readyReplicas"), number("spec", "replicas")
	if kind.Kind == "DaemonSet" {
		ready, wanted = number("status", "numberAvailable"), number("status", "desiredNumberScheduled")
	}
	if ready < wanted {
		return fmt.Sprintf("%d of %d pods are ready", ready, wanted)
	}
	return ""
}
