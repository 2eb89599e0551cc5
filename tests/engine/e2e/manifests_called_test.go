package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// What answers calls of the API server: a Service and the pods behind it, whose kubelet is the test. They need settings which the
// webhook sees, and which can only be applied before it.
const (
	setGuard = `apiVersion: v1
kind: Service
metadata: {name: guard, namespace: SPACE}
spec: {type: ExternalName, externalName: localhost, selector: {app: guard}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: guard, namespace: SPACE}
spec:
  progressDeadlineSeconds: DEADLINE
  selector: {matchLabels: {app: guard}}
  template:
    metadata: {labels: {app: guard, kubelet: test}}
    spec: {containers: [{name: guard, image: "guard:1", envFrom: [{configMapRef: {name: guard}}]}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: guard, namespace: SPACE, labels: {guarded: "yes"}}
`
	setWebhook = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: SPACE}
webhooks:
- name: guard.GROUP
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: 5
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: SPACE}}
  objectSelector: {matchLabels: {guarded: "yes"}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]
  clientConfig: {service: {name: guard, namespace: SPACE, port: PORT}, caBundle: BUNDLE}
`
	setGuarded = `apiVersion: v1
kind: ConfigMap
metadata: {name: guarded, namespace: SPACE, labels: {guarded: "yes"}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: free, namespace: SPACE}
`
	setConverted = `apiVersion: GROUP/v2
kind: Box
metadata: {name: first, namespace: SPACE}
spec: {size: 1}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.GROUP}
spec:
  group: GROUP
  scope: Namespaced
  names: {kind: Box, plural: boxes}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {service: {name: guard, namespace: SPACE, port: PORT}, caBundle: BUNDLE}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`
	setAggregated = `apiVersion: GROUP/v1
kind: Box
metadata: {name: first, namespace: SPACE}
spec: {size: 1}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.GROUP}
spec:
  group: GROUP
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 100
  service: {name: guard, namespace: SPACE, port: PORT}
  caBundle: BUNDLE
