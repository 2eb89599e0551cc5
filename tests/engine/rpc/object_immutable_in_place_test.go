package rpc_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func init() {
	for kind, group := range map[string]string{
		"HorizontalPodAutoscaler": "autoscaling/v2/horizontalpodautoscalers", "Ingress": "networking.k8s.io/v1/ingresses",
		"NetworkPolicy": "networking.k8s.io/v1/networkpolicies", "CronJob": "batch/v1/cronjobs", "LimitRange": "/v1/limitranges",
	} {
		parts := strings.Split(group, "/")
		resources[kind] = schema.GroupVersionResource{Group: parts[0], Version: parts[1], Resource: parts[2]}
	}
}

// workloadYAML is a workload of one container, to whose spec, pod and container more is added.
func workloadYAML(kind, spec, pod, container string) string {
	return `
apiVersion: apps/v1
kind: ` + kind + `
metadata: {name: it, namespace: NS}
spec:
  selector: {matchLabels: {app: web}}
  ` + spec + `
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: nginx:1
        ` + container + `
      ` + pod + `
`
}

// inPlace is a change that the API server can make on the object.
type inPlace struct {
	kind, from, to string
	// diff is what the preview shows; empty where it does not matter.
	diff map[string]string
	// live is a place in the live object, and what is there afterwards; nil is nothing.
	at   []string
	want any
}

// leftovers are changes that the API server refuses because of a default that it has given itself.
var leftovers = map[string]inPlace{
	"a Deployment's strategy, from none to Recreate": {
		"Deployment", workloadYAML("Deployment", "", "", ""), workloadYAML("Deployment", "strategy: {type: Recreate}", "", ""),
		map[string]string{"manifest.spec.strategy": "add"}, []string{"spec", "strategy"}, map[string]any{"type": "Recreate"},
	},
	"a Deployment's strategy, from RollingUpdate to Recreate": {
		"Deployment", workloadYAML("Deployment", "strategy: {type: RollingUpdate}", "", ""), workloadYAML("Deployment", "strategy: {type: Recreate}", "", ""),
		map[string]string{"manifest.spec.strategy.type": "update"}, []string{"spec", "strategy"}, map[string]any{"type": "Recreate"},
	},
	"a Deployment's strategy, from an empty one to Recreate": {
		"Deployment", workloadYAML("Deployment", "strategy: {}", "", ""), workloadYAML("Deployment", "strategy: {type: Recreate}", "", ""),
		map[string]string{"manifest.spec.strategy.type": "add"}, []string{"spec", "strategy"}, map[string]any{"type": "Recreate"},
	},
	"a Deployment's strategy, with a part of rollingUpdate of its own": {
		"Deployment", workloadYAML("Deployment", "strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 2}}", "", ""),
		workloadYAML("Deployment", "strategy: {type: Recreate}", "", ""), nil, []string{"spec", "strategy"}, map[string]any{"type": "Recreate"},
	},
	"a volume without a source that gets a secret": {
		"Deployment", workloadYAML("Deployment", "", "volumes: [{name: other, emptyDir: {}}, {name: v}]", ""),
		workloadYAML("Deployment", "", "volumes: [{name: other, emptyDir: {}}, {name: v, secret: {secretName: s}}]", ""),
		map[string]string{"manifest.spec.template.spec.volumes[1].secret": "add"},
		[]string{"spec", "template", "spec", "volumes"}, []any{
			map[string]any{"name": "other", "emptyDir": map[string]any{}},
			map[string]any{"name": "v", "secret": map[string]any{"secretName": "s", "defaultMode": int64(420)}},
		},
	},
	"a StatefulSet's updateStrategy OnDelete": {
		"StatefulSet", workloadYAML("StatefulSet", "serviceName: it", "", ""),
		workloadYAML("StatefulSet", "serviceName: it\n  updateStrategy: {type: OnDelete}", "", ""),
		map[string]string{"manifest.spec.updateStrategy": "add"}, []string{"spec", "updateStrategy"}, map[string]any{"type": "OnDelete"},
	},
	"a StatefulSet's updateStrategy OnDelete, where it was empty": {
		"StatefulSet", workloadYAML("StatefulSet", "serviceName: it\n  updateStrategy: {}", "", ""),
		workloadYAML("StatefulSet", "serviceName: it\n  updateStrategy: {type: OnDelete}", "", ""),
		map[string]string{"manifest.spec.updateStrategy.type": "add"}, []string{"spec", "updateStrategy"}, map[string]any{"type": "OnDelete"},
	},
	"a DaemonSet's updateStrategy OnDelete": {
		"DaemonSet", workloadYAML("DaemonSet", "", "", ""), workloadYAML("DaemonSet", "updateStrategy: {type: OnDelete}", "", ""),
		nil, []string{"spec", "updateStrategy", "type"}, "OnDelete",
	},
}

