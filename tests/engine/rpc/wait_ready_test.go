package rpc_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const gaugeGroup = "ready.example.org"

func init() {
	resources["Gauge"] = schema.GroupVersionResource{Group: gaugeGroup, Version: "v1", Resource: "gauges"}
	resources["Plate"] = schema.GroupVersionResource{Group: gaugeGroup, Version: "v1", Resource: "plates"}
}

var defineGauges sync.Once

// custom is an object of a custom kind: a Gauge has a status of its own, a Plate has none.
func (w world) custom(t testing.TB, kind string) map[string]any {
	t.Helper()
	defineGauges.Do(func() {
		for _, kind := range []string{"Gauge", "Plate"} {
			definition := definitionOf(t, gaugeGroup, kind, "{type: object}")
			versions := definition["spec"].(m)["versions"].([]any)
			version := versions[0].(m)
			version["schema"] = object(t, "{openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}")
			if kind == "Gauge" {
				version["subresources"] = m{"status": m{}}
			}
			w.define(definition)
		}
	})
	w.served(gaugeGroup, kind)
	return custom(t, gaugeGroup, kind, w.namespace, "{}")
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	of := func(format string) func(t *testing.T, w world) m {
		return func(t *testing.T, w world) m { t.Helper(); return object(t, format, w.namespace) }
	}
	gauge := func(t *testing.T, w world) m { return w.custom(t, "Gauge") }
	const pods = `template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}`
	for what, c := range map[string]struct {
		object func(t *testing.T, w world) m
		// nearly leaves the object as it is not ready yet, for the reason that is missing.
		nearly, missing string
		// come makes it ready.
		come string
	}{
		"a load balancer": {
			of(`{apiVersion: v1, kind: Service, metadata: {name: it, namespace: %s}, spec: {type: LoadBalancer, ports: [{port: 80}]}}`),
			"{loadBalancer: {ingress: []}}", "no address yet", "{loadBalancer: {ingress: [{hostname: a.example}]}}",
		},
		"an Ingress": {
			of(`{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: it, namespace: %s}, spec: {defaultBackend: {service: {name: web, port: {number: 80}}}}}`),
			"{loadBalancer: {ingress: []}}", "no address yet", "{loadBalancer: {ingress: [{ip: 203.0.113.7}]}}",
		},
		"a ReplicaSet": {
			of(`{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: it, namespace: %s}, spec: {replicas: 3, selector: {matchLabels: {app: web}}, ` + pods + `}}`),
			"{observedGeneration: 1, replicas: 3, readyReplicas: 1}", "1/3 replicas ready", "{readyReplicas: 3, availableReplicas: 3}",
		},
		"a ReplicationController": {
			of(`{apiVersion: v1, kind: ReplicationController, metadata: {name: it, namespace: %s}, spec: {replicas: 2, selector: {app: web}, ` + pods + `}}`),
			"{observedGeneration: 1, replicas: 2, readyReplicas: 2, availableReplicas: 1}", "1/2 replicas available", "{availableReplicas: 2}",
		},
		"a Deployment": {
			func(t *testing.T, w world) m { return w.deployment(t, "it") },
			"{observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 1}", "1 of 2 updated replicas are available",
			"{availableReplicas: 2}",
		},
		"a budget": {
			func(t *testing.T, w world) m { return w.budget(t, "it") },
			"{observedGeneration: 1, currentHealthy: 1, desiredHealthy: 2}", "1/2 healthy pods", "{currentHealthy: 2}",
		},
		"a budget that nobody has computed": {
			func(t *testing.T, w world) m { return w.budget(t, "it") },
			"{currentHealthy: 0, desiredHealthy: 0}", "its controller has not written a status yet", "{observedGeneration: 1}",
		},
		"a Pod": {
			of(`{apiVersion: v1, kind: Pod, metadata: {name: it, namespace: %s}, spec: {containers: [{name: c, image: nginx}]}}`),
			`{phase: Running, conditions: [{type: Ready, status: "False", reason: ContainersNotReady}]}`, "condition Ready=False (ContainersNotReady)",
			`{conditions: [{type: Ready, status: "True"}]}`,
		},
		"a Pod that succeeds": {
			of(`{apiVersion: v1, kind: Pod, metadata: {name: it, namespace: %s}, spec: {containers: [{name: c, image: nginx}]}}`),
			"{phase: Pending}", "Pending", "{phase: Succeeded}",
		},
		"a Job": {
			of(`{apiVersion: batch/v1, kind: Job, metadata: {name: it, namespace: %s}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: nginx}]}}}}`),
			`{startTime: "2026-01-01T00:00:00Z", active: 1}`, "not complete: 1 pods active, 0 succeeded, 0 failed",
			`{active: 0, succeeded: 1, completionTime: "2026-01-01T00:01:00Z", conditions: [{type: SuccessCriteriaMet, status: "True"}, {type: Complete, status: "True"}]}`,
		},
		"an autoscaler": {
			of(`{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: it, namespace: %s}, spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}`),
			`{desiredReplicas: 0, conditions: [{type: AbleToScale, status: "False", reason: FailedGetScale}]}`, "condition AbleToScale=False (FailedGetScale)",
			`{conditions: [{type: AbleToScale, status: "True"}]}`,
		},
		"a custom object with Ready": {
			gauge, `{conditions: [{type: Ready, status: "False", reason: Waiting}]}`, "condition Ready=False (Waiting)", `{conditions: [{type: Ready, status: "True"}]}`,
		},
		"a custom object with Available": {
			gauge, `{conditions: [{type: Available, status: "Unknown"}]}`, "condition Available=Unknown", `{conditions: [{type: Available, status: "True"}]}`,
		},
		"a custom object that its controller has not seen as it is": {
			gauge, `{observedGeneration: 0, conditions: [{type: Ready, status: "True"}]}`, "is out of date", `{observedGeneration: 1}`,
		},
		"a custom object that is being reconciled": {
			gauge, `{conditions: [{type: Ready, status: "True"}, {type: Reconciling, status: "True"}]}`, "condition Reconciling=True", `{conditions: [{type: Ready, status: "True"}]}`,
		},
		"a custom object without conditions": {
			gauge, "{}", "no status yet", "{phase: Whatever}",
		},
	} {
		t.Run("of "+what+" [W31]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := start(t, inline(newUser(t)))
			manifest := c.object(t, w)
			w.create(manifest)
			looked, _ := failedWait(t, p.wait(t, "looked"), refTo(manifest), m{"ready": true})
			kind, _ := manifest["kind"].(string)
			report := func(status string) { w.report(kind, "it", withTimes(object(t, "%s", status))) }

			s := p.wait(t, "followed")
			done := w.begin("it", func() error { return s.create(waiting(refTo(manifest), until("ready", true, longTime))) })
			report(c.nearly)
			assert.Contains(t, looks(t, looked), c.missing)
			eventually(t, func() bool {
				return strings.Contains(last(p.log.statuses()), "Waiting: "+c.missing) || c.missing == "is out of date"
			}, "the line beside the resource says it")
			require.Empty(t, done, "it is still being waited for")
			report(c.come)
			require.NoError(t, ended(t, done))
			requireWaited(t, s)
			assert.Nil(t, at(t, s.outputs, "status"), "[W20]")
			assert.Empty(t, looks(t, looked))
			s.mustUp("same", waiting(refTo(manifest), until("ready", true, longTime)))
			assert.Empty(t, p.log.warnings())
		})
	}
	for what, object := range map[string]func(t *testing.T, w world) m{
		"a ConfigMap":                    func(_ *testing.T, w world) m { return w.configMap("it", nil) },
		"a Secret":                       of("{apiVersion: v1, kind: Secret, metadata: {name: it, namespace: %s}}"),
		"a Service":                      of("{apiVersion: v1, kind: Service, metadata: {name: it, namespace: %s}, spec: {ports: [{port: 80}]}}"),
		"a Namespace":                    of("{apiVersion: v1, kind: Namespace, metadata: {name: it-%s}}"),
		"a custom kind without a status": func(t *testing.T, w world) m { return w.custom(t, "Plate") },
	} {
		t.Run("of "+what+", which exists [W31]", func(t *testing.T) {
			t.Parallel()
			w, user := newWorld(t), newUser(t)
			manifest := object(t, w)
			w.create(manifest)
			take := requests(t, user)
			s := start(t, inline(user)).wait(t, "it").mustUp("create", waiting(refTo(manifest), until("ready", true, "20s")))
			requireWaited(t, s)
			for _, request := range take() {
				assert.True(t, strings.HasPrefix(request, "discovery ") || request == "GET" || request == "WATCH" || request == clusterID, request)
			}
		})
	}
}

