package readiness

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// builtIn are the rules by kind, each with its reason. A kind is listed if its objects can exist but not be usable
// yet. A test compares the table with kstatus and lists the differences.
var builtIn = map[schema.GroupKind]rule{
	// A half-finished rollout serves two versions, so all pods count, not only the first available one. A paused
	// rollout does not continue until a person resumes it.
	kinds.Deployment: {missing: rolloutCriterion{}.missing, final: paused},
	// The same; a partition and the strategy OnDelete leave old pods on purpose.
	kinds.StatefulSet: {missing: rolloutCriterion{}.missing},
	kinds.DaemonSet:   {missing: rolloutCriterion{}.missing},
	// These have no rollout: they create pods and leave existing ones alone.
	kinds.ReplicaSet:            {missing: replicasMissing},
	kinds.ReplicationController: {missing: replicasMissing},
	// A Job has served its purpose when it is complete, not when it has started. A suspended Job does not run.
	kinds.Job: {missing: incomplete, final: suspended},
	// A pod that serves is Ready; one that ends by itself has succeeded. A failed pod is of no use (see terminal.go).
	kinds.Pod: {missing: podMissing},
	// An unbound claim has nothing to mount. A lost claim has lost its volume with the data.
	kinds.PersistentVolumeClaim: {missing: phase("Bound"), final: lost, doubt: consumer},
	// It can be claimed, or is, or was. Nothing reclaims a failed volume automatically.
	kinds.PersistentVolume: {missing: phase("Available", "Bound", "Released"), final: failedVolume},
	// A user who asks for a load balancer wants to be reached from outside. The other types are ready when they
	// exist: they get their address at creation, and their pods have their own readiness.
	kinds.Service: {missing: serviceMissing},
	// Without an address, no request reaches it.
	{Group: "networking.k8s.io", Kind: "Ingress"}: {missing: addressMissing},
	// It is created with a status of zeros, which would allow evicting everything; only the status that its
	// controller computes says whether there are as many healthy pods as promised.
	{Group: "policy", Kind: "PodDisruptionBudget"}: {missing: budgetMissing},
	// Before that, the API server answers 404 to its objects. Waiting does not free names that another definition has
	// taken.
	kinds.CustomResourceDefinition: {missing: isTrue("Established"), final: namesRefused},
	// Before that, its API group answers 503.
	kinds.APIService: {missing: isTrue("Available")},
	// Nothing can be created in a namespace that is not active.
	kinds.Namespace: {missing: phase("Active")},
	// It has found its target and may scale it. Metrics do not count: they come with the load, later than pods.
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}: {missing: autoscalerMissing},
	// No pod is scheduled on a node that is not ready.
	{Kind: "Node"}: {missing: isTrue("Ready")},
	// Its purpose is the certificate. A denied or failed request never gets one.
	{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}: {missing: certificateMissing, final: certificateRefused},
}

// text and number read a field; they return "" or 0 if it is absent.
func text(object map[string]any, path ...string) string {
	value, _, _ := unstructured.NestedString(object, path...)
	return value
}

func number(object map[string]any, path ...string) int64 {
	value, _, _ := unstructured.NestedInt64(object, path...)
	return value
}

func isTrue(condition string) func(map[string]any) string {
	return conditionCriterion{condition, "True"}.missing
}

// phase returns the rule for kinds that status.phase describes completely.
func phase(ready ...string) func(map[string]any) string {
	return func(object map[string]any) string {
		is := text(object, "status", "phase")
		if slices.Contains(ready, is) {
			return ""
		}
		if is == "" {
			return "no phase yet"
		}
		return is
	}
}

// unobserved reports that the controller of a kind that writes status.observedGeneration has not written it.
func unobserved(object map[string]any) string {
	if _, says, _ := unstructured.NestedInt64(object, "status", "observedGeneration"); !says {
		return "its controller has not written a status yet"
	}
	return ""
}

func paused(object map[string]any) terminalFailure {
	if yes, _, _ := unstructured.NestedBool(object, "spec", "paused"); yes {
		return terminalFailure{why: "it is paused (spec.paused), so its rollout does not go on", next: "set spec.paused to false", suspended: true}
	}
	return terminalFailure{}
}

// replicasMissing is for kinds that create pods without a rollout.
func replicasMissing(object map[string]any) string {
	if missing := unobserved(object); missing != "" {
		return missing
	}
	wanted := replicas(object)
	is := func(field string) int64 { return number(object, "status", field) }
	switch {
	case is("readyReplicas") < wanted:
		return fmt.Sprintf("%d/%d replicas ready", is("readyReplicas"), wanted)
	case is("availableReplicas") < wanted:
		return fmt.Sprintf("%d/%d replicas available", is("availableReplicas"), wanted)
	case is("replicas") > wanted:
		return fmt.Sprintf("%d replicas too many, pending termination", is("replicas")-wanted)
	default:
		return ""
	}
}