// inNamespace writes a manifest for the namespace of the world.
func (w world) inNamespace(t testing.TB, yaml string) map[string]any {
	t.Helper()
	return object(t, "%s", strings.ReplaceAll(yaml, "NS", w.namespace))
}

// requireInPlace changes the object, and wants the same one afterwards.
func (c inPlace) requireInPlace(t *testing.T, w world, s *session, more ...map[string]any) {
	t.Helper()
	before := w.get(c.kind, "it")
	after := program(w.inNamespace(t, c.to), append([]map[string]any{atOnce}, more...)...)
	did, outputs, err := s.preview(after)
	require.NoError(t, err)
	require.Equal(t, "update", did)
	diff, err := s.mustRead().diff(after)
	require.NoError(t, err)
	assert.False(t, diff.Replace())
	if c.diff != nil {
		assert.Equal(t, c.diff, kinds(t, diff))
	}
	assert.Equal(t, before, w.get(c.kind, "it"), "a preview writes nothing")

	s.mustUp("update", after)
	live := w.get(c.kind, "it")
	assert.Equal(t, before.GetUID(), live.GetUID())
	if c.at != nil {
		assert.Equal(t, c.want, w.value(c.kind, "it", c.at...))
	}
	assert.Equal(t, plain(resource.NewProperty(outputs["manifest"].ObjectValue())), at(t, s.outputs, "manifest"), "as the preview said")
	s.mustUp("same", after)
}

