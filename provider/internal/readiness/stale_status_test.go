package readiness

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// asOf is an object at generation 2 whose status is about another one.
func asOf(observed any, more object) object {
	live := merged(sample(), more)
	live["metadata"] = merged(live["metadata"].(object), object{"generation": int64(2)})
	status := merged(live["status"].(object), object{"observedGeneration": observed})
	if observed == nil {
		delete(status, "observedGeneration")
	}
	live["status"] = status
	return live
}

func TestAStatusThatIsBehindIsNoEvidence(t *testing.T) {
	const behind = " is out of date: the status is about generation 1, the object is at 2"
	for name, c := range map[string]struct {
		criteria Criteria
		missing  string
	}{
		"a field below status":                  {Criteria{Field: "status.phase"}, "status.phase" + behind},
		"a field of a condition":                {Criteria{Field: "status.conditions[?@.type=='Ready'].reason"}, "status.conditions[?@.type=='Ready'].reason" + behind},
		"the status as a whole":                 {Criteria{Field: "{.status}"}, "{.status}" + behind},
		"what may be below status, by any name": {Criteria{Field: "*.phase"}, "*.phase" + behind},
		"what may be below status, at any depth": {
			Criteria{Field: "$..hostname"}, "$..hostname" + behind,
		},
		"what may be below status, among several": {Criteria{Field: "$['spec','status'].phase"}, "$['spec','status'].phase" + behind},
		"a field that a filter picks by the status": {
			Criteria{Field: "spec.ports[?$.status.phase=='Running'].name"}, "spec.ports[?$.status.phase=='Running'].name" + behind,
		},
		"a value below status":   {Criteria{FieldValue: map[string]string{"status.phase": "Running"}}, `status.phase = "Running"` + behind},
		"an expression":          {Criteria{Expression: "object.status.phase == 'Running'"}, "object.status.phase == 'Running'" + behind},
		"an expression in index": {Criteria{Expression: "object['status'].phase == 'Running'"}, "object['status'].phase == 'Running'" + behind},
		"an optional expression": {
			Criteria{Expression: "object.?status.phase.orValue('') == 'Running'"}, "object.?status.phase.orValue('') == 'Running'" + behind,
		},
		"an expression about absence":         {Criteria{Expression: "!has(object.status.failure)"}, "!has(object.status.failure)" + behind},
		"an expression about the whole":       {Criteria{Expression: "object.exists(key, key == 'status')"}, "object.exists(key, key == 'status')" + behind},
		"an expression that reads it on":      {Criteria{Expression: "[object].all(o, o.status.phase == 'Running')"}, "[object].all(o, o.status.phase == 'Running')" + behind},
		"what is missing anyway is said":      {Criteria{Field: "status.url"}, "status.url is not set"},
		"a value that is another one is said": {Criteria{FieldValue: map[string]string{"status.phase": "Done"}}, `status.phase is "Running", it should be "Done"`},
		"an expression that is false":         {Criteria{Expression: "object.status.phase == 'Done'"}, "object.status.phase == 'Done' is false"},
	} {
		t.Run(name+" [D11]", func(t *testing.T) {
			assertVerdict(t, c.criteria, asOf(int64(1), nil), c.missing)
		})
	}
	for name, criteria := range map[string]Criteria{
		"a field":         {Field: "spec.volumeName"},
		"a name in quote": {Field: "data['tls.crt']"},
		"a value":         {FieldValue: map[string]string{"spec.ports[0].port": "80"}},
		"an expression":   {Expression: "object.spec.volumeName == 'pv-1' && object.metadata.name == 'web'"},
		"a loop":          {Expression: "object.spec.ports.exists(p, p.port == 80)"},
	} {
		t.Run("elsewhere holds: "+name+" [D11]", func(t *testing.T) { assertVerdict(t, criteria, asOf(int64(1), nil)) })
	}
	for name, observed := range map[string]any{"is of this generation": int64(2), "is newer than what was read": int64(3), "does not say": nil, "says no number": "1"} {
		t.Run("but a status that "+name+" is [D11]", func(t *testing.T) {
			assertVerdict(t, Criteria{
				Field: "status.phase", FieldValue: map[string]string{"status.phase": "Running"}, Expression: "object.status.phase == 'Running'",
			}, asOf(observed, nil))
			assert.Equal(t, "failWhen is true: object.status.phase == 'Running'",
				judge(t, Criteria{Field: "status.url", FailWhen: "object.status.phase == 'Running'"}, asOf(observed, nil)).Failed)
		})
	}
}

