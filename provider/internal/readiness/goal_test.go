package readiness

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestSomethingMustBeWaitedFor(t *testing.T) {
	for name, criteria := range map[string]Criteria{
		"nothing": {}, "not ready": {Ready: false}, "no fields": {FieldValue: map[string]string{}}, "only what fails": {FailWhen: "false"},
	} {
		t.Run(name+" is refused [W10]", func(t *testing.T) {
			goal, problems := Compile(criteria)
			assert.Nil(t, goal)
			require.Len(t, problems, 1)
			assert.Empty(t, problems[0].Criterion)
			assert.Contains(t, problems[0].Reason, "Say what to wait for")
		})
	}
}

func TestWhatIsGoneHasNothingElseToWaitFor(t *testing.T) {
	for name, criteria := range map[string]Criteria{
		NameField: {Field: "status.phase"}, NameFieldValue: {FieldValue: map[string]string{"status.phase": "x"}},
		NameCondition: {Condition: "Ready"}, NameReady: {Ready: true}, NameRollout: {Rollout: true}, NameExpression: {Expression: "true"},
		NameHTTP: {HTTP: &HTTP{Path: "/"}},
	} {
		t.Run(name+" and deleted are refused", func(t *testing.T) {
			criteria.Deleted = true
			goal, problems := Compile(criteria)
			assert.Nil(t, goal)
			require.Len(t, problems, 1)
			assert.Equal(t, NameDeleted, problems[0].Criterion)
		})
	}
}

func TestAllProblemsAreSaidAtOnce(t *testing.T) {
	goal, problems := Compile(Criteria{
		Field: "status[", FieldValue: map[string]string{"b[": "x", "a[": "y", "fine": "z"}, Condition: "Ready=Perhaps",
		Expression: "object.", FailWhen: "1", Deleted: true,
	})
	assert.Nil(t, goal)
	var at [][2]string
	for _, problem := range problems {
		at = append(at, [2]string{problem.Criterion, problem.Key})
		assert.NotEmpty(t, problem.Reason)
	}
	assert.Equal(t, [][2]string{
		{NameField, ""}, {NameFieldValue, "a["}, {NameFieldValue, "b["}, {NameCondition, ""}, {NameExpression, ""}, {NameFailWhen, ""},
		{NameDeleted, ""},
	}, at)

	_, problems = Compile(Criteria{FailWhen: "1"})
	assert.Len(t, problems, 2, "that nothing is waited for, too")
}

func TestEverythingThatIsWaitedForMustHoldAtOnce(t *testing.T) {
	criteria := Criteria{
		Field: "status.url", FieldValue: map[string]string{"status.phase": "Active"}, Condition: "Ready", Rollout: true,
		Expression: "object.spec.replicas == 1",
	}
	goal := compile(t, criteria)
	assert.Equal(t, `status.url and status.phase = "Active" and condition Ready=True and the rollout and object.spec.replicas == 1`, goal.String())
	assert.False(t, goal.ForDeletion())

	assertVerdict(t, criteria, workload("Deployment", object{"replicas": int64(3)}, object{}),
		"status.url is not set", `status.phase is not set, it should be "Active"`, "there is no condition Ready yet",
		"waiting for deployment spec update to be observed", "object.spec.replicas == 1 is false")

	status := object{
		"observedGeneration": int64(2), "replicas": int64(1), "updatedReplicas": int64(1), "availableReplicas": int64(1),
		"url": "http://web", "phase": "Active", "conditions": list{object{"type": "Ready", "status": "True"}},
	}
	assertVerdict(t, criteria, workload("Deployment", object{"replicas": int64(1)}, status))
	assertVerdict(t, criteria, workload("Deployment", object{"replicas": int64(1)}, merged(status, object{"url": ""})), "status.url is not set")
}

func TestWhatIsNotThere(t *testing.T) {
	assert.Equal(t, Verdict{Missing: []string{"it does not exist yet"}}, compile(t, Criteria{Condition: "Ready", FailWhen: "true"}).Judge(nil), "[W15]")
	goal := compile(t, Criteria{Deleted: true, FailWhen: "true"})
	assert.Equal(t, Verdict{Holds: true}, goal.Judge(nil), "[W9]")
	assert.Equal(t, "deletion", goal.String())
	assert.True(t, goal.ForDeletion())
}

func TestAnObjectThatShouldBeGoneSaysWhatHoldsIt(t *testing.T) {
	for name, c := range map[string]struct {
		metadata object
		missing  string
	}{
		"nobody has deleted it":     {object{"finalizers": list{"acme.io/a"}}, "it is still there, and nobody has deleted it"},
		"finalizers hold it":        {object{"deletionTimestamp": "2024-01-01T00:00:00Z", "finalizers": list{"acme.io/a", "acme.io/b"}}, "it is being deleted and held by the finalizers acme.io/a, acme.io/b"},
		"its grace period is going": {object{"deletionTimestamp": "2024-01-01T00:00:00Z"}, "it is being deleted"},
	} {
		t.Run(name+" [W9]", func(t *testing.T) {
			assertVerdict(t, Criteria{Deleted: true}, object{"metadata": c.metadata}, c.missing)
		})
	}
}

func TestJudgingChangesNothing(t *testing.T) {
	live := &unstructured.Unstructured{Object: merged(sample(), object{"apiVersion": "apps/v1", "kind": "Deployment"})}
	before := live.DeepCopy()
	goal := compile(t, Criteria{
		Field: "$..ip", FieldValue: map[string]string{"status.conditions[*].type": "x"}, Condition: "Ready", Rollout: true,
		Expression: "object.spec.ports.map(p, p.port).sort() == []", FailWhen: "object.status.ready",
	})
	assert.False(t, goal.Judge(live).Holds)
	goal.Extract(live)
	assert.Equal(t, before, live)
}
