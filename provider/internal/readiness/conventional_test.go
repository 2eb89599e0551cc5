package readiness

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// judged is what the conventions should say of an object.
type judged struct {
	kind, object string

	missing string // "" if it is ready
	failed  string
	guessed string
}

func TestConventions(t *testing.T) {
	for name, c := range map[string]judged{
		"[R1] a phase in progress is not ready":                            {"Widget", `{status: {phase: Creating}}`, "status.phase is Creating", "", ""},
		"[R1] a phase in capitals is read by its words":                    {"Widget", `{status: {state: UPDATE_IN_PROGRESS}}`, "status.state is UPDATE_IN_PROGRESS", "", ""},
		"[R1] a phase of failure is not ready, with its message":           {"Widget", `{status: {phase: Failed, message: no such size}}`, "status.phase is Failed: no such size", "", ""},
		"[R1] a negated phase is not ready":                                {"Widget", `{status: {phase: NotReady}}`, "status.phase is NotReady", "", ""},
		"[R1] a good phase is ready, as a guess":                           {"Widget", `{status: {phase: Running}}`, "", "", "status.phase is Running"},
		"[R1] a phase may be a sentence":                                   {"Widget", `{status: {phase: Cluster in healthy state}}`, "", "", "status.phase is Cluster in healthy state"},
		"[R1] and say what is awaited":                                     {"Widget", `{status: {phase: Waiting for pods to be ready}}`, "status.phase is Waiting for pods to be ready", "", ""},
		"[R1] a phase that may last is ready, as a guess":                  {"Widget", `{status: {phase: Idle}}`, "", "", "nothing in its status says otherwise"},
		"[R1] the field may have a longer name":                            {"Widget", `{status: {certificateStatus: Provisioning}}`, "status.certificateStatus is Provisioning", "", ""},
		"[R1] an earlier or wanted phase says nothing":                     {"Widget", `{status: {phase: Ready, lastPhase: Failed, desiredState: Starting}}`, "", "", "status.phase is Ready"},
		"[R1] a phase outweighs Ready":                                     {"Widget", `{status: {phase: Provisioning, conditions: [{type: Ready, status: "True"}]}}`, "status.phase is Provisioning", "", ""},
		"[R1] a flag that is false is not ready":                           {"Widget", `{status: {healthy: false}}`, "status.healthy is false", "", ""},
		"[R1] a flag that is true is ready, as a guess":                    {"Widget", `{status: {healthy: true}}`, "", "", "status.healthy is true"},
		"[R1] an error is not ready":                                       {"Widget", `{status: {error: {message: no such disk}}}`, "status.error is not empty: no such disk", "", ""},
		"[R1] an error beside a good state is an old one":                  {"Widget", `{status: {ready: true, errorMessage: no such disk}}`, "", "", "status.ready is true"},
		"[R2] a condition of failure that is True is not ready":            {"Widget", `{status: {conditions: [{type: ValidationFailed, status: "True", message: no such size}]}}`, "condition ValidationFailed=True: no such size", "", ""},
		"[R2] one that is False is ready":                                  {"Widget", `{status: {conditions: [{type: ValidationFailed, status: "False"}]}}`, "", "", "nothing in its status says otherwise"},
		"[R2] NotReady is such a condition":                                {"Widget", `{status: {conditions: [{type: NotReady, status: "True"}]}}`, "condition NotReady=True", "", ""},
		"[R2] and NoWarnings is not":                                       {"Widget", `{status: {conditions: [{type: NoErrors, status: "True"}]}}`, "", "", "condition NoErrors=True"},
		"[R2] a condition of success that is False is not ready":           {"Widget", `{status: {conditions: [{type: Created, status: "True"}, {type: acme.io/app-ready, status: "False"}]}}`, "condition acme.io/app-ready=False", "", ""},
		"[R2] unless it is not needed":                                     {"Widget", `{status: {conditions: [{type: Created, status: "True"}, {type: BackupConfigured, status: "False", reason: NotRequired}]}}`, "", "", "condition Created=True"},
		"[R2] an unknown achievement that is False is not ready":           {"Widget", `{status: {conditions: [{type: Created, status: "True"}, {type: Advertised, status: "False"}]}}`, "condition Advertised=False", "", ""},
		"[R2] what may befall any object is ready":                         {"Widget", `{status: {conditions: [{type: Created, status: "True"}, {type: Throttled, status: "False"}]}}`, "", "", "condition Created=True"},
		"[R2] a condition in progress that is True is not ready":           {"Widget", `{status: {conditions: [{type: Updating, status: "True"}]}}`, "condition Updating=True", "", ""},
		"[R2] a reason of failure is not ready, whatever the type":         {"Widget", `{status: {conditions: [{type: Synced, status: "True"}, {type: Gizmo, status: "False", reason: CreateError}]}}`, "condition Gizmo=False (CreateError)", "", ""},
		"[R2] what ended in failure is not ready":                          {"Widget", `{status: {conditions: [{type: Finished, status: "True", reason: JobFailed}]}}`, "condition Finished=True (JobFailed)", "", ""},
		"[R2] a status may be a boolean":                                   {"Widget", `{status: {conditions: [{type: Ready, status: true}]}}`, "", "", ""},
		"[R2] Degraded outweighs Ready":                                    {"Widget", `{status: {conditions: [{type: Ready, status: "True"}, {type: Degraded, status: "True"}]}}`, "condition Degraded=True", "", ""},
		"[R2] a failed synchronization outweighs Ready":                    {"Widget", `{status: {conditions: [{type: Ready, status: "True"}, {type: Synced, status: "False", reason: ReconcileError}]}}`, "condition Synced=False (ReconcileError)", "", ""},
		"[R2] Ready outweighs other conditions":                            {"Widget", `{status: {conditions: [{type: Ready, status: "True"}, {type: LastBackupSucceeded, status: "False", reason: Failed}, {type: Archived, status: "False"}]}}`, "", "", ""},
		"[R2] a rollout is not ready although it is Available":             {"Widget", `{status: {conditions: [{type: Available, status: "True"}, {type: Progressing, status: "True", reason: ReplicaSetUpdated}]}}`, "condition Progressing=True (ReplicaSetUpdated)", "", ""},
		"[R2] a rollout that is done is ready":                             {"Widget", `{status: {conditions: [{type: Available, status: "True"}, {type: Progressing, status: "True", reason: NewReplicaSetAvailable}]}}`, "", "", ""},
		"[R2] of a history of one condition, the newest counts":            {"Widget", `{status: {conditions: [{type: Synced, status: "False", lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: Synced, status: "True", lastTransitionTime: "2026-01-02T00:00:00Z"}]}}`, "", "", "condition Synced=True"},
		"[R3] without a condition that is True, it is not ready":           {"Widget", `{status: {conditions: [{type: Gizmo, status: "False"}]}}`, "none of its conditions is True, such as Gizmo=False", "", ""},
		"[R3] unless it is one that may befall any object":                 {"Widget", `{status: {conditions: [{type: Throttled, status: "False"}]}}`, "", "", "nothing in its status says otherwise"},
		"[R6] earlier attempts say nothing":                                {"Widget", `{status: {count: 1, attempts: [{phase: Failed}]}}`, "", "", "nothing in its status says otherwise"},
		"[R2] what goes on for good is ready":                              {"Widget", `{status: {conditions: [{type: Forwarding, status: "True"}]}}`, "", "", "nothing in its status says otherwise"},
		"[R3] unless its phase is good":                                    {"Widget", `{status: {phase: Ready, conditions: [{type: Gizmo, status: "False"}]}}`, "", "", "status.phase is Ready"},
		"[R4] a text may state the generation":                             {"Widget", `{status: {observedGeneration: "1", phase: Ready}}`, "readiness is out of date: the status is about generation 1, the object is at 2", "", ""},
		"[R4] a hash states none":                                          {"Widget", `{status: {observedGeneration: 7bcdbf7bd9, phase: Ready}}`, "", "", "status.phase is Ready"},
		"[R4] the generation may be that of the spec":                      {"Widget", `{status: {observedSpecGeneration: 1, phase: Ready}}`, "readiness is out of date: the status is about generation 1, the object is at 2", "", ""},
		"[R4] all conditions may be about an older generation":             {"Widget", `{status: {conditions: [{type: Synced, status: "True", observedGeneration: 1}]}}`, "its conditions are about generation 1, the object is at 2", "", ""},
		"[R4] a single condition that is left behind says nothing":         {"Widget", `{status: {conditions: [{type: Synced, status: "True", observedGeneration: 2}, {type: Accepted, status: "False", observedGeneration: 1}]}}`, "", "", "condition Synced=True"},
		"[R4] the conditions of a part may be about an older generation":   {"Widget", `{status: {parents: [{conditions: [{type: Accepted, status: "True", observedGeneration: 1}]}]}}`, "the conditions of status.parents are about generation 1, the object is at 2", "", ""},
		"[R6] of a part, nothing may be known":                             {"Widget", `{status: {members: [{health: Unknown}]}}`, "", "", "nothing in its status says otherwise"},
		"[R2] a reconciliation that runs is not ready":                     {"Widget", `{status: {conditions: [{type: Running, status: "True", reason: Running}]}}`, "condition Running=True (Running)", "", ""},
		"[R2] one that awaits the next is ready":                           {"Widget", `{status: {conditions: [{type: Running, status: "True", reason: Successful}]}}`, "", "", "nothing in its status says otherwise"},
		"[R2] what is not Healthy outweighs Ready":                         {"Widget", `{status: {conditions: [{type: Ready, status: "True"}, {type: Healthy, status: "False"}]}}`, "condition Healthy=False", "", ""},
		"[R5] fewer ready replicas than wanted are not ready":              {"Widget", `{spec: {replicas: 3}, status: {readyReplicas: 1}}`, "status.readyReplicas is 1 of 3", "", ""},
		"[R5] enough are":                                                  {"Widget", `{spec: {replicas: 3}, status: {readyReplicas: 3}}`, "", "", "nothing in its status says otherwise"},
		"[R5] a number that is absent says nothing":                        {"Widget", `{spec: {replicas: 3}, status: {replicas: 3}}`, "", "", "nothing in its status says otherwise"},
		"[R5] old replicas that are kept on purpose do not count":          {"Widget", `{spec: {replicas: 3, updateStrategy: {partition: 2}}, status: {readyReplicas: 3, updatedReplicas: 1}}`, "", "", "nothing in its status says otherwise"},
		"[R5] old replicas otherwise do":                                   {"Widget", `{spec: {replicas: 3}, status: {readyReplicas: 3, updatedReplicas: 1}}`, "status.updatedReplicas is 1 of 3", "", ""},
		"[R5] a share is a number too":                                     {"Widget", `{status: {state: CREATED, tasksReady: 0/1}}`, "status.tasksReady is 0/1", "", ""},
		"[R6] a condition of a part is not ready":                          {"Widget", `{status: {conditions: [{type: Accepted, status: "True"}], listeners: [{name: a, conditions: [{type: Accepted, status: "False", reason: Invalid}]}]}}`, "status.listeners[0]: condition Accepted=False (Invalid)", "", ""},
		"[R6] a phase of a part is not ready":                              {"Widget", `{status: {members: {a: {state: Ready}, b: {state: Failed}}}}`, "status.members.b.state is Failed", "", ""},
		"[R6] the parts of a Ready object are its controller's business":   {"Widget", `{status: {conditions: [{type: Ready, status: "True"}], members: {b: {state: Failed}}}}`, "", "", ""},
		"[R6] earlier parts say nothing":                                   {"Widget", `{status: {phase: Ready, history: [{phase: Failed}], previous: {state: Failed}}}`, "", "", "status.phase is Ready"},
		"[R6] a list of what has failed is not ready":                      {"Widget", `{status: {failedNamespaces: [{namespace: a, reason: taken}]}}`, "status.failedNamespaces is not empty", "", ""},
		"[R6] an empty one is ready":                                       {"Widget", `{status: {failedNamespaces: [], count: 1}}`, "", "", "nothing in its status says otherwise"},
		"[R7] what runs once and has failed fails at once":                 {"WidgetRun", `{status: {phase: Failed, message: exit code 1}}`, "status.phase is Failed: exit code 1", "status.phase is Failed: exit code 1", ""},
		"[R7] and so does one that says so in a condition":                 {"WidgetRun", `{status: {conditions: [{type: Succeeded, status: "False", reason: Failed}]}}`, "condition Succeeded=False (Failed)", "condition Succeeded=False (Failed)", ""},
		"[R7] a step that has failed may be tried again":                   {"WidgetRun", `{status: {conditions: [{type: PodCreated, status: "False", reason: Error}]}}`, "condition PodCreated=False (Error)", "", ""},
		"[R7] what runs once and is running is not ready":                  {"WidgetRun", `{status: {phase: Running}}`, "status.phase is Running", "", ""},
		"[R7] nor is one that has only started":                            {"WidgetRun", `{status: {startTime: "2026-01-01T00:00:00Z"}}`, "it has started and not ended", "", ""},
		"[R7] one that has ended well is ready, whatever stayed undecided": {"WidgetRun", `{status: {phase: Completed, conditions: [{type: RollbackDone, status: Unknown}]}}`, "", "", "status.phase is Completed"},
		"[R7] what is repeated does not run once":                          {"ScaledJob", `{status: {phase: Running}}`, "", "", "status.phase is Running"},
		"[R9] what is Ready by convention is no guess":                     {"Widget", `{status: {conditions: [{type: Ready, status: "True"}]}}`, "", "", ""},
		"[R9] a status of empty fields is none":                            {"Widget", `{status: {conditions: [], uid: ""}}`, "no status yet", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			verdict := judge(t, ready, manifest(t, "acme.io/v1", c.kind, c.object))
			var missing []string
			if c.missing != "" {
				missing = []string{c.missing}
			}
			assert.Equal(t, missing, verdict.Missing)
			assert.Equal(t, c.failed, verdict.Failed)
			assert.Equal(t, c.guessed, verdict.Guessed)
			assert.Equal(t, c.missing == "", verdict.Holds)
			assert.Equal(t, c.failed == "", verdict.Next == "", "who fails says what to do")
		})
	}
	t.Run("[R9] what is not waited for by readiness is no guess", func(t *testing.T) {
		assert.Empty(t, judge(t, Criteria{Field: "status.phase"}, manifest(t, "acme.io/v1", "Widget", `{status: {phase: Running}}`)).Guessed)
	})
}

