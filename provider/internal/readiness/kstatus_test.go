package readiness

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
)

// What is said of an object, here and by kstatus.
const (
	isReady = "ready" // Current
	waits   = "waits" // InProgress, Terminating
	fails   = "fails" // Failed
)

// difference is where kstatus says something else, on purpose. The page on waiting lists them by name.
type difference struct {
	name   string // as the page has it
	reason string
	ours   string
	theirs string
	of     func(live object) bool // objects of which it may be said
	// example is one of them.
	apiVersion, kind, example string
}

var differences = []difference{
	{
		"a Job that has started", "it has not done yet what it is for",
		waits, isReady, isKind("Job"),
		"batch/v1", "Job", `{status: {startTime: "2026-01-01T00:00:00Z", active: 1}}`,
	},
	{
		"a suspended Job", "it does not run before someone resumes it, so no waiting helps",
		fails, waits, isKind("Job"),
		"batch/v1", "Job", `{spec: {suspend: true}}`,
	},
	{
		"a suspended Job", "the same after it had started",
		fails, isReady, isKind("Job"),
		"batch/v1", "Job", `{spec: {suspend: true}, status: {startTime: "2026-01-01T00:00:00Z"}}`,
	},
	{
		"a failed Pod", "it has ended and is of no use",
		fails, isReady, func(live object) bool { return text(live, "status", "phase") == "Failed" },
		"v1", "Pod", `{status: {phase: Failed}}`,
	},
	{
		"a Pod that crashes and is restarted", "it may come up as soon as what it waits for is there",
		waits, fails, func(live object) bool { return text(live, "status", "phase") == "Running" },
		"v1", "Pod", `{status: {phase: Running, containerStatuses: [{name: a, state: {waiting: {reason: CrashLoopBackOff}}}]}}`,
	},
	{
		"a Pod without a node", "an autoscaler may bring one",
		waits, fails, func(live object) bool { return text(live, "status", "phase") == "Pending" },
		"v1", "Pod", `{status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable}]}}`,
	},
	{
		"a claim whose volume is lost", "the data went with the volume",
		fails, waits, isKind("PersistentVolumeClaim"),
		"v1", "PersistentVolumeClaim", `{status: {phase: Lost}}`,
	},
	{
		"a Service of the type LoadBalancer without an address", "nobody can reach it",
		waits, isReady, isKind("Service"),
		"v1", "Service", `{spec: {type: LoadBalancer, clusterIP: 10.0.0.1}, status: {loadBalancer: {}}}`,
	},
	{
		"an Ingress without an address", "nobody can reach it",
		waits, isReady, isKind("Ingress"),
		"networking.k8s.io/v1", "Ingress", `{status: {loadBalancer: {}}}`,
	},
	{
		"a PodDisruptionBudget that was not computed or has too few healthy pods", "it does not protect what it promises to",
		waits, isReady, isKind("PodDisruptionBudget"),
		"policy/v1", "PodDisruptionBudget", `{status: {currentHealthy: 0, desiredHealthy: 0}}`,
	},
	{
		"a paused Deployment", "its rollout does not go on before someone resumes it, so no waiting helps",
		fails, waits, isKind("Deployment"),
		"apps/v1", "Deployment", `{spec: {replicas: 1, paused: true}, status: {observedGeneration: 2}}`,
	},
	{
		"a Deployment with all its pods and other conditions", "the pods are counted, as by `kubectl rollout status`",
		isReady, waits, isKind("Deployment"),
		"apps/v1", "Deployment", `{spec: {replicas: 0, progressDeadlineSeconds: 600}, status: {observedGeneration: 2}}`,
	},
	{
		"a StatefulSet with superfluous pods", "the pods that stay are ready, which is what `kubectl rollout status` asks for",
		isReady, waits, isKind("StatefulSet"),
		"apps/v1", "StatefulSet", `{spec: {replicas: 0, updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 0}}}, status: {observedGeneration: 2, replicas: 1}}`,
	},
	{
		"a StatefulSet whose pods have not been ready for `minReadySeconds`", "they may crash before, which is what the field is for",
		waits, isReady, func(live object) bool {
			seconds, _, _ := unstructured.NestedInt64(live, "spec", "minReadySeconds")
			return live["kind"] == "StatefulSet" && seconds > 0
		},
		"apps/v1", "StatefulSet", `{spec: {replicas: 1, minReadySeconds: 5, updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 0}}}, status: {
			observedGeneration: 2, replicas: 1, readyReplicas: 1, currentReplicas: 1, updatedReplicas: 1}}`,
	},
	{
		"a StatefulSet or DaemonSet with the strategy OnDelete", "its pods should be ready, of whatever revision",
		waits, isReady, onDelete,
		"apps/v1", "StatefulSet", `{spec: {replicas: 1, updateStrategy: {type: OnDelete}}, status: {observedGeneration: 2}}`,
	},
	{
		"a StatefulSet or DaemonSet with the strategy OnDelete", "nobody updates its pods but the user",
		isReady, waits, onDelete,
		"apps/v1", "DaemonSet", `{spec: {updateStrategy: {type: OnDelete}}, status: {observedGeneration: 2, desiredNumberScheduled: 1, currentNumberScheduled: 1, numberReady: 1, numberAvailable: 1}}`,
	},
	{
		"a StatefulSet or ReplicaSet that its controller has not seen", "nothing is known about its pods",
		waits, isReady, func(live object) bool {
			_, seen, _ := unstructured.NestedInt64(live, "status", "observedGeneration")
			return !seen && (live["kind"] == "StatefulSet" || live["kind"] == "ReplicaSet")
		},
		"apps/v1", "ReplicaSet", `{spec: {replicas: 0}, status: {replicas: 0}}`,
	},
	{
		"a CustomResourceDefinition that is not established for another reason than being installed", "only names that are refused are known to be final",
		waits, fails, isKind("CustomResourceDefinition"),
		"apiextensions.k8s.io/v1", "CustomResourceDefinition", `{status: {conditions: [{type: Established, status: "False", reason: Other}]}}`,
	},
	{
		"an established CustomResourceDefinition that was given names which are taken", "it is served under its old names",
		isReady, fails, isKind("CustomResourceDefinition"),
		"apiextensions.k8s.io/v1", "CustomResourceDefinition", `{status: {conditions: [{type: NamesAccepted, status: "False", reason: PluralConflict}, {type: Established, status: "True"}]}}`,
	},
	{
		"a kind of Kubernetes that kstatus has no rule for", "they have a status that says whether they can be used",
		waits, isReady, isKind(withoutRule...),
		"apiregistration.k8s.io/v1", "APIService", `{status: {conditions: [{type: Available, status: "False"}]}}`,
	},
	{
		"a kind of Kubernetes that kstatus has no rule for", "and whether they never can",
		fails, isReady, isKind(withoutRule...),
		"v1", "PersistentVolume", `{status: {phase: Failed}}`,
	},
	{
		"a condition about an older generation", "it says nothing about the object as it is, be it good or bad",
		waits, isReady, isKind("nothing"), // see isOutdated
		"acme.io/v1", "Widget", `{status: {conditions: [{type: Ready, status: "True", observedGeneration: 1}]}}`,
	},
	{
		"a custom object without a status", "nothing says that its controller has seen it; see above for the 30 seconds",
		waits, isReady, func(live object) bool { return live["kind"] == "Widget" && isEmpty(live["status"]) },
		"acme.io/v1", "Widget", `{}`,
	},
	{
		"a custom object whose condition Available is not True", "it says itself that it cannot be used",
		waits, isReady, aCondition(func(c Condition) bool { return c.Type == "Available" }),
		"acme.io/v1", "Widget", `{status: {conditions: [{type: Available, status: "False"}]}}`,
	},
	{
		"a custom object with a condition that is Unknown, and neither Ready nor Available", "its controller has not decided yet",
		waits, isReady, aCondition(func(c Condition) bool { return c.Status == "Unknown" }),
		"acme.io/v1", "Widget", `{status: {conditions: [{type: Accepted, status: Unknown}]}}`,
	},
	{
		"a custom object that says in another way that it is not ready or has failed", "its phase, its other conditions, its replicas and its parts count as well",
		waits, isReady, aCondition(func(c Condition) bool { return c.Type == "Accepted" && c.Status == "False" }),
		"acme.io/v1", "Widget", `{status: {phase: Failed, conditions: [{type: Accepted, status: "False"}]}}`,
	},
	{
		"a suspended custom object", "its controller leaves it alone, so its status is of the time before",
		fails, isReady, func(live object) bool { by, _ := switchedOff(live); return by != "" },
		"acme.io/v1", "Widget", `{spec: {suspend: true}, status: {conditions: [{type: Ready, status: "True"}]}}`,
	},
	{
		"a custom object that is Stalled and Reconciling at once", "kstatus goes by which comes first",
		fails, waits, aCondition(func(c Condition) bool { return c.Type == "Stalled" }),
		"acme.io/v1", "Widget", `{status: {conditions: [{type: Reconciling, status: "True"}, {type: Stalled, status: "True"}]}}`,
	},
}

