package probe_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// listsAndWatches asks how changes are seen.
//
// A bookmark comes two seconds before a watch ends, if something has changed by then that the watch does not see.
func listsAndWatches(p *probe) {
	p.defineGadgets()
	list := func(kind string, parameters ...string) request {
		apiVersion := "v1"
		if kind == "Gadget" {
			apiVersion = "probe.example/v1"
		}
		return request{method: http.MethodGet, path: strings.TrimSuffix(p.path(apiVersion, kind, ""), "/"), query: options(parameters...)}
	}
	only := "fieldSelector=" + url.QueryEscape("metadata.name=one")
	for _, kind := range []struct{ name, manifest string }{{"ConfigMap", configMap}, {"Gadget", gadget}} {
		p.topic("%s", kind.name)
		for _, name := range []string{"one", "two", "three"} {
			p.make(fill(kind.manifest, name, "a"))
		}
		p.items(p.ask("list", list(kind.name)))
		p.items(p.ask("list of one by its name", list(kind.name, only)))
		page := p.ask("list, a page", list(kind.name, "limit=2"))
		p.items(page)
		p.items(p.ask("the next page", list(kind.name, "limit=2", "continue="+url.QueryEscape(page.list(p).GetContinue()))))
		p.ask("a page after one that is none", list(kind.name, "limit=2", "continue=none"))
		p.ask("list by a field that is none", list(kind.name, "fieldSelector=spec.absent%3Da"))
		p.ask("list by a label that is none", list(kind.name, "labelSelector=a%3D%3D%3Db"))
		metadata := list(kind.name, only)
		metadata.accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
		p.show(p.ask("list of metadata alone", metadata), "kind")

		from := "resourceVersion=" + p.send(list(kind.name)).list(p).GetResourceVersion()
		p.make(fill(kind.manifest, "one", "b"))
		p.make(fill(kind.manifest, "two", "b"))
		p.send(p.remove(fill(kind.manifest, "one", ""), ""))
		p.events("watch of one from a list on", list(kind.name, "watch=true", "timeoutSeconds=6", only, from, "allowWatchBookmarks=true"), func() {
			p.make(fill(kind.manifest, "three", "b"))
		})
		p.events("watch from a version that is none", list(kind.name, "watch=true", "timeoutSeconds=1", "resourceVersion=none"), nil)
		p.events("watch that begins with what is there", list(kind.name, "watch=true", "timeoutSeconds=1",
			"sendInitialEvents=true", "resourceVersionMatch=NotOlderThan", "allowWatchBookmarks=true"), nil)
	}
	// Nothing is known of the custom kind before it was defined.
	p.events("watch from a version that is too old", list("Gadget", "watch=true", "timeoutSeconds=1", "resourceVersion=1"), nil)
}

// list is the answer as a list.
func (a answer) list(p *probe) *unstructured.UnstructuredList {
	p.t.Helper()
	var list unstructured.UnstructuredList
	require.NoError(p.t, list.UnmarshalJSON(a.content), "%s", a.content)
	return &list
}

// items writes down the names in a list.
func (p *probe) items(a answer) {
	p.t.Helper()
	var names []string
	for _, item := range a.list(p).Items {
		if item.GetName() != "kube-root-ca.crt" {
			names = append(names, item.GetName())
		}
	}
	p.line("  %s, more: %t", strings.Join(names, " "), a.list(p).GetContinue() != "")
}

// events writes down what a watch sees until a bookmark or its end. meanwhile is done when it has begun.
func (p *probe) events(name string, r request, meanwhile func()) {
	p.t.Helper()
	response, err := p.open(r)
	require.NoError(p.t, err)
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		p.ask(name, r)
		return
	}
	p.line("%s: %d", name, response.StatusCode)
	if meanwhile != nil {
		meanwhile()
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event struct {
			Type   string
			Object unstructured.Unstructured
		}
		require.NoError(p.t, json.Unmarshal(lines.Bytes(), &event))
		switch event.Type {
		case "ERROR":
			var status metav1.Status
			content, err := event.Object.MarshalJSON()
			require.NoError(p.t, err)
			require.NoError(p.t, json.Unmarshal(content, &status))
			p.line("  ERROR %d %s: %s", status.Code, status.Reason, p.normal(status.Message))
		case "BOOKMARK":
			annotations, err := json.Marshal(event.Object.GetAnnotations())
			require.NoError(p.t, err)
			p.line("  BOOKMARK %s, annotations %s", event.Object.GetKind(), annotations)
			return // how many follow is chance
		default:
			p.line("  %s %s %s", event.Type, event.Object.GetKind(), event.Object.GetName())
		}
	}
	require.NoError(p.t, lines.Err())
}

