package readiness

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// manifest reads an object as the API server gives it, with whole numbers as such. Its generation is 2.
func manifest(t testing.TB, apiVersion, kind, more string) object {
	t.Helper()
	body, err := yaml.YAMLToJSON([]byte(more))
	require.NoError(t, err)
	live := object{}
	require.NoError(t, json.Unmarshal(body, &live))
	metadata, _ := live["metadata"].(object)
	live["apiVersion"], live["kind"] = apiVersion, kind
	live["metadata"] = merged(object{"name": "it", "generation": 2}, metadata)
	body, err = json.Marshal(live)
	require.NoError(t, err)
	read := &unstructured.Unstructured{}
	require.NoError(t, read.UnmarshalJSON(body))
	return read.Object
}

var ready = Criteria{Ready: true}

func TestReadinessByKind(t *testing.T) {
	for name, c := range map[string]struct {
		apiVersion, kind, object string

		missing string // "" if it is ready
		failed  string
		doubt   Doubt
	}{
		"a Deployment that is rolled out": {"apps/v1", "Deployment", `{spec: {replicas: 2}, status: {observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2}}`, "", "", 0},
		"a Deployment that is not":        {"apps/v1", "Deployment", `{spec: {replicas: 2}, status: {observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 1}}`, "1 of 2 updated replicas are available", "", 0},
		"a Deployment that is paused": {
			"apps/v1", "Deployment", `{spec: {replicas: 2, paused: true}, status: {observedGeneration: 2}}`,
			"0 out of 2 new replicas have been updated", "it is paused (spec.paused), so its rollout does not go on", 0,
		},
		"a Deployment that was paused when it was done": {"apps/v1", "Deployment", `{spec: {replicas: 1, paused: true}, status: {observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1}}`, "", "", 0},
		"a Deployment that has missed its deadline": {
			"apps/v1", "Deployment", `{spec: {replicas: 1}, status: {observedGeneration: 2, conditions: [{type: Progressing, status: "False", reason: ProgressDeadlineExceeded}]}}`,
			`deployment "it" exceeded its progress deadline`, "condition Progressing=False (ProgressDeadlineExceeded)", 0,
		},
		"a StatefulSet that is rolled out": {"apps/v1", "StatefulSet", `{spec: {replicas: 1, updateStrategy: {type: RollingUpdate}}, status: {observedGeneration: 2, readyReplicas: 1}}`, "", "", 0},
		"a StatefulSet that is not":        {"apps/v1", "StatefulSet", `{spec: {replicas: 2, updateStrategy: {type: RollingUpdate}}, status: {observedGeneration: 2, readyReplicas: 1}}`, "waiting for 1 pods to be ready", "", 0},
		"a DaemonSet that is rolled out":   {"apps/v1", "DaemonSet", `{spec: {updateStrategy: {type: RollingUpdate}}, status: {observedGeneration: 2, desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1}}`, "", "", 0},
		"a DaemonSet that is not":          {"apps/v1", "DaemonSet", `{spec: {updateStrategy: {type: RollingUpdate}}, status: {observedGeneration: 2, desiredNumberScheduled: 1, updatedNumberScheduled: 1}}`, "0 of 1 updated pods are available", "", 0},

		"a ReplicaSet with its pods":                {"apps/v1", "ReplicaSet", `{spec: {replicas: 3}, status: {observedGeneration: 2, replicas: 3, readyReplicas: 3, availableReplicas: 3}}`, "", "", 0},
		"a ReplicaSet that nobody has seen":         {"apps/v1", "ReplicaSet", `{spec: {replicas: 0}, status: {replicas: 0}}`, "its controller has not written a status yet", "", 0},
		"a ReplicaSet without all its pods":         {"apps/v1", "ReplicaSet", `{spec: {replicas: 3}, status: {observedGeneration: 2, replicas: 3, readyReplicas: 1}}`, "1/3 replicas ready", "", 0},
		"a ReplicaSet whose pods are not available": {"apps/v1", "ReplicaSet", `{spec: {replicas: 3}, status: {observedGeneration: 2, replicas: 3, readyReplicas: 3, availableReplicas: 2}}`, "2/3 replicas available", "", 0},
		"a ReplicaSet that goes down":               {"apps/v1", "ReplicaSet", `{spec: {replicas: 1}, status: {observedGeneration: 2, replicas: 3, readyReplicas: 3, availableReplicas: 3}}`, "2 replicas too many, pending termination", "", 0},
		"a ReplicaSet of no pods":                   {"apps/v1", "ReplicaSet", `{spec: {replicas: 0}, status: {observedGeneration: 2, replicas: 0}}`, "", "", 0},
		"a ReplicaSet that does not say how many":   {"apps/v1", "ReplicaSet", `{spec: {}, status: {observedGeneration: 2}}`, "0/1 replicas ready", "", 0},
		"a ReplicaSet whose status is behind":       {"apps/v1", "ReplicaSet", `{spec: {replicas: 0}, status: {observedGeneration: 1}}`, "readiness is out of date: the status is about generation 1, the object is at 2", "", 0},
		"a ReplicationController with its pods":     {"v1", "ReplicationController", `{spec: {replicas: 1}, status: {observedGeneration: 2, replicas: 1, readyReplicas: 1, availableReplicas: 1}}`, "", "", 0},
		"a ReplicationController without":           {"v1", "ReplicationController", `{spec: {replicas: 1}, status: {observedGeneration: 2, replicas: 1}}`, "0/1 replicas ready", "", 0},

		"a Job that is complete":          {"batch/v1", "Job", `{status: {succeeded: 1, conditions: [{type: Complete, status: "True"}]}}`, "", "", 0},
		"a Job that has started":          {"batch/v1", "Job", `{status: {startTime: "2026-01-01T00:00:00Z", active: 1}}`, "not complete: 1 pods active, 0 succeeded, 0 failed", "", 0},
		"a Job that has not started":      {"batch/v1", "Job", `{}`, "not complete: 0 pods active, 0 succeeded, 0 failed", "", 0},
		"a Job that has failed":           {"batch/v1", "Job", `{status: {failed: 3, conditions: [{type: Failed, status: "True", reason: BackoffLimitExceeded}]}}`, "not complete: 0 pods active, 0 succeeded, 3 failed", "condition Failed=True (BackoffLimitExceeded)", 0},
		"a Job that is suspended":         {"batch/v1", "Job", `{spec: {suspend: true}}`, "not complete: 0 pods active, 0 succeeded, 0 failed", "it is suspended (spec.suspend), so it does not run", 0},
		"a Job that was suspended late":   {"batch/v1", "Job", `{spec: {suspend: true}, status: {conditions: [{type: Complete, status: "True"}]}}`, "", "", 0},
		"a CronJob":                       {"batch/v1", "CronJob", `{status: {}}`, "", "", 0},
		"a CronJob that is suspended":     {"batch/v1", "CronJob", `{spec: {suspend: true}}`, "", "", 0},
		"a Pod that is ready":             {"v1", "Pod", `{status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}`, "", "", 0},
		"a Pod that runs and is not":      {"v1", "Pod", `{status: {phase: Running, conditions: [{type: Ready, status: "False", reason: ContainersNotReady}]}}`, "condition Ready=False (ContainersNotReady)", "", 0},
		"a Pod that crashes":              {"v1", "Pod", `{status: {phase: Running, containerStatuses: [{name: a, state: {waiting: {reason: CrashLoopBackOff}}}]}}`, "there is no condition Ready yet", "", 0},
		"a Pod that has succeeded":        {"v1", "Pod", `{status: {phase: Succeeded, conditions: [{type: Ready, status: "False", reason: PodCompleted}]}}`, "", "", 0},
		"a Pod that has failed":           {"v1", "Pod", `{status: {phase: Failed, reason: Evicted}}`, "Failed", "the pod has failed: Evicted", 0},
		"a Pod that has no node":          {"v1", "Pod", `{status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable}]}}`, "Pending", "", 0},
		"a Pod that nobody has seen":      {"v1", "Pod", `{}`, "no phase yet", "", 0},
		"a claim that is bound":           {"v1", "PersistentVolumeClaim", `{status: {phase: Bound}}`, "", "", 0},
		"a claim without a class":         {"v1", "PersistentVolumeClaim", `{status: {phase: Pending}}`, "Pending", "", 0},
		"a claim with a class":            {"v1", "PersistentVolumeClaim", `{spec: {storageClassName: fast}, status: {phase: Pending}}`, "Pending", "", NoConsumer},
		"a claim with a node":             {"v1", "PersistentVolumeClaim", `{metadata: {annotations: {volume.kubernetes.io/selected-node: a}}, spec: {storageClassName: fast}, status: {phase: Pending}}`, "Pending", "", 0},
		"a claim of a volume":             {"v1", "PersistentVolumeClaim", `{spec: {storageClassName: fast, volumeName: it}, status: {phase: Pending}}`, "Pending", "", 0},
		"a claim whose volume is lost":    {"v1", "PersistentVolumeClaim", `{spec: {storageClassName: fast}, status: {phase: Lost}}`, "Lost", "its volume is lost", 0},
		"a volume that can be claimed":    {"v1", "PersistentVolume", `{status: {phase: Available}}`, "", "", 0},
		"a volume that is bound":          {"v1", "PersistentVolume", `{status: {phase: Bound}}`, "", "", 0},
		"a volume that was bound":         {"v1", "PersistentVolume", `{status: {phase: Released}}`, "", "", 0},
		"a volume that is pending":        {"v1", "PersistentVolume", `{status: {phase: Pending}}`, "Pending", "", 0},
		"a volume that has failed":        {"v1", "PersistentVolume", `{status: {phase: Failed, message: no such disk}}`, "Failed", "it could not be reclaimed: no such disk", 0},
		"a Service":                       {"v1", "Service", `{spec: {type: ClusterIP}, status: {loadBalancer: {}}}`, "", "", 0},
		"a Service that is a name":        {"v1", "Service", `{spec: {type: ExternalName}}`, "", "", 0},
		"a load balancer with an IP":      {"v1", "Service", `{spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{ip: 203.0.113.7}]}}}`, "", "", 0},
		"a load balancer with a name":     {"v1", "Service", `{spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{hostname: a.example}]}}}`, "", "", 0},
		"a load balancer without address": {"v1", "Service", `{spec: {type: LoadBalancer, clusterIP: 10.0.0.1}, status: {loadBalancer: {}}}`, "no address yet", "", 0},
		"a load balancer with a port":     {"v1", "Service", `{spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{ports: []}]}}}`, "no address yet", "", 0},
		"an Ingress with an address":      {"networking.k8s.io/v1", "Ingress", `{status: {loadBalancer: {ingress: [{ip: 203.0.113.7}]}}}`, "", "", 0},
		"an Ingress without one":          {"networking.k8s.io/v1", "Ingress", `{status: {loadBalancer: {}}}`, "no address yet", "", 0},
		"a budget that is kept":           {"policy/v1", "PodDisruptionBudget", `{status: {observedGeneration: 2, currentHealthy: 2, desiredHealthy: 2}}`, "", "", 0},
		"a budget that is not":            {"policy/v1", "PodDisruptionBudget", `{status: {observedGeneration: 2, currentHealthy: 1, desiredHealthy: 2}}`, "1/2 healthy pods", "", 0},
		"a budget that was not computed":  {"policy/v1", "PodDisruptionBudget", `{status: {currentHealthy: 0, desiredHealthy: 0}}`, "its controller has not written a status yet", "", 0},

		"a definition that is served":            {"apiextensions.k8s.io/v1", "CustomResourceDefinition", `{status: {conditions: [{type: NamesAccepted, status: "True"}, {type: Established, status: "True"}]}}`, "", "", 0},
		"a definition that is not yet":           {"apiextensions.k8s.io/v1", "CustomResourceDefinition", `{status: {conditions: [{type: Established, status: "False", reason: Installing}]}}`, "condition Established=False (Installing)", "", 0},
		"a definition that nobody has seen":      {"apiextensions.k8s.io/v1", "CustomResourceDefinition", `{status: {conditions: null}}`, "there is no condition Established yet", "", 0},
		"a definition whose names are taken":     {"apiextensions.k8s.io/v1", "CustomResourceDefinition", `{status: {conditions: [{type: NamesAccepted, status: "False", reason: PluralConflict}]}}`, "there is no condition Established yet", "condition NamesAccepted=False (PluralConflict)", 0},
		"an API that answers":                    {"apiregistration.k8s.io/v1", "APIService", `{status: {conditions: [{type: Available, status: "True"}]}}`, "", "", 0},
		"an API that does not":                   {"apiregistration.k8s.io/v1", "APIService", `{status: {conditions: [{type: Available, status: "False", reason: ServiceNotFound}]}}`, "condition Available=False (ServiceNotFound)", "", 0},
		"a Namespace":                            {"v1", "Namespace", `{status: {phase: Active}}`, "", "", 0},
		"a Namespace that goes":                  {"v1", "Namespace", `{status: {phase: Terminating}}`, "Terminating", "", 0},
		"an autoscaler":                          {"autoscaling/v2", "HorizontalPodAutoscaler", `{status: {conditions: [{type: AbleToScale, status: "True"}, {type: ScalingActive, status: "False"}]}}`, "", "", 0},
		"an autoscaler that finds nothing":       {"autoscaling/v2", "HorizontalPodAutoscaler", `{status: {conditions: [{type: AbleToScale, status: "False", reason: FailedGetScale}]}}`, "condition AbleToScale=False (FailedGetScale)", "", 0},
		"an autoscaler that nobody has seen":     {"autoscaling/v2", "HorizontalPodAutoscaler", `{status: {desiredReplicas: 0}}`, "there is no condition AbleToScale yet", "", 0},
		"an autoscaler of v1":                    {"autoscaling/v1", "HorizontalPodAutoscaler", `{metadata: {annotations: {autoscaling.alpha.kubernetes.io/conditions: '[{"type":"AbleToScale","status":"True"}]'}}}`, "", "", 0},
		"an autoscaler of v1 that finds nothing": {"autoscaling/v1", "HorizontalPodAutoscaler", `{metadata: {annotations: {autoscaling.alpha.kubernetes.io/conditions: '[{"type":"AbleToScale","status":"False","reason":"FailedGetScale"}]'}}}`, "condition AbleToScale=False (FailedGetScale)", "", 0},
		"a Node":                                 {"v1", "Node", `{status: {conditions: [{type: Ready, status: "True"}]}}`, "", "", 0},
		"a Node that is not ready":               {"v1", "Node", `{status: {conditions: [{type: Ready, status: "Unknown", reason: NodeStatusUnknown}]}}`, "condition Ready=Unknown (NodeStatusUnknown)", "", 0},
		"a certificate":                          {"certificates.k8s.io/v1", "CertificateSigningRequest", `{status: {certificate: Zm9v, conditions: [{type: Approved, status: "True"}]}}`, "", "", 0},
		"a certificate that is not approved":     {"certificates.k8s.io/v1", "CertificateSigningRequest", `{status: {}}`, "not approved yet", "", 0},
		"a certificate that is not issued":       {"certificates.k8s.io/v1", "CertificateSigningRequest", `{status: {conditions: [{type: Approved, status: "True"}]}}`, "approved, and no certificate yet", "", 0},
		"a certificate that is denied":           {"certificates.k8s.io/v1", "CertificateSigningRequest", `{status: {conditions: [{type: Denied, status: "True", reason: Unasked}]}}`, "not approved yet", "condition Denied=True (Unasked)", 0},
		"a certificate that cannot be issued":    {"certificates.k8s.io/v1", "CertificateSigningRequest", `{status: {conditions: [{type: Approved, status: "True"}, {type: Failed, status: "True", reason: X}]}}`, "approved, and no certificate yet", "condition Failed=True (X)", 0},

		"a ConfigMap":              {"v1", "ConfigMap", `{}`, "", "", 0},
		"a Secret":                 {"v1", "Secret", `{}`, "", "", 0},
		"a role":                   {"rbac.authorization.k8s.io/v1", "ClusterRole", `{}`, "", "", 0},
		"a webhook configuration":  {"admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", `{}`, "", "", 0},
		"a storage class":          {"storage.k8s.io/v1", "StorageClass", `{}`, "", "", 0},
		"one of Kubernetes' kinds": {"apps/v1", "ControllerRevision", `{status: {conditions: [{type: Ready, status: "False"}]}}`, "", "", 0},

		"a custom object that is Ready":                        {"acme.io/v1", "Widget", `{status: {conditions: [{type: Ready, status: "True"}]}}`, "", "", 0},
		"a custom object that is not":                          {"acme.io/v1", "Widget", `{status: {conditions: [{type: Ready, status: "False", reason: Waiting, message: for a disk}]}}`, "condition Ready=False (Waiting): for a disk", "", 0},
		"a custom object that is Available":                    {"acme.io/v1", "Widget", `{status: {conditions: [{type: Available, status: "True"}]}}`, "", "", 0},
		"a custom object that is not Available":                {"acme.io/v1", "Widget", `{status: {conditions: [{type: Available, status: "False"}]}}`, "condition Available=False", "", 0},
		"a custom object that is Available and not Ready":      {"acme.io/v1", "Widget", `{status: {conditions: [{type: Available, status: "True"}, {type: Ready, status: "False"}]}}`, "condition Ready=False", "", 0},
		"a custom object with a condition that is behind":      {"acme.io/v1", "Widget", `{status: {conditions: [{type: Ready, status: "True", observedGeneration: 1}]}}`, "condition Ready=True is out of date: it is about generation 1, the object is at 2", "", 0},
		"a custom object whose status is behind":               {"acme.io/v1", "Widget", `{status: {observedGeneration: 1, conditions: [{type: Ready, status: "True"}]}}`, "condition Ready=True is out of date: it is about generation 1, the object is at 2", "", 0},
		"a custom object whose failure is behind":              {"acme.io/v1", "Widget", `{status: {observedGeneration: 1, conditions: [{type: Stalled, status: "True"}]}}`, "readiness is out of date: the status is about generation 1, the object is at 2", "", 0},
		"a custom object that is being reconciled":             {"acme.io/v1", "Widget", `{status: {conditions: [{type: Ready, status: "True"}, {type: Reconciling, status: "True", reason: Progressing}]}}`, "condition Reconciling=True (Progressing)", "", 0},
		"a custom object that was":                             {"acme.io/v1", "Widget", `{status: {conditions: [{type: Ready, status: "True"}, {type: Reconciling, status: "False"}]}}`, "", "", 0},
		"a custom object that is stalled":                      {"acme.io/v1", "Widget", `{status: {conditions: [{type: Ready, status: "False"}, {type: Stalled, status: "True", reason: InvalidSpec, message: no such size}]}}`, "condition Stalled=True (InvalidSpec): no such size", "condition Stalled=True (InvalidSpec): no such size", 0},
		"a custom object with other conditions":                {"acme.io/v1", "Widget", `{status: {conditions: [{type: Synced, status: "True"}, {type: Degraded, status: "False"}]}}`, "", "", 0},
		"a custom object with a condition that is not decided": {"acme.io/v1", "Widget", `{status: {conditions: [{type: Accepted, status: Unknown, reason: Pending}]}}`, "condition Accepted=Unknown (Pending)", "", 0},
		"a custom object without conditions":                   {"acme.io/v1", "Widget", `{status: {phase: Whatever}}`, "", "", 0},
		"a custom object without a status":                     {"acme.io/v1", "Widget", `{}`, "no status yet", "", NoStatus},
		"a custom object with an empty status":                 {"acme.io/v1", "Widget", `{status: {}}`, "no status yet", "", NoStatus},
		"a Deployment of someone else's":                       {"acme.io/v1", "Deployment", `{status: {phase: Done}}`, "", "", 0},
	} {
		t.Run(name+" [W31]", func(t *testing.T) {
			verdict := judge(t, ready, manifest(t, c.apiVersion, c.kind, c.object))
			if verdict.Next != "" {
				assert.NotEmpty(t, verdict.Failed)
			}
			verdict.Next, verdict.Guessed, verdict.Suspended = "", "", false // see conventional_test.go
			var missing []string
			if c.missing != "" {
				missing = []string{c.missing}
			}
			assert.Equal(t, Verdict{Holds: c.missing == "", Missing: missing, Failed: c.failed, Doubt: c.doubt}, verdict)
		})
	}
}