func TestADefaultThatIsLeftOverIsNoReasonToReplace(t *testing.T) {
	t.Parallel()
	for what, c := range leftovers {
		t.Run(what+": updated in place, and back [D1]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			first := program(w.inNamespace(t, c.from), atOnce)
			s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", first)
			fresh := w.get(c.kind, "it")
			c.requireInPlace(t, w, s)
			if _, err := s.up(first); !assert.NoError(t, err) {
				return
			}
			live := w.get(c.kind, "it")
			assert.Equal(t, fresh.GetUID(), live.GetUID())
			assert.Equal(t, fresh.Object["spec"], live.Object["spec"], "what was dropped is not kept")
			s.mustUp("same", first)
		})
	}
	t.Run("whatever onImmutable and conflictPolicy say [D1]", func(t *testing.T) {
		t.Parallel()
		for _, more := range []map[string]any{onImmutable("replace"), onImmutable("fail"), {"conflictPolicy": "fail"}} {
			w := newWorld(t)
			c := leftovers["a Deployment's strategy, from RollingUpdate to Recreate"]
			s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", program(w.inNamespace(t, c.from), atOnce, more))
			c.requireInPlace(t, w, s, more)
		}
	})
	t.Run("where the default is older than the strategy's type [D1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		c := leftovers["a StatefulSet's updateStrategy OnDelete"]
		typed := strings.ReplaceAll(c.to, "OnDelete", "RollingUpdate")
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", program(w.inNamespace(t, c.from), atOnce)).
			mustUp("update", program(w.inNamespace(t, typed), atOnce))
		c.diff = map[string]string{"manifest.spec.updateStrategy.type": "update"}
		c.requireInPlace(t, w, s)
	})
	t.Run("in few requests, and the preview names what goes [D1]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		c := leftovers["a Deployment's strategy, from RollingUpdate to Recreate"]
		s := start(t, g.connection()).resource(t, "it").mustUp("create", program(w.inNamespace(t, c.from), atOnce)).mustRead()
		asked := g.watchRequests()
		after := program(w.inNamespace(t, c.to), atOnce)
		s.mustDiff(after)
		foreseen := []string{"apply, dry-run", "GET", "json patch, dry-run", "json patch, dry-run"}
		assert.Equal(t, foreseen, asked())
		assert.Contains(t, s.process.log.all(), "also removes spec.strategy.rollingUpdate")
		s.mustUp("update", after)
		assert.Equal(t, append(append([]string{"GET"}, foreseen...),
			"apply by force", "GET", "json patch, dry-run", "json patch, dry-run", "GET", "json patch", "apply by force"), asked())
		s.mustUp("same", after)
	})
	t.Run("but is in the way where another manager owns it by then: explained, not replaced [D1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		c := leftovers["a Deployment's strategy, from RollingUpdate to Recreate"]
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", program(w.inNamespace(t, c.from), atOnce))
		w.patch("Deployment", "it", m{"spec": m{"strategy": m{"rollingUpdate": m{"maxSurge": 3}}}})
		w.requireContradiction(t, s, "Deployment", program(w.inNamespace(t, c.to), atOnce),
			"spec.strategy.rollingUpdate (owned by intern)")
		assert.EqualValues(t, 3, w.value("Deployment", "it", "spec", "strategy", "rollingUpdate", "maxSurge"))
	})
	t.Run("but is in the way where it is a value that another manager has chosen and released: explained, not removed [D1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		c := leftovers["a Deployment's strategy, from RollingUpdate to Recreate"]
		chosen := strings.ReplaceAll(c.from, "{type: RollingUpdate}", "{type: RollingUpdate, rollingUpdate: {maxSurge: 3}}")
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", program(w.inNamespace(t, chosen), atOnce)).
			mustUp("update", program(w.inNamespace(t, chosen), atOnce, ignoring("spec.strategy.rollingUpdate")))
		w.requireContradiction(t, s, "Deployment", program(w.inNamespace(t, c.to), atOnce, ignoring("spec.strategy.rollingUpdate")),
			"spec.strategy.rollingUpdate (which ignoreFields leaves to others)")
		w.requireContradiction(t, s, "Deployment", program(w.inNamespace(t, c.to), atOnce), "spec.strategy.rollingUpdate (")
		assert.EqualValues(t, 3, w.value("Deployment", "it", "spec", "strategy", "rollingUpdate", "maxSurge"))
	})
	t.Run("and where the reply to the apply is lost, the next update ends it in place [D1]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		c := leftovers["a Deployment's strategy, from RollingUpdate to Recreate"]
		s := start(t, g.connection()).resource(t, "it").mustUp("create", program(w.inNamespace(t, c.from), atOnce)).mustRead()
		uid := w.get("Deployment", "it").GetUID()
		after := program(w.inNamespace(t, c.to), atOnce)
		g.next(isRealApply, refuse(422, metav1.StatusReasonInvalid, "once more"))
		_, err := s.up(after)
		require.Error(t, err)
		g.next(isJSONPatch, loseReply) // the claim
		_, err = s.up(after)
		require.Error(t, err)
		s.mustUp("update", after).mustUp("same", after)
		assert.Equal(t, uid, w.get("Deployment", "it").GetUID())
	})
}

// requireContradiction wants a change to be refused with an explanation, and the object to be left alone, whatever
// onImmutable says.
func (w world) requireContradiction(t *testing.T, s *session, kind string, in resource.PropertyMap, says ...string) {
	t.Helper()
	before := w.get(kind, "it")
	for _, policy := range []string{"", "replace", "fail"} {
		kept := s.stored
		if policy != "" {
			in = with(t, in, "onImmutable", policy)
		}
		did, err := s.up(in)
		require.Error(t, err)
		require.Equal(t, "update", did)
		for _, text := range says {
			require.ErrorContains(t, err, text)
		}
		assert.NotContains(t, err.Error(), `set onImmutable to "replace"`)
		assert.Equal(t, 1, strings.Count(err.Error(), "Next: "), err.Error())
		s.stored = kept
	}
	assert.Equal(t, before, w.get(kind, "it"))
}