func TestAStatusThatIsBehindDoesNotFail(t *testing.T) {
	failing := Criteria{Field: "status.url", FailWhen: "object.status.phase == 'Running'"}
	for name, c := range map[string]struct {
		criteria Criteria
		live     object
		failed   string
	}{
		"failWhen":                              {failing, asOf(int64(1), nil), ""},
		"failWhen about absence":                {Criteria{Field: "status.url", FailWhen: "!has(object.status.url)"}, asOf(int64(1), nil), ""},
		"failWhen on the way to deletion":       {Criteria{Deleted: true, FailWhen: failing.FailWhen}, asOf(int64(1), nil), ""},
		"failWhen about the rest of the object": {Criteria{Field: "status.url", FailWhen: "has(object.data)"}, asOf(int64(1), nil), "failWhen is true: has(object.data)"},
		"a Pod's phase": {
			Criteria{Field: "status.url"},
			asOf(int64(1), object{"apiVersion": "v1", "kind": "Pod", "status": object{"phase": "Failed"}}), "",
		},
		"a Pod's phase of this generation": {
			Criteria{Field: "status.url"},
			asOf(int64(2), object{"apiVersion": "v1", "kind": "Pod", "status": object{"phase": "Failed"}}), "the pod has failed",
		},
	} {
		t.Run(name+" [D11]", func(t *testing.T) {
			verdict := judge(t, c.criteria, c.live)
			assert.False(t, verdict.Holds)
			assert.Equal(t, c.failed, verdict.Failed)
		})
	}
}

func TestWhatIsBeingDeletedIsReadyForNothingElse(t *testing.T) {
	const says = "it is being deleted and held by the finalizers acme.io/a"
	terminating := func(live object) object {
		metadata, _ := live["metadata"].(object)
		return merged(live, object{"metadata": merged(metadata, object{
			"deletionTimestamp": "2024-01-01T00:00:00Z", "finalizers": list{"acme.io/a"},
		})})
	}
	ready := withConditions(int64(2), object{"observedGeneration": int64(2)}, object{"type": "Ready", "status": "True"})
	rolledOut := workload("Deployment", object{"replicas": int64(1)}, object{
		"observedGeneration": int64(2), "replicas": int64(1), "updatedReplicas": int64(1), "availableReplicas": int64(1),
	})
	for name, c := range map[string]struct {
		criteria Criteria
		live     object
	}{
		"a field":       {Criteria{Field: "status.phase"}, sample()},
		"a value":       {Criteria{FieldValue: map[string]string{"status.phase": "Running"}}, sample()},
		"a condition":   {Criteria{Condition: "Ready"}, ready},
		"a rollout":     {Criteria{Rollout: true}, rolledOut},
		"an expression": {Criteria{Expression: "true"}, sample()},
	} {
		t.Run(name+" [D11]", func(t *testing.T) {
			assertVerdict(t, c.criteria, c.live)
			assertVerdict(t, c.criteria, terminating(c.live), says)
		})
	}
	t.Run("it is said first, and what else is missing as well [D11]", func(t *testing.T) {
		assertVerdict(t, Criteria{Field: "status.url"}, terminating(sample()), says, "status.url is not set")
	})
	t.Run("that it has failed says nothing any more [D11]", func(t *testing.T) {
		pod := object{"apiVersion": "v1", "kind": "Pod", "metadata": object{}, "status": object{"phase": "Failed"}}
		goal := Criteria{FieldValue: map[string]string{"status.phase": "Failed"}}
		assertVerdict(t, goal, pod)
		assertVerdict(t, goal, terminating(pod), says)
	})
	t.Run("failWhen is the user's word, and counts [D11]", func(t *testing.T) {
		verdict := judge(t, Criteria{Field: "status.url", FailWhen: "object.status.phase == 'Running'"}, terminating(sample()))
		assert.Equal(t, "failWhen is true: object.status.phase == 'Running'", verdict.Failed)
	})
	t.Run("its deletion is waited for [D11]", func(t *testing.T) { assertVerdict(t, Criteria{Deleted: true}, terminating(sample()), says) })
}