// aggregated is how all kinds are asked for in one request.
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// discovery asks which kinds there are.
func discovery(p *probe) {
	for _, path := range []string{"/api", "/apis"} {
		p.topic("%s", path)
		a := p.ask("everything at once", request{method: http.MethodGet, path: path, accept: aggregated})
		p.line("  %s", a.header.Get("Content-Type"))
		var found struct {
			Items []struct {
				Metadata metav1.ObjectMeta
				Versions []struct {
					Version, Freshness string
					Resources          []struct {
						Resource, Scope string
						ResponseKind    struct{ Kind string }
						Verbs           []string
						Subresources    []struct{ Subresource string }
					}
				}
			}
		}
		require.NoError(p.t, json.Unmarshal(a.content, &found))
		for _, group := range found.Items {
			if strings.HasSuffix(group.Metadata.Name, ".example") {
				continue // depends on which sections came before
			}
			for _, version := range group.Versions {
				p.line("  %s", strings.TrimPrefix(group.Metadata.Name+"/"+version.Version, "/"))
				for _, kind := range version.Resources {
					slices.Sort(kind.Verbs)
					line := fmt.Sprintf("    %s %s %s", kind.ResponseKind.Kind, kind.Scope, strings.Join(kind.Verbs, ","))
					for _, sub := range kind.Subresources {
						line += " /" + sub.Subresource
					}
					p.line("%s", line)
				}
			}
		}
	}
	p.topic("one by one")
	p.ask("a group", request{method: http.MethodGet, path: "/apis/apps/v1"})
	p.ask("a group that is not served", request{method: http.MethodGet, path: "/apis/absent.example/v1"})
	p.ask("a group without its version", request{method: http.MethodGet, path: "/apis/absent.example"})
	p.ask("the version", request{method: http.MethodGet, path: "/version"})
	p.ask("readiness", request{method: http.MethodGet, path: "/readyz"})
}

// defaults asks what the API server writes into an object that says no more than it must.
func defaults(p *probe) {
	const containers = "containers: [{name: main, image: nginx, ports: [{containerPort: 80}], env: [{name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}], " +
		"livenessProbe: {httpGet: {port: 80}}}], volumes: [{name: a, configMap: {name: a}}, {name: b, hostPath: {path: /b}}, {name: c, projected: {sources: []}}]"
	workload := func(kind, spec string) string {
		return fmt.Sprintf("{apiVersion: apps/v1, kind: %s, metadata: {name: one}, spec: {%sselector: {matchLabels: {app: a}}, "+
			"template: {metadata: {labels: {app: a}}, spec: {%s}}}}", kind, spec, containers)
	}
	job := "template: {spec: {restartPolicy: Never, containers: [{name: main, image: nginx}]}}"
	for _, manifest := range []string{
		fill(configMap, "one", "a"),
		"{apiVersion: v1, kind: Secret, metadata: {name: one}, stringData: {a: b}}",
		"{apiVersion: v1, kind: Namespace, metadata: {name: with-defaults}}",
		fill(account, "one", "a"),
		fill(service, "one", "a"),
		"{apiVersion: v1, kind: Service, metadata: {name: outside}, spec: {type: LoadBalancer, allocateLoadBalancerNodePorts: false, ports: [{port: 80}]}}",
		"{apiVersion: v1, kind: Pod, metadata: {name: one}, spec: {" + containers + "}}",
		"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: one}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}",
		"{apiVersion: v1, kind: PersistentVolume, metadata: {name: with-defaults}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /a}}}",
		"{apiVersion: v1, kind: LimitRange, metadata: {name: one}, spec: {limits: [{type: Container, max: {cpu: 1}}]}}",
		workload("Deployment", ""), workload("DaemonSet", ""), workload("ReplicaSet", ""), workload("StatefulSet",
			"volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}], "),
		"{apiVersion: batch/v1, kind: Job, metadata: {name: one}, spec: {" + job + "}}",
		"{apiVersion: batch/v1, kind: CronJob, metadata: {name: one}, spec: {schedule: '0 0 * * *', jobTemplate: {spec: {" + job + "}}}}",
		"{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: one}, spec: {maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: one}}}",
		"{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: one}, spec: {minAvailable: 1, selector: {matchLabels: {app: a}}}}",
		"{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: one}, spec: {podSelector: {}, ingress: [{ports: [{port: 80}]}]}}",
		"{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: one}, spec: {defaultBackend: {service: {name: web, port: {number: 80}}}}}",
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: one}, roleRef: {kind: ClusterRole, name: view}, subjects: [{kind: User, name: a}]}",
		"{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: with-defaults}, provisioner: probe.example/it}",
		"{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: with-defaults}, spec: {}}",
		"{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: with-defaults}, value: 1}",
		"{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: one}, spec: {}}",
		"{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: one}, addressType: IPv4, endpoints: [], ports: [{port: 80}]}",
		"{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: FlowSchema, metadata: {name: with-defaults}, spec: {priorityLevelConfiguration: {name: global-default}}}",
		"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: defaults.probe.example}, spec: {group: probe.example, scope: Cluster, " +
			"names: {kind: Default, plural: defaults}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}",
		"{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: with-defaults}, webhooks: [{name: it.probe.example, " +
			"admissionReviewVersions: [v1], sideEffects: None, clientConfig: {url: 'https://127.0.0.1:1/'}}]}",
	} {
		var sent unstructured.Unstructured
		require.NoError(p.t, yaml.Unmarshal([]byte(manifest), &sent.Object))
		p.topic("%s %s", sent.GetKind(), sent.GetName())
		live := p.ask("dry-run", p.apply(manifest, dryRun)).object(p.t)
		live.SetManagedFields(nil)
		content, err := yaml.Marshal(live.Object)
		require.NoError(p.t, err)
		p.text.WriteString(p.normal(string(content)))
	}
}
