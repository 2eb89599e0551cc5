package readiness

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// exceeded is the status of a Deployment whose rollout got stuck, as of a generation.
func exceeded(observed int64) object {
	return object{"observedGeneration": observed, "replicas": int64(1), "conditions": list{
		object{"type": "Available", "status": "False", "reason": "MinimumReplicasUnavailable"},
		object{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": `ReplicaSet "web-1" has timed out progressing.`},
	}}
}

func TestWhatNoWaitingHelpsAgainstFails(t *testing.T) {
	deployment := func(status object) object { return workload("Deployment", object{"replicas": int64(3)}, status) }
	job := func(conditions ...any) object {
		return object{
			"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": "migrate", "generation": int64(1)},
			"status": object{"conditions": conditions},
		}
	}
	failedJob := job(
		object{"type": "FailureTarget", "status": "True", "reason": "BackoffLimitExceeded"},
		object{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "message": "Job has reached the specified backoff limit"})
	pod := func(status object) object {
		return object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": "once"}, "status": status}
	}
	evicted := pod(object{"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory."})

	for name, c := range map[string]struct {
		criteria Criteria
		live     object
		failed   string
	}{
		"a failed Job does not complete":                    {Criteria{Condition: "Complete"}, failedJob, "condition Failed=True (BackoffLimitExceeded): Job has reached the specified backoff limit"},
		"nor does it get any fields":                        {Criteria{Field: "status.completionTime"}, failedJob, "condition Failed=True (BackoffLimitExceeded): Job has reached the specified backoff limit"},
		"a Job that has not failed may complete":            {Criteria{Condition: "Complete"}, job(object{"type": "Failed", "status": "False"}), ""},
		"a suspended Job may complete":                      {Criteria{Condition: "Complete"}, job(object{"type": "Suspended", "status": "True"}), ""},
		"a Job of someone else's API is none":               {Criteria{Condition: "Complete"}, merged(failedJob, object{"apiVersion": "acme.io/v1"}), ""},
		"a Deployment that is stuck":                        {Criteria{Condition: "Available"}, deployment(exceeded(2)), `condition Progressing=False (ProgressDeadlineExceeded): ReplicaSet "web-1" has timed out progressing.`},
		"a Deployment that was stuck before it was changed": {Criteria{Condition: "Available"}, deployment(exceeded(1)), ""},
		"the rollout of one that was stuck before":          {Criteria{Rollout: true}, deployment(exceeded(1)), ""},
		"a Deployment that does not progress for another reason": {
			Criteria{Condition: "Available"}, deployment(object{"conditions": list{object{"type": "Progressing", "status": "False", "reason": "FailedCreate"}}}), "",
		},
		"a Pod that has failed":                {Criteria{Condition: "Ready"}, evicted, "the pod has failed: Evicted: The node was low on resource: memory."},
		"a Pod that has failed without reason": {Criteria{Condition: "Ready"}, pod(object{"phase": "Failed"}), "the pod has failed"},
		"a Pod that is pending":                {Criteria{Condition: "Ready"}, pod(object{"phase": "Pending", "reason": "Unschedulable"}), ""},
		"other kinds know no such state":       {Criteria{Condition: "Ready"}, object{"apiVersion": "acme.io/v1", "kind": "Widget", "status": object{"phase": "Failed"}}, ""},
	} {
		t.Run(name+" [W14]", func(t *testing.T) {
			verdict := judge(t, c.criteria, c.live)
			assert.False(t, verdict.Holds)
			assert.Equal(t, c.failed, verdict.Failed)
			assert.NotEmpty(t, verdict.Missing, "what is missing is said also where waiting does not help")
		})
	}

	for name, c := range map[string]struct {
		criteria Criteria
		live     object
	}{
		"of a Job, its failure":       {Criteria{Condition: "Failed"}, failedJob},
		"of a Pod, its failure":       {Criteria{FieldValue: map[string]string{"status.phase": "Failed"}}, evicted},
		"of a Deployment, being late": {Criteria{Condition: "Progressing=False"}, deployment(exceeded(2))},
		"of a failed Job, a field":    {Criteria{Field: "status.conditions[?@.type=='Failed'].reason"}, failedJob},
	} {
		t.Run("what is waited for comes first: "+name+" [W14]", func(t *testing.T) { assertVerdict(t, c.criteria, c.live) })
	}
	t.Run("a failed Job can be waited to be gone [W9]", func(t *testing.T) {
		assertVerdict(t, Criteria{Deleted: true}, failedJob, "it is still there, and nobody has deleted it")
	})
}