`
)

// calledBy is a set whose pods answer calls of the API server.
func calledBy(space, deadline string, b *backend, documents ...string) string {
	return replaceAll(setIn(space, append(documents, setGuard, setNamespace)...), "PORT", b.port, "BUNDLE", b.caBundle, "DEADLINE", deadline)
}

// ready has a pod ready, as its kubelet would.
func (k *kube) ready(t *testing.T, pod string) {
	t.Helper()
	now := time.Now().UTC().Format(time.RFC3339)
	k.status(t, pod, replaceAll(`{status: {phase: Running, startTime: "NOW", conditions: [
		{type: Ready, status: "True", lastTransitionTime: "NOW"}, {type: ContainersReady, status: "True", lastTransitionTime: "NOW"},
		{type: Initialized, status: "True", lastTransitionTime: "NOW"}, {type: PodScheduled, status: "True", lastTransitionTime: "NOW"}],
		containerStatuses: [{name: guard, image: "guard:1", imageID: guard, ready: true, restartCount: 0, state: {running: {startedAt: "NOW"}}}]}}`,
		"NOW", now))
}

// appliedSet is a set whose pods became ready in the middle of its up.
type appliedSet struct {
	*stack
	user  cluster.User
	saved state
}

// comesUp applies a set whose pods are ready only when all of it is there that does not need them. Nothing is refused.
func comesUp(t *testing.T, c *cluster.Cluster, k *kube, space, documents string, b *backend, first []string, meanwhile func(t *testing.T)) appliedSet {
	t.Helper()
	s, user := setOf(t, c, documents)
	applied := recordOf(t, c, user)
	up := s.start(t, "up", "--yes", "--skip-preview")
	pod := k.thePod(t, space, "app=guard")
	for _, id := range first {
		eventually(t, id, func() bool { return k.find(t, id) != nil })
	}
	eventually(t, "the Deployment is waited for", func() bool {
		return len(applied.requests(t, func(r cluster.Request) bool { return r.Verb == "watch" && strings.Contains(r.URI, "deployments") })) > 0
	})
	meanwhile(t)
	assert.Zero(t, b.asked.Load(), "nobody is asked who is not ready")
	b.listens.Store(true)
	k.ready(t, pod)
	r := up.wait(t).succeeded(t)
	assert.NotContains(t, r.out, "warning:")
	assert.Empty(t, applied.refused(t))
	s.previewEmpty(t)
	return appliedSet{s, user, s.export(t)}
}

func TestASetWaitsForItsWebhook(t *testing.T) { // [M7]
	t.Parallel()
	c, space := workloads.Get(t), "webhook-of-set"
	k, b := kubeOf(t, c), newBackend(t, space, allowing())
	webhook := "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration/" + space
	guarded := "v1/ConfigMap/" + space + "/guarded"
	s := comesUp(t, c, k, space, calledBy(space, "600", b, setGuarded, setWebhook), b, []string{"v1/ConfigMap/" + space + "/free"}, func(t *testing.T) {
		k.gone(t, webhook)
		k.gone(t, guarded)
	})
	eventually(t, "the webhook is asked", func() bool { // The API server takes a moment until it knows of a webhook.
		k.merge(t, guarded, "{metadata: {annotations: {seen: again}}}")
		return b.asked.Load() > 0
	})
	name := func(child string) string { return "shop:" + replaceAll(child, "SPACE", space) }
	deployment := name("apps/Deployment.SPACE.guard")
	assert.Equal(t, []string{name("Namespace.SPACE"), name("admissionregistration.k8s.io/ValidatingWebhookConfiguration.SPACE")},
		s.saved.after(t, name("ConfigMap.SPACE.guarded")))
	assert.Equal(t, []string{name("Service.SPACE.guard"), deployment, "wait for " + deployment},
		s.saved.after(t, name("admissionregistration.k8s.io/ValidatingWebhookConfiguration.SPACE")))
	assert.Equal(t, []string{name("Namespace.SPACE")}, s.saved.after(t, name("ConfigMap.SPACE.guard")), "the webhook needs it")

	deleted := recordOf(t, c, s.user)
	s.destroy(t)
	deleted.order(t, "delete", "configmaps/guarded", "validatingwebhookconfigurations/"+space, "deployments/guard", "configmaps/guard")
}

func TestASetGoesOnWithoutAWebhookThatIsNeverReady(t *testing.T) { // [M7]
	t.Parallel()
	c, space := workloads.Get(t), "webhook-never-ready"
	k, b := kubeOf(t, c), newBackend(t, space, allowing())
	b.listens.Store(true) // by whatever is behind its Service, not by the pods of the set
	s, _ := setOf(t, c, calledBy(space, "1", b, setGuarded, setWebhook))
	out := strings.Join(strings.Fields(s.up(t)), " ")
	assert.Contains(t, out, replaceAll("apps/Deployment.SPACE.guard is not ready. admissionregistration.k8s.io/ValidatingWebhookConfiguration.SPACE "+
		"is applied all the same (it answers the webhook guard.SPACE.example.com).", "SPACE", space))
	assert.Contains(t, out, "ProgressDeadlineExceeded")
	k.get(t, "v1/ConfigMap/"+space+"/guarded")
	s.previewEmpty(t)
	s.destroy(t)
	k.gone(t, "v1/Namespace/"+space)
}

func TestTheObjectsOfASetWaitForTheirConversion(t *testing.T) { // [M8]
	t.Parallel()
	c, space := workloads.Get(t), "conversion-of-set"
	k, b := kubeOf(t, c), newBackend(t, space, converting())
	definition := "apiextensions.k8s.io/v1/CustomResourceDefinition/boxes." + space + ".example.com"
	s := comesUp(t, c, k, space, calledBy(space, "600", b, setConverted), b, []string{definition}, func(t *testing.T) {
		eventually(t, "the definition is established", func() bool {
			conditions, _ := k.value(t, definition, "status", "conditions").([]any)
			return slices.ContainsFunc(conditions, func(c any) bool { return at(c, "type") == "Established" && at(c, "status") == "True" })
		})
		assert.Empty(t, k.boxes(t, space))
	})
	assert.Positive(t, b.asked.Load())
	assert.Equal(t, []string{"first"}, k.boxes(t, space))
	name := func(child string) string { return "shop:" + replaceAll(child, "SPACE", space) }
	deployment := name("apps/Deployment.SPACE.guard")
	kind := name("apiextensions.k8s.io/CustomResourceDefinition.boxes.SPACE.example.com")
	assert.Empty(t, s.saved.after(t, kind))
	assert.Equal(t, []string{name("Namespace.SPACE"), name("Service.SPACE.guard"), kind, deployment, "wait for " + kind, "wait for " + deployment},
		s.saved.after(t, name("SPACE.example.com/Box.SPACE.first")))

	deleted := recordOf(t, c, s.user)
	s.destroy(t)
	deleted.order(t, "delete", "boxes/first", "deployments/guard", "namespaces/"+space)
	deleted.order(t, "delete", "boxes/first", "customresourcedefinitions/boxes."+space+".example.com")
}

func TestTheObjectsOfASetWaitForTheServerOfTheirAPI(t *testing.T) { // [M9]
	t.Parallel()
	c, space := workloads.Get(t), "apiservice-of-set"
	k, group := kubeOf(t, c), space+".example.com"
	k.create(t, "apiextensions.k8s.io/v1/CustomResourceDefinition/boxes.kept.example.com", strings.ReplaceAll(setDefinition, "GROUP", "kept.example.com"))
	t.Cleanup(func() { k.remove(t, "apiextensions.k8s.io/v1/CustomResourceDefinition/boxes.kept.example.com") })
	b := newBackend(t, space, aggregated(t, c, group, "kept.example.com"))
	served := "apiregistration.k8s.io/v1/APIService/v1." + group
	s := comesUp(t, c, k, space, calledBy(space, "600", b, setAggregated), b, nil, func(t *testing.T) { k.gone(t, served) })
	assert.Positive(t, b.asked.Load())
	assert.Equal(t, []string{"first"}, k.boxes(t, space))
	name := func(child string) string { return "shop:" + replaceAll(child, "SPACE", space) }
	service := name("apiregistration.k8s.io/APIService.v1.SPACE.example.com")
	deployment := name("apps/Deployment.SPACE.guard")
	assert.Equal(t, []string{name("Service.SPACE.guard"), deployment, "wait for " + deployment}, s.saved.after(t, service))
	assert.Equal(t, []string{name("Namespace.SPACE"), service, "wait for " + service}, s.saved.after(t, name("SPACE.example.com/Box.SPACE.first")))

	deleted := recordOf(t, c, s.user)
	s.destroy(t)
	deleted.order(t, "delete", "boxes/first", "apiservices/v1."+group, "deployments/guard")
}

// boxes are the names of the boxes of a namespace, as the version has them in which they are stored.
func (k *kube) boxes(t *testing.T, space string) (names []string) {
	t.Helper()
	// A mapper would have looked for the kind before it was there.
	boxes := schema.GroupVersionResource{Group: space + ".example.com", Version: "v1", Resource: "boxes"}
	list, err := k.client.Resource(boxes).Namespace(space).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, box := range list.Items {
		names = append(names, box.GetName())
	}
	return names
}