// withTimes gives conditions the time that some kinds require.
func withTimes(status m) m {
	conditions, _ := status["conditions"].([]any)
	for _, condition := range conditions {
		if condition := condition.(m); condition["lastTransitionTime"] == nil {
			condition["lastTransitionTime"] = "2026-01-01T00:00:00Z"
		}
	}
	return status
}

func TestReadinessOfAnAPI(t *testing.T) {
	t.Parallel()
	t.Run("a definition is ready when it is served [W31]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		definition := definitionOf(t, w.group(), "Widget", sized)
		s := start(t, inline(newUser(t))).wait(t, "it")
		done := make(chan error, 1)
		go func() { done <- s.create(waiting(refTo(definition), until("ready", true, longTime))) }()
		w.define(definition)
		require.NoError(t, ended(t, done))
		_, err := w.client.Resource(customKind(w.group(), "Widget")).List(t.Context(), listAll)
		assert.NoError(t, err)
	})
	t.Run("a definition whose names are taken fails at once [W31]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.define(definitionOf(t, w.group(), "Widget", sized))
		w.served(w.group(), "Widget")
		other := definitionOf(t, w.group(), "Gadget", sized)
		names := other["spec"].(m)["names"].(m)
		names["kind"], names["listKind"] = "Widget", "WidgetList"
		w.define(other)
		s := start(t, inline(newUser(t))).wait(t, "it")
		text := requireWaitPending(t, s, s.create(waiting(refTo(other), until("ready", true, longTime))))
		assert.Contains(t, text, "waiting for readiness: condition NamesAccepted=False")
		assert.Contains(t, text, "Next: choose other names, or delete the definition that has them")
	})
	t.Run("an API is ready when it answers [W31]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		service := object(t, `{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.%[1]s},
			spec: {group: %[1]s, version: v1, groupPriorityMinimum: 100, versionPriority: 10, insecureSkipTLSVerify: true, service: {name: none, namespace: %[2]s}}}`,
			w.group(), w.namespace)
		w.create(service)
		t.Cleanup(func() {
			assert.NoError(t, w.objects("APIService").Delete(context.Background(), name(service), metav1.DeleteOptions{}))
		})
		p := start(t, inline(newUser(t)))
		looked, _ := failedWait(t, p.wait(t, "looked"), refTo(service), m{"ready": true})
		eventually(t, func() bool { return strings.Contains(looks(t, looked), "condition Available=False (ServiceNotFound)") }, "it says what is missing")
		s := p.wait(t, "timed")
		text := requireWaitPending(t, s, s.create(waiting(refTo(service), until("ready", true, shortTime))))
		assert.Contains(t, text, "timed out after 1s waiting for readiness")
		assert.Contains(t, text, "condition Available=False (ServiceNotFound)")

		w.patch("APIService", name(service), m{"spec": m{"service": nil, "insecureSkipTLSVerify": nil}})
		s.mustUp("update", waiting(refTo(service), until("ready", true, longTime)))
		requireWaited(t, s)
	})
}

func TestWhatIsHeldUpFailsAtOnce(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		object     func(w world) m
		report     string
		says, next string
	}{
		"a suspended Job": {
			func(w world) m {
				return object(t, `{apiVersion: batch/v1, kind: Job, metadata: {name: it, namespace: %s},
					spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: c, image: nginx}]}}}}`, w.namespace)
			}, "",
			"waiting for readiness: it is suspended (spec.suspend), so it does not run", "Next: set spec.suspend to false; or wait for `condition: Complete`",
		},
		"a paused Deployment": {
			func(w world) m {
				paused := w.deployment(t, "it")
				paused["spec"].(m)["paused"] = true
				return paused
			}, "{observedGeneration: 1}",
			"waiting for readiness: it is paused (spec.paused), so its rollout does not go on", "Next: set spec.paused to false",
		},
		"a stalled custom object": {
			func(w world) m { return w.custom(t, "Gauge") }, `{conditions: [{type: Stalled, status: "True", reason: InvalidSpec, message: no such size}]}`,
			"waiting for readiness: condition Stalled=True (InvalidSpec): no such size", "Next: correct what the condition says",
		},
		"a claim whose volume is lost": {
			func(w world) m { return w.claim(t) }, "{phase: Lost}",
			"waiting for readiness: its volume is lost", "Next: bring back the data from a backup",
		},
		"a failed Pod": {
			func(w world) m {
				return object(t, `{apiVersion: v1, kind: Pod, metadata: {name: it, namespace: %s}, spec: {containers: [{name: c, image: nginx}]}}`, w.namespace)
			}, "{phase: Failed, reason: Evicted}",
			"waiting for readiness: the pod has failed: Evicted", "delete it with `kubectl delete pod",
		},
	} {
		t.Run(what+" [W31]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			manifest := c.object(w)
			w.create(manifest)
			if c.report != "" {
				kind, _ := manifest["kind"].(string)
				w.report(kind, "it", withTimes(object(t, "%s", c.report)))
			}
			s := start(t, inline(newUser(t))).wait(t, "it")
			text := requireWaitPending(t, s, s.create(waiting(refTo(manifest), until("ready", true, longTime))))
			assert.Contains(t, text, c.says)
			assert.Contains(t, text, c.next)
		})
	}
}

func TestACustomObjectThatNeverGetsAStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gauge := w.custom(t, "Gauge")
	w.create(gauge)
	p := start(t, inline(newUser(t)))
	s := p.wait(t, "timed")
	text := requireWaitPending(t, s, s.create(waiting(refTo(gauge), until("ready", true, "2s"))))
	assert.Contains(t, text, "no status yet", "[W31]")
	assert.Contains(t, text, "does its controller run?")
	assert.Contains(t, looks(t, s), "no status yet", "a refresh does not wait")

	s = p.wait(t, "excused")
	require.NoError(t, s.create(waiting(refTo(gauge), until("ready", true, longTime))))
	requireWaited(t, s)
	assert.Contains(t, s.warned(), "Gauge "+w.namespace+"/it counts as ready although it has no status: nothing has written one within 30s")
	assert.Contains(t, p.log.statuses(), "Waiting: no status yet")
}

func TestAPatchThatWaitsForReadiness(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.deployment(t, "it"))
	w.report("Deployment", "it", m{"observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2})
	in := patching(w.deployment(t, "it"), setting("mergePatch", m{"spec": m{"minReadySeconds": 1}}), m{"waitFor": until("ready", true, shortTime)})
	s := patched(t, w, start(t, inline(newUser(t))), "it")
	text := requirePatchWaits(t, s, s.create(in))
	assert.Contains(t, text, "timed out after 1s waiting for readiness", "[W31]")
	assert.Contains(t, text, "spec update to be observed")
	s.mustRead()
	assert.NotEmpty(t, s.initErrors)
	w.report("Deployment", "it", m{"observedGeneration": 2})
	s.mustUp("same", in)
	requirePatched(t, s)
}