func TestSuspension(t *testing.T) {
	for name, c := range map[string]struct{ kind, object, failed string }{
		"[R8] an object whose spec says so":                                          {"Widget", `{spec: {suspend: true}, status: {phase: Creating}}`, "it is suspended (spec.suspend), so its controller leaves it alone"},
		"[R8] also one that was Ready":                                               {"Widget", `{spec: {paused: true}, status: {conditions: [{type: Ready, status: "True"}]}}`, "it is suspended (spec.paused), so its controller leaves it alone"},
		"[R8] also one whose status is behind, because its controller does not look": {"Widget", `{spec: {suspend: true}, status: {observedGeneration: 1}}`, "it is suspended (spec.suspend), so its controller leaves it alone"},
		"[R8] also one without a status":                                             {"Widget", `{spec: {suspend: true}}`, "it is suspended (spec.suspend), so its controller leaves it alone"},
		"[R8] one whose annotation says so":                                          {"Widget", `{metadata: {annotations: {acme.io/paused: "true"}}, status: {phase: Ready}}`, "it is suspended (the annotation acme.io/paused), so its controller leaves it alone"},
		"[R8] one whose phase says so":                                               {"Widget", `{status: {phase: Paused}}`, "it is suspended: status.phase is Paused"},
		"[R8] one whose condition says so":                                           {"Widget", `{status: {conditions: [{type: Ready, status: "True"}, {type: Paused, status: "True"}]}}`, "it is suspended: condition Paused=True"},
		"[R8] one whose reconciliation is":                                           {"Widget", `{status: {conditions: [{type: ReconciliationPaused, status: "True"}]}}`, "it is suspended: condition ReconciliationPaused=True"},
		"[R8] one whose reason says so":                                              {"Widget", `{status: {conditions: [{type: Synced, status: "False", reason: ReconcilePaused}]}}`, "it is suspended: condition Synced=False (ReconcilePaused)"},
	} {
		t.Run(name+" is suspended", func(t *testing.T) {
			verdict := judge(t, ready, manifest(t, "acme.io/v1", c.kind, c.object))
			assert.False(t, verdict.Holds)
			assert.True(t, verdict.Suspended)
			assert.Equal(t, c.failed, verdict.Failed)
			assert.Contains(t, verdict.Next, "or wait for something other than `ready`")
		})
	}
	for name, c := range map[string]struct{ apiVersion, kind, object string }{
		"an object that is not":              {"acme.io/v1", "Widget", `{spec: {suspend: false}, status: {phase: Ready, conditions: [{type: Paused, status: "False"}]}}`},
		"an annotation that says no":         {"acme.io/v1", "Widget", `{metadata: {annotations: {acme.io/paused: "false"}}, status: {phase: Ready}}`},
		"a CronJob, which exists":            {"batch/v1", "CronJob", `{spec: {suspend: true}}`},
		"a kind of the library that exists":  {"argoproj.io/v1alpha1", "AnalysisTemplate", `{spec: {suspend: true}}`},
		"a schedule of the library":          {"argoproj.io/v1alpha1", "CronWorkflow", `{spec: {suspend: true}}`},
		"any other schedule":                 {"acme.io/v1", "WidgetSchedule", `{spec: {paused: true}, status: {phase: Paused}}`},
		"a Deployment that was done before":  {"apps/v1", "Deployment", `{spec: {replicas: 0, paused: true}, status: {observedGeneration: 2}}`},
		"a Deployment with its annotation":   {"apps/v1", "Deployment", `{metadata: {annotations: {acme.io/paused: "true"}}, spec: {replicas: 0}, status: {observedGeneration: 2}}`},
		"an object of which a part is":       {"acme.io/v1", "Widget", `{status: {conditions: [{type: Ready, status: "True"}, {type: ScalingPaused, status: "True"}, {type: ScalingActive, status: "False", reason: Paused}]}}`},
		"a phase of the previous generation": {"acme.io/v1", "Widget", `{status: {observedGeneration: 1, phase: Paused}}`},
	} {
		t.Run("[R8] not suspended is "+name, func(t *testing.T) {
			assert.False(t, judge(t, ready, manifest(t, c.apiVersion, c.kind, c.object)).Suspended)
		})
	}
	for name, c := range map[string]struct{ apiVersion, kind, object string }{
		"a kind of the library, although its condition is Ready": {"kustomize.toolkit.fluxcd.io/v1", "Kustomization", `{spec: {suspend: true}, status: {observedGeneration: 1, conditions: [{type: Ready, status: "True"}]}}`},
	} {
		t.Run("[R8] suspended may be "+name, func(t *testing.T) {
			assert.True(t, judge(t, ready, manifest(t, c.apiVersion, c.kind, c.object)).Suspended)
		})
	}
	t.Run("[R8] suspension is no reason for who waits for something else, nor for the user's own rule", func(t *testing.T) {
		suspended := manifest(t, "acme.io/v1", "Widget", `{spec: {suspend: true}, status: {phase: Ready}}`)
		assertVerdict(t, Criteria{Field: "status.phase"}, suspended)
		rules := rulesOf(t, UserRule{Kinds: []string{"Widget.acme.io"}, Expression: "object.status.phase == 'Ready'"})
		assert.True(t, compile(t, ready).By(rules).Judge(&unstructured.Unstructured{Object: suspended}).Holds)
	})
	t.Run("[R8] a paused Deployment and a suspended Job are suspended too", func(t *testing.T) {
		assert.True(t, judge(t, ready, manifest(t, "apps/v1", "Deployment", `{spec: {replicas: 1, paused: true}, status: {observedGeneration: 2}}`)).Suspended)
		assert.True(t, judge(t, ready, manifest(t, "batch/v1", "Job", `{spec: {suspend: true}}`)).Suspended)
	})
}
