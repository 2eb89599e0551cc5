package readiness

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// rollouts are the kinds that roll out pods. Each says what is missing until its rollout is complete, once its
// controller has seen the newest generation. The rules are those of kubectl rollout status, and a test compares them.
// kubectl refuses the update strategy OnDelete, under which a person replaces the pods: there, all pods that should
// exist must be ready.
var rollouts = map[schema.GroupKind]rollout{
	kinds.Deployment:  {"deployment", deploymentMissing},
	kinds.StatefulSet: {"statefulset", statefulSetMissing},
	kinds.DaemonSet:   {"daemon set", daemonSetMissing},
}

type rollout struct {
	name    string // of the kind, as kubectl rollout status writes it
	missing func(object map[string]any) string
}

// HasRollout reports whether a kind rolls out pods.
func HasRollout(kind schema.GroupKind) bool {
	_, found := rollouts[kind]
	return found
}

// rolloutCriterion holds when a rollout is complete.
type rolloutCriterion struct{}

func (rolloutCriterion) String() string    { return "the rollout" }
func (rolloutCriterion) readsStatus() bool { return true }

func (rolloutCriterion) missing(object map[string]any) string {
	kind := kindOf(object)
	rollout, found := rollouts[kind]
	switch {
	case !found:
		return fmt.Sprintf("%s has no rollout", kind.Kind)
	case number(object, "status", "observedGeneration") < max(number(object, "metadata", "generation"), 1):
		return fmt.Sprintf("waiting for %s spec update to be observed", rollout.name)
	default:
		return rollout.missing(object)
	}
}

func deploymentMissing(object map[string]any) string {
	// A deployment that has missed its deadline still reports the numbers of its existing pods.
	if progress, _, found := current(object, "Progressing"); found && progress.Reason == deadlineExceeded {
		return fmt.Sprintf("deployment %q exceeded its progress deadline", text(object, "metadata", "name"))
	}
	wanted, pods := replicas(object), number(object, "status", "replicas")
	updated, available := number(object, "status", "updatedReplicas"), number(object, "status", "availableReplicas")
	switch {
	case updated < wanted:
		return fmt.Sprintf("%d out of %d new replicas have been updated", updated, wanted)
	case pods > updated:
		return fmt.Sprintf("%d old replicas are pending termination", pods-updated)
	case available < updated:
		return fmt.Sprintf("%d of %d updated replicas are available", available, updated)
	default:
		return ""
	}
}

// statefulSetMissing also respects minReadySeconds, which kubectl does only for the other kinds.
func statefulSetMissing(object map[string]any) string {
	if missing := statefulSetUnready(object); missing != "" {
		return missing
	}
	available, wanted := number(object, "status", "availableReplicas"), replicas(object)
	if number(object, "spec", "minReadySeconds") > 0 && available < wanted {
		return fmt.Sprintf("%d of %d pods are available", available, wanted)
	}
	return ""
}

func statefulSetUnready(object map[string]any) string {
	wanted, ready, updated := replicas(object), number(object, "status", "readyReplicas"), number(object, "status", "updatedReplicas")
	if onDelete(object) {
		return readyMissing(ready, wanted)
	}
	if ready < wanted {
		return fmt.Sprintf("waiting for %d pods to be ready", wanted-ready)
	}
	if _, rolling, _ := unstructured.NestedMap(object, "spec", "updateStrategy", "rollingUpdate"); rolling {
		// The pods with an ordinal below the partition stay as they are.
		if toUpdate := wanted - number(object, "spec", "updateStrategy", "rollingUpdate", "partition"); updated < toUpdate {
			return fmt.Sprintf("waiting for partitioned roll out to finish: %d out of %d new pods have been updated", updated, toUpdate)
		}
		return ""
	}
	if revision := text(object, "status", "updateRevision"); revision != text(object, "status", "currentRevision") {
		return fmt.Sprintf("waiting for statefulset rolling update to complete %d pods at revision %s", updated, revision)
	}
	return ""
}

func daemonSetMissing(object map[string]any) string {
	wanted, available := number(object, "status", "desiredNumberScheduled"), number(object, "status", "numberAvailable")
	if onDelete(object) {
		return readyMissing(available, wanted)
	}
	switch updated := number(object, "status", "updatedNumberScheduled"); {
	case updated < wanted:
		return fmt.Sprintf("%d out of %d new pods have been updated", updated, wanted)
	case available < wanted:
		return fmt.Sprintf("%d of %d updated pods are available", available, wanted)
	default:
		return ""
	}
}

func onDelete(object map[string]any) bool {
	return text(object, "spec", "updateStrategy", "type") == "OnDelete"
}

func readyMissing(ready, wanted int64) string {
	if ready < wanted {
		return fmt.Sprintf("%d of %d pods are ready", ready, wanted)
	}
	return ""
}

// replicas returns the desired number of pods; one if the object does not say, like the API server's default.
func replicas(object map[string]any) int64 {
	wanted, given, _ := unstructured.NestedInt64(object, "spec", "replicas")
	if !given {
		return 1
	}
	return wanted
}
