package readiness

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// workload is an object of apps/v1 of generation 2, with what its status says about it.
func workload(kind string, spec, status object) object {
	return object{
		"apiVersion": "apps/v1", "kind": kind, "metadata": object{"name": "web", "generation": int64(2)},
		"spec": spec, "status": status,
	}
}

// merged is a copy of a map with other members.
func merged(base, other object) object {
	result := maps.Clone(base)
	maps.Copy(result, other)
	return result
}

func TestTheRolloutOfADeploymentIsWaitedFor(t *testing.T) {
	done := object{
		"observedGeneration": int64(2), "replicas": int64(3), "updatedReplicas": int64(3), "readyReplicas": int64(3), "availableReplicas": int64(3),
	}
	for name, c := range map[string]struct {
		replicas int64
		status   object
		missing  []string
	}{
		"it is done [W5]":                   {3, done, nil},
		"there is no status yet [W5]":       {3, object{}, []string{"waiting for deployment spec update to be observed"}},
		"the change was not seen yet [W5]":  {3, merged(done, object{"observedGeneration": int64(1)}), []string{"waiting for deployment spec update to be observed"}},
		"pods are being updated [W5]":       {3, merged(done, object{"updatedReplicas": int64(1)}), []string{"1 out of 3 new replicas have been updated"}},
		"old pods are not gone [W5]":        {3, merged(done, object{"replicas": int64(5)}), []string{"2 old replicas are pending termination"}},
		"new pods are not available [W5]":   {3, merged(done, object{"availableReplicas": int64(2)}), []string{"2 of 3 updated replicas are available"}},
		"no pods are wanted [W6]":           {0, object{"observedGeneration": int64(2)}, nil},
		"no pods are wanted any more [W6]":  {0, object{"observedGeneration": int64(2), "replicas": int64(1)}, []string{"1 old replicas are pending termination"}},
		"no pods, and not seen yet [W6]":    {0, object{"observedGeneration": int64(1)}, []string{"waiting for deployment spec update to be observed"}},
		"it is paused and as wanted [W5]":   {3, merged(done, object{"conditions": list{object{"type": "Progressing", "status": "Unknown", "reason": "DeploymentPaused"}}}), nil},
		"pods were taken away by hand [W5]": {3, merged(done, object{"replicas": int64(2), "updatedReplicas": int64(2)}), []string{"2 out of 3 new replicas have been updated"}},
	} {
		t.Run(name, func(t *testing.T) {
			assertVerdict(t, Criteria{Rollout: true}, workload("Deployment", object{"replicas": c.replicas}, c.status), c.missing...)
		})
	}
	t.Run("its deadline is exceeded [W14]", func(t *testing.T) {
		verdict := judge(t, Criteria{Rollout: true}, workload("Deployment", object{"replicas": int64(3)}, exceeded(2)))
		assert.Equal(t, []string{`deployment "web" exceeded its progress deadline`}, verdict.Missing)
		assert.Equal(t, `condition Progressing=False (ProgressDeadlineExceeded): ReplicaSet "web-1" has timed out progressing.`, verdict.Failed)
		assert.False(t, verdict.Holds)
	})
}

func TestTheRolloutOfAStatefulSetIsWaitedFor(t *testing.T) {
	rolling := func(partition int64) object {
		return object{"type": "RollingUpdate", "rollingUpdate": object{"partition": partition}}
	}
	onDelete := object{"type": "OnDelete"}
	done := object{
		"observedGeneration": int64(2), "replicas": int64(3), "readyReplicas": int64(3), "updatedReplicas": int64(3),
		"currentReplicas": int64(3), "currentRevision": "web-2", "updateRevision": "web-2",
	}
	notSeen := []string{"waiting for statefulset spec update to be observed"}
	for name, c := range map[string]struct {
		replicas int64
		strategy object
		status   object
		missing  []string
	}{
		"it is done [W5]":                      {3, rolling(0), done, nil},
		"there is no status yet [W5]":          {3, rolling(0), object{}, notSeen},
		"the change was not seen yet [W5]":     {3, rolling(0), merged(done, object{"observedGeneration": int64(1)}), notSeen},
		"pods are not ready [W5]":              {3, rolling(0), merged(done, object{"readyReplicas": int64(1)}), []string{"waiting for 2 pods to be ready"}},
		"pods are being updated [W5]":          {3, rolling(0), merged(done, object{"updatedReplicas": int64(1)}), []string{"waiting for partitioned roll out to finish: 1 out of 3 new pods have been updated"}},
		"a partition is not updated yet [W5]":  {3, rolling(1), merged(done, object{"updatedReplicas": int64(1)}), []string{"waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated"}},
		"a partition is updated [W5]":          {3, rolling(1), merged(done, object{"updatedReplicas": int64(2)}), nil},
		"a partition that holds all back [W5]": {3, rolling(3), merged(done, object{"updatedReplicas": int64(0), "updateRevision": "web-3"}), nil},
		"without a partition, two revisions [W5]": {
			3, object{"type": "RollingUpdate"}, merged(done, object{"updateRevision": "web-3", "updatedReplicas": int64(1)}),
			[]string{"waiting for statefulset rolling update to complete 1 pods at revision web-3"},
		},
		"without a partition, one revision [W5]": {3, object{"type": "RollingUpdate"}, done, nil},
		"no pods are wanted [W6]":                {0, rolling(0), object{"observedGeneration": int64(2)}, nil},
		"OnDelete, all pods are ready [W5]":      {3, onDelete, merged(done, object{"updatedReplicas": int64(0), "updateRevision": "web-3"}), nil},
		"OnDelete, not all are ready [W5]":       {3, onDelete, merged(done, object{"readyReplicas": int64(2)}), []string{"2 of 3 pods are ready"}},
		"OnDelete, there is no status yet [W5]":  {3, onDelete, object{}, notSeen},
		"OnDelete, the change was not seen [W5]": {3, onDelete, merged(done, object{"observedGeneration": int64(1)}), notSeen},
		"OnDelete, no pods are wanted [W6]":      {0, onDelete, object{"observedGeneration": int64(2)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			live := workload("StatefulSet", object{"replicas": c.replicas, "updateStrategy": c.strategy}, c.status)
			assertVerdict(t, Criteria{Rollout: true}, live, c.missing...)
		})
	}
}

