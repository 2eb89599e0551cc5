package e2e

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// answerFor answers a path for the pod of an app, as soon as that has an address. What it returns switches to another
// status.
func answerFor(t *testing.T, c *cluster.Cluster, space, app string, port int, path string) *atomic.Int64 {
	t.Helper()
	status := &atomic.Int64{}
	status.Store(http.StatusOK)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			http.NotFound(rw, r)
			return
		}
		rw.WriteHeader(int(status.Load()))
	}))
	t.Cleanup(server.Close)
	eventually(t, "the pod of "+app+" has an address", func() bool {
		pods, err := c.Client().CoreV1().Pods(space).List(t.Context(), metav1.ListOptions{LabelSelector: "app=" + app})
		if err != nil || len(pods.Items) == 0 || pods.Items[0].Status.PodIP == "" {
			return false
		}
		c.AnswerAt(t, net.JoinHostPort(pods.Items[0].Status.PodIP, strconv.Itoa(port)), server)
		return true
	})
	return status
}

const answeringProgram = `
resources:
  app:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: Pod
        metadata: {name: shop, namespace: %[1]s, labels: {app: shop}}
        spec: {containers: [{name: shop, image: "shop:1", ports: [{containerPort: 8080}]}]}
  service:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: Service
        metadata: {name: shop, namespace: %[1]s}
        spec: {selector: {app: shop}, ports: [{port: 80, targetPort: 8080}]}
  answers:
    type: k8sconnect:Wait
    properties:
      resourceRef: ${service.resourceRef}
      waitFor: {http: {path: /healthz}, timeout: %[2]s}
    options: {dependsOn: ["${app}"]}
  after:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: after, namespace: %[1]s}, data: {a: "1"}}
    options: {dependsOn: ["${answers}"]}
`

func TestAWaitForAnAnswer(t *testing.T) {
	t.Parallel()
	c := workloads.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	s := newStackIn(t, k, c.KubeconfigFile())
	service, after := "v1/Service/"+space+"/shop", "v1/ConfigMap/"+space+"/after"

	step(t, "nobody listens: the update fails, and says what the API server says [R32]", func(t *testing.T) {
		s.program(t, answeringProgram, space, "4s")
		out := s.upFails(t)
		assert.Contains(t, out, "Service "+space+"/shop: timed out after 4s waiting for the answer 2xx to GET /healthz [WaitTimedOut]")
		assert.Contains(t, out, "GET /healthz is not answered: error trying to reach service")
		k.gone(t, after)
		assert.True(t, s.export(t).get(t, "answers").waits())
	})
	uid := k.get(t, service).GetUID()
	status := answerFor(t, c, space, "shop", 8080, "/healthz")
	step(t, "the application is not well: a refresh and a preview say so, and it stays pending [R35]", func(t *testing.T) {
		status.Store(http.StatusServiceUnavailable)
		assert.Contains(t, s.refresh(t), "GET /healthz is answered 503 Service Unavailable; it should be 2xx")
		assert.Contains(t, s.preview(t), "is answered 503 Service Unavailable")
		assert.True(t, s.export(t).get(t, "answers").waits())
	})
	step(t, "the next update goes on in place, until there is an answer [R30]", func(t *testing.T) {
		s.program(t, answeringProgram, space, "1m")
		up := s.start(t, "up", "--yes", "--skip-preview")
		status.Store(http.StatusOK)
		assert.Contains(t, up.wait(t).succeeded(t).out, "+ 1 created")
		assert.NotNil(t, k.find(t, after))
		assert.Equal(t, uid, k.get(t, service).GetUID(), "a Wait never touches the object")
		s.previewEmpty(t)
	})
	step(t, "it is over then: an application that fails later is no drift [R30]", func(t *testing.T) {
		status.Store(http.StatusInternalServerError)
		s.refresh(t)
		s.previewEmpty(t)
	})
	s.destroy(t)
}

func TestMistakesInARequest(t *testing.T) {
	t.Parallel()
	c := workloads.Get(t)
	s := newStackIn(t, kubeOf(t, c), c.KubeconfigFile())
	for _, wrong := range [][2]string{
		{"{port: [80]}", "a number from 1 to 65535, or the name of a port"},
		{"{path: healthz}", "a path such as /healthz"},
		{"{status: [20]}", "an HTTP status from 200 to 599"},
	} {
		s.program(t, `
resources:
  answers:
    type: k8sconnect:Wait
    properties:
      resourceRef: {apiVersion: v1, kind: Service, name: shop}
      waitFor: {http: %s}
`, wrong[0])
		assert.Contains(t, s.previewFails(t), wrong[1])
	}
}