func TestEveryRuleHasATest(t *testing.T) {
	tested := map[string]bool{}
	for kind := range builtIn {
		live := manifest(t, kind.WithVersion("v1").GroupVersion().String(), kind.Kind, "{}")
		tested[kind.String()] = judge(t, ready, live).Holds
	}
	assert.Equal(t, map[string]bool{"Service": true}, only(tested), "what exists and no more is not ready, but for a Service without a type")
}

func only(flags map[string]bool) map[string]bool {
	set := map[string]bool{}
	for name, flag := range flags {
		if flag {
			set[name] = true
		}
	}
	return set
}

func TestReadinessBesideOtherForms(t *testing.T) {
	pending := manifest(t, "v1", "PersistentVolumeClaim", `{spec: {storageClassName: fast}, status: {phase: Pending}}`)
	t.Run("is one of several that must hold [W31]", func(t *testing.T) {
		both := Criteria{Ready: true, Field: "spec.volumeName"}
		assertVerdict(t, both, pending, "spec.volumeName is not set", "Pending")
		assert.Equal(t, "spec.volumeName and readiness", compile(t, both).String())
	})
	t.Run("is doubted only where nothing else is missing [W31]", func(t *testing.T) {
		assert.Equal(t, NoConsumer, judge(t, Criteria{Ready: true, Field: "status.phase"}, pending).Doubt)
		assert.Equal(t, NoDoubt, judge(t, Criteria{Ready: true, Field: "spec.volumeName"}, pending).Doubt)
		assert.Equal(t, NoDoubt, judge(t, Criteria{Field: "spec.volumeName"}, pending).Doubt)
	})
	t.Run("does not hold for what is being deleted, and is not doubted [D11]", func(t *testing.T) {
		verdict := judge(t, ready, merged(pending, object{"metadata": object{"deletionTimestamp": "2026-01-01T00:00:00Z"}}))
		assert.Equal(t, Verdict{Missing: []string{"it is being deleted", "Pending"}}, verdict)
		assertVerdict(t, ready, manifest(t, "v1", "ConfigMap", `{metadata: {deletionTimestamp: "2026-01-01T00:00:00Z"}}`), "it is being deleted")
	})
	t.Run("what is paused or suspended is no failure for other forms [W31]", func(t *testing.T) {
		job := manifest(t, "batch/v1", "Job", `{spec: {suspend: true}}`)
		assert.Empty(t, judge(t, Criteria{Condition: "Complete"}, job).Failed)
	})
	t.Run("is written into the status by controllers", func(t *testing.T) { assert.True(t, compile(t, ready).WaitsForStatus()) })
}