func TestTheRolloutOfAStatefulSetWaitsForMinReadySeconds(t *testing.T) {
	for name, c := range map[string]struct {
		strategy           string
		seconds, available int64
		missing            []string
	}{
		"pods are not ready for long enough":           {"RollingUpdate", 10, 1, []string{"1 of 3 pods are available"}},
		"pods are ready for long enough":               {"RollingUpdate", 10, 3, nil},
		"it says nothing, and counts no such pods":     {"RollingUpdate", 0, 0, nil},
		"OnDelete, pods are not ready for long enough": {"OnDelete", 10, 1, []string{"1 of 3 pods are available"}},
		"OnDelete, pods are ready for long enough":     {"OnDelete", 10, 3, nil},
	} {
		t.Run(name+" [W5]", func(t *testing.T) {
			live := workload("StatefulSet", object{
				"replicas": int64(3), "updateStrategy": object{"type": c.strategy}, "minReadySeconds": c.seconds,
			}, object{
				"observedGeneration": int64(2), "replicas": int64(3), "readyReplicas": int64(3), "updatedReplicas": int64(3),
				"availableReplicas": c.available, "currentRevision": "web-2", "updateRevision": "web-2",
			})
			assertVerdict(t, Criteria{Rollout: true}, live, c.missing...)
		})
	}
}

func TestTheRolloutOfADaemonSetIsWaitedFor(t *testing.T) {
	done := object{
		"observedGeneration": int64(2), "desiredNumberScheduled": int64(3), "updatedNumberScheduled": int64(3), "numberAvailable": int64(3),
	}
	for name, c := range map[string]struct {
		strategy string
		status   object
		missing  []string
	}{
		"it is done":                        {"RollingUpdate", done, nil},
		"there is no status yet":            {"RollingUpdate", object{}, []string{"waiting for daemon set spec update to be observed"}},
		"the change was not seen yet":       {"RollingUpdate", merged(done, object{"observedGeneration": int64(1)}), []string{"waiting for daemon set spec update to be observed"}},
		"pods are being updated":            {"RollingUpdate", merged(done, object{"updatedNumberScheduled": int64(1)}), []string{"1 out of 3 new pods have been updated"}},
		"pods are not available":            {"RollingUpdate", merged(done, object{"numberAvailable": int64(2)}), []string{"2 of 3 updated pods are available"}},
		"no node wants a pod":               {"RollingUpdate", object{"observedGeneration": int64(2)}, nil},
		"OnDelete, all pods are available":  {"OnDelete", merged(done, object{"updatedNumberScheduled": int64(0)}), nil},
		"OnDelete, not all are available":   {"OnDelete", merged(done, object{"numberAvailable": int64(2)}), []string{"2 of 3 pods are ready"}},
		"OnDelete, the change was not seen": {"OnDelete", merged(done, object{"observedGeneration": int64(1)}), []string{"waiting for daemon set spec update to be observed"}},
		"OnDelete, no node wants a pod":     {"OnDelete", object{"observedGeneration": int64(2)}, nil},
	} {
		t.Run(name+" [W5]", func(t *testing.T) {
			live := workload("DaemonSet", object{"updateStrategy": object{"type": c.strategy}}, c.status)
			assertVerdict(t, Criteria{Rollout: true}, live, c.missing...)
		})
	}
}

func TestOtherKindsHaveNoRollout(t *testing.T) {
	for _, kind := range []string{"Deployment", "StatefulSet", "DaemonSet"} {
		assert.True(t, HasRollout(schema.GroupKind{Group: "apps", Kind: kind}), kind)
	}
	for _, kind := range []schema.GroupKind{
		{Group: "apps", Kind: "ReplicaSet"}, {Group: "batch", Kind: "Job"}, {Kind: "Pod"}, {Kind: "Deployment"},
		{Group: "acme.io", Kind: "Deployment"}, {},
	} {
		assert.False(t, HasRollout(kind), "[W7] %s", kind)
	}
	assertVerdict(t, Criteria{Rollout: true}, workload("ReplicaSet", object{}, object{}), "ReplicaSet has no rollout")
}