const scalerYAML = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: it, namespace: NS}
spec:
  maxReplicas: 5
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  `

func serviceYAML(spec string) string {
	return "apiVersion: v1\nkind: Service\nmetadata: {name: it, namespace: NS}\nspec: {ports: [{port: 80}], selector: {app: web}, " + spec + "}\n"
}

func ingressYAML(spec string) string {
	return "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: it, namespace: NS}\nspec: " + spec + "\n"
}

func budgetYAML(spec string) string {
	return "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: it, namespace: NS}\nspec: {selector: {matchLabels: {app: web}}, " + spec + "}\n"
}

func jobYAML(spec string) string {
	return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: it, namespace: NS}\nspec:\n  " + spec +
		"\n  template: {spec: {restartPolicy: Never, containers: [{name: web, image: \"nginx:1\"}]}}\n"
}

func policyYAML(spec string) string {
	return "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: it, namespace: NS}\nspec: " + spec + "\n"
}

func container(text string) string { return workloadYAML("Deployment", "", "", text) }
func pod(text string) string       { return workloadYAML("Deployment", "", text, "") }

// everyday are changes that the API server makes in place, most of them from one member of a union to another.
var everyday = map[string]inPlace{
	"a Service from ClusterIP to NodePort":     {kind: "Service", from: serviceYAML("type: ClusterIP"), to: serviceYAML("type: NodePort")},
	"a Service from NodePort to ClusterIP":     {kind: "Service", from: serviceYAML("type: NodePort"), to: serviceYAML("type: ClusterIP")},
	"a Service from LoadBalancer to ClusterIP": {kind: "Service", from: serviceYAML("type: LoadBalancer"), to: serviceYAML("type: ClusterIP")},
	"a Service from ClusterIP to ExternalName": {kind: "Service", from: serviceYAML("type: ClusterIP"), to: serviceYAML("type: ExternalName, externalName: a.example")},
	"a Service with a local traffic policy, to ClusterIP": {
		kind: "Service", from: serviceYAML("type: LoadBalancer, externalTrafficPolicy: Local"), to: serviceYAML("type: ClusterIP"),
	},
	"a Service's session affinity": {kind: "Service", from: serviceYAML("sessionAffinity: ClientIP"), to: serviceYAML("sessionAffinity: None")},
	"a probe from httpGet to tcpSocket": {
		kind: "Deployment", from: container("livenessProbe: {httpGet: {path: /, port: 80}}"), to: container("livenessProbe: {tcpSocket: {port: 80}}"),
	},
	"a probe from exec to grpc": {
		kind: "Deployment", from: container("readinessProbe: {exec: {command: [x]}}"), to: container("readinessProbe: {grpc: {port: 80}}"),
	},
	"a variable from value to valueFrom": {
		kind: "Deployment", from: container("env: [{name: A, value: x}]"), to: container("env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]"),
	},
	"a variable from valueFrom to value": {
		kind: "Deployment", from: container("env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]"), to: container("env: [{name: A, value: x}]"),
	},
	"a variable from one source to another": {
		kind: "Deployment", from: container("env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]"),
		to: container("env: [{name: A, valueFrom: {configMapKeyRef: {name: s, key: k}}}]"),
	},
	"a volume from emptyDir to configMap": {
		kind: "Deployment", from: pod("volumes: [{name: v, emptyDir: {}}]"), to: pod("volumes: [{name: v, configMap: {name: c}}]"),
	},
	"a volume from configMap to secret": {
		kind: "Deployment", from: pod("volumes: [{name: v, configMap: {name: c}}]"), to: pod("volumes: [{name: v, secret: {secretName: c}}]"),
	},
	"a volume from hostPath to projected": {
		kind: "Deployment", from: pod("volumes: [{name: v, hostPath: {path: /x}}]"),
		to: pod("volumes: [{name: v, projected: {sources: [{configMap: {name: c}}]}}]"),
	},
	"a container's lifecycle": {
		kind: "Deployment", from: container("lifecycle: {preStop: {exec: {command: [x]}}}"), to: container("lifecycle: {preStop: {httpGet: {port: 80}}}"),
	},
	"limits below the requests of before": {
		kind: "Deployment", from: container("resources: {limits: {cpu: 2}, requests: {cpu: 2}}"), to: container("resources: {limits: {cpu: 1}}"),
	},
	"a pod's security context": {
		kind: "Deployment", from: pod("securityContext: {runAsUser: 1}"), to: pod("securityContext: {runAsNonRoot: true}"),
	},
	"an init container that is put first": {
		kind: "Deployment", from: pod("initContainers: [{name: b, image: x}]"), to: pod("initContainers: [{name: a, image: x}, {name: b, image: x}]"),
	},
	"an autoscaler's metric from utilization to value": {
		kind: "HorizontalPodAutoscaler",
		from: scalerYAML + "metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]",
		to:   scalerYAML + "metrics: [{type: Resource, resource: {name: cpu, target: {type: AverageValue, averageValue: 1}}}]",
	},
	"an autoscaler's metric to another type": {
		kind: "HorizontalPodAutoscaler", from: scalerYAML + "minReplicas: 2",
		to: scalerYAML + "metrics: [{type: Pods, pods: {metric: {name: q}, target: {type: AverageValue, averageValue: 1}}}]",
	},
	"a budget from minAvailable to maxUnavailable": {
		kind: "PodDisruptionBudget", from: budgetYAML("minAvailable: 1"), to: budgetYAML("maxUnavailable: 1"),
	},
	"an ingress from a backend to rules": {
		kind: "Ingress", from: ingressYAML("{defaultBackend: {service: {name: a, port: {number: 80}}}}"),
		to: ingressYAML("{rules: [{http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: a, port: {name: http}}}}]}}]}"),
	},
	"an ingress from a service to a resource": {
		kind: "Ingress", from: ingressYAML("{defaultBackend: {service: {name: a, port: {number: 80}}}}"),
		to: ingressYAML("{defaultBackend: {resource: {apiGroup: example.org, kind: Bucket, name: b}}}"),
	},
	"a Job's parallelism and deadline": {
		kind: "Job", from: jobYAML("parallelism: 1"), to: jobYAML("parallelism: 2\n  activeDeadlineSeconds: 60"),
	},
	"a Job that is suspended": {kind: "Job", from: jobYAML("suspend: false"), to: jobYAML("suspend: true")},
	"a network policy's peers": {
		kind: "NetworkPolicy", from: policyYAML("{podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}"),
		to: policyYAML("{podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 10.0.0.0/8}}]}]}"),
	},
	"a CronJob's schedule and job": {
		kind: "CronJob",
		from: "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: it, namespace: NS}\nspec: {schedule: \"* * * * *\", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: web, image: x}]}}}}}\n",
		to:   "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: it, namespace: NS}\nspec: {schedule: \"1 * * * *\", timeZone: Etc/UTC, jobTemplate: {spec: {template: {spec: {restartPolicy: OnFailure, containers: [{name: web, image: z}]}}}}}\n",
	},
}

func TestAnEverydayChangeIsMadeInPlace(t *testing.T) {
	t.Parallel()
	for what, c := range everyday {
		t.Run(what+" [D1]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", program(w.inNamespace(t, c.from), atOnce))
			uid := w.get(c.kind, "it").GetUID()
			after := program(w.inNamespace(t, c.to), atOnce)
			s.mustUp("update", after).mustUp("same", after)
			assert.Equal(t, uid, w.get(c.kind, "it").GetUID())
		})
	}
}