var withoutRule = []string{
	"APIService", "CertificateSigningRequest", "HorizontalPodAutoscaler", "Namespace", "Node", "PersistentVolume", "ReplicationController",
}

func isKind(kinds ...string) func(object) bool {
	return func(live object) bool { kind, _ := live["kind"].(string); return slices.Contains(kinds, kind) }
}

// isOutdated reports whether an object has a condition about an older generation, in which case anything may differ.
func isOutdated(live object) bool {
	return aCondition(func(c Condition) bool { return c.observed && c.observedGeneration < 2 })(live)
}

func aCondition(is func(Condition) bool) func(object) bool {
	return func(live object) bool { return slices.ContainsFunc(Conditions(live), is) }
}

// compare says of an object what we say and what kstatus says.
func compare(t require.TestingT, live object) (ours, theirs string) {
	verdict := judge(t, ready, live)
	switch {
	case verdict.Holds:
		ours = isReady
	case verdict.Failed != "":
		ours = fails
	default:
		ours = waits
	}
	result, err := status.Compute(&unstructured.Unstructured{Object: live})
	require.NoError(t, err)
	return ours, map[status.Status]string{
		status.CurrentStatus: isReady, status.InProgressStatus: waits, status.TerminatingStatus: waits, status.FailedStatus: fails,
	}[result.Status]
}

func TestKstatusSaysTheSameOrTheDifferenceIsListed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		live := drawLive(t)
		ours, theirs := compare(t, live)
		if ours != theirs && !isOutdated(live) && !slices.ContainsFunc(differences, func(d difference) bool {
			return d.ours == ours && d.theirs == theirs && d.of(live)
		}) {
			t.Fatalf("here %s, kstatus says %s: %v", ours, theirs, live)
		}
	})
}

func TestTheDifferencesFromKstatusExist(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "waiting.md"))
	require.NoError(t, err)
	listed := strings.Join(strings.Fields(string(page)), " ")
	for _, d := range differences {
		t.Run(d.name+", since "+d.reason+" [W31]", func(t *testing.T) {
			live := manifest(t, d.apiVersion, d.kind, d.example)
			ours, theirs := compare(t, live)
			assert.Equal(t, d.ours, ours, "here")
			assert.Equal(t, d.theirs, theirs, "kstatus")
			assert.True(t, d.of(live) || isOutdated(live))
			assert.True(t, strings.Contains(listed, d.name), "the page on waiting does not list %q", d.name)
		})
	}
}