func incomplete(object map[string]any) string {
	if isTrue("Complete")(object) == "" {
		return ""
	}
	is := func(field string) int64 { return number(object, "status", field) }
	return fmt.Sprintf("not complete: %d pods active, %d succeeded, %d failed", is("active"), is("succeeded"), is("failed"))
}

func suspended(object map[string]any) terminalFailure {
	if yes, _, _ := unstructured.NestedBool(object, "spec", "suspend"); yes {
		return terminalFailure{
			why:       "it is suspended (spec.suspend), so it does not run",
			next:      "set spec.suspend to false; or wait for `condition: Complete` in place of `ready` if a queue resumes it",
			suspended: true,
		}
	}
	return terminalFailure{}
}

func podMissing(object map[string]any) string {
	switch corev1.PodPhase(text(object, "status", "phase")) {
	case corev1.PodSucceeded:
		return ""
	case corev1.PodRunning:
		return isTrue("Ready")(object)
	default:
		return phase()(object)
	}
}

func lost(object map[string]any) terminalFailure {
	if text(object, "status", "phase") == string(corev1.ClaimLost) {
		return terminalFailure{why: "its volume is lost", next: "bring back the data from a backup, in a new claim"}
	}
	return terminalFailure{}
}

// annSelectedNode is set by the scheduler on a claim that a pod uses: the claim has its first consumer.
const annSelectedNode = "volume.kubernetes.io/selected-node"

// consumer reports that a claim may be waiting for a pod: that depends on its storage class, which is another object.
func consumer(object map[string]any) Doubt {
	pending := text(object, "status", "phase") == string(corev1.ClaimPending)
	asked := text(object, "metadata", "annotations", annSelectedNode) != "" || text(object, "spec", "volumeName") != ""
	if pending && !asked && text(object, "spec", "storageClassName") != "" {
		return NoConsumer
	}
	return NoDoubt
}

func failedVolume(object map[string]any) terminalFailure {
	if text(object, "status", "phase") != string(corev1.VolumeFailed) {
		return terminalFailure{}
	}
	return terminalFailure{
		why:  withMessage("it could not be reclaimed", text(object, "status", "message")),
		next: "reclaim its storage by hand, and delete it " + kinds.LostWith(kinds.PersistentVolume) + " so that it can be created again",
	}
}

func withMessage(said, message string) string {
	if message == "" {
		return said
	}
	return said + ": " + message
}

func serviceMissing(object map[string]any) string {
	if text(object, "spec", "type") != string(corev1.ServiceTypeLoadBalancer) {
		return ""
	}
	return addressMissing(object)
}

// NoAddress is what is missing where nothing has given an object an address.
const NoAddress = "no address yet"

func addressMissing(object map[string]any) string {
	points, _, _ := unstructured.NestedFieldNoCopy(object, "status", "loadBalancer", "ingress")
	list, _ := points.([]any)
	for _, point := range list {
		if fields, _ := point.(map[string]any); text(fields, "ip") != "" || text(fields, "hostname") != "" {
			return ""
		}
	}
	return NoAddress
}

func budgetMissing(object map[string]any) string {
	if missing := unobserved(object); missing != "" {
		return missing
	}
	is, wanted := number(object, "status", "currentHealthy"), number(object, "status", "desiredHealthy")
	if is < wanted {
		return fmt.Sprintf("%d/%d healthy pods", is, wanted)
	}
	return ""
}

func namesRefused(object map[string]any) terminalFailure {
	return because(failedCondition(object, "NamesAccepted", "False", ""), "choose other names, or delete the definition that has them "+kinds.LostWith(kinds.CustomResourceDefinition))
}

// because returns the failure that a condition reports, if any.
func because(condition, next string) terminalFailure {
	if condition == "" {
		return terminalFailure{}
	}
	return terminalFailure{why: condition, next: next}
}

// v1Conditions is where autoscaling/v1 keeps the conditions.
const v1Conditions = "autoscaling.alpha.kubernetes.io/conditions"

func autoscalerMissing(object map[string]any) string {
	const condition = "AbleToScale"
	var conditions []any
	if json.Unmarshal([]byte(text(object, "metadata", "annotations", v1Conditions)), &conditions) == nil {
		return isTrue(condition)(map[string]any{"status": map[string]any{"conditions": conditions}})
	}
	return isTrue(condition)(object)
}

func certificateMissing(object map[string]any) string {
	switch {
	case text(object, "status", "certificate") != "":
		return ""
	case isTrue("Approved")(object) != "":
		return "not approved yet"
	default:
		return "approved, and no certificate yet"
	}
}

func certificateRefused(object map[string]any) terminalFailure {
	refused := cmp.Or(failedCondition(object, "Denied", "True", ""), failedCondition(object, "Failed", "True", ""))
	return because(refused, "correct the request, and delete it (nothing is lost with it) so that it can be made again")
}
