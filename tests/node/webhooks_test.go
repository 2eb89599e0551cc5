//go:build linux && node

package node

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/cert"
)

// hook is a webhook that runs in the cluster behind a Service, and has to be asked about what is labelled guarded.
const hook = `
resources:
  configuration:
    type: k8sconnect:KubeObject
    properties:
      ignoreFields: [$IGNORE]
      manifest:
        apiVersion: admissionregistration.k8s.io/v1
        kind: ValidatingWebhookConfiguration
        metadata: {name: $NS}
        webhooks:
        - name: rules.$NS.example.com
          admissionReviewVersions: [v1]
          sideEffects: None
          failurePolicy: Fail
          timeoutSeconds: 2
          namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: $NS}}
          objectSelector: {matchLabels: {guarded: "yes"}}
          rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: [pods, $PLURAL], scope: "*"}]
          clientConfig: {service: {name: hook, namespace: $NS}$TRUST}
  service:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: Service
        metadata: {name: hook, namespace: $NS}
        spec: {selector: {app: hook}, ports: [{port: 443, targetPort: 8443}]}
  certificate:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: Secret
        metadata: {name: hook, namespace: $NS}
        type: kubernetes.io/tls
        data: {tls.crt: $CERTIFICATE, tls.key: $KEY}
  server:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: hook, namespace: $NS}
        spec:
          replicas: 1
          selector: {matchLabels: {app: hook}}
          template:
            metadata: {labels: {app: hook}}
            spec:
              terminationGracePeriodSeconds: 1
              volumes: [{name: tls, secret: {secretName: hook}}]
              containers:
              - name: hook
                image: "workload:1"
                args: [webhook]
                env: [{name: REFUSES, value: "$REFUSES"}]
                volumeMounts: [{name: tls, mountPath: /tls}]
                readinessProbe: {tcpSocket: {port: 8443}, periodSeconds: 1}
`

// pair is a certificate with its key in base64.
type pair struct{ certificate, key string }

func newPair(t *testing.T, s *stack) pair {
	t.Helper()
	certificate, key, err := cert.GenerateSelfSignedCertKey("hook."+s.space+".svc", nil, nil)
	require.NoError(t, err)
	return pair{base64.StdEncoding.EncodeToString(certificate), base64.StdEncoding.EncodeToString(key)}
}

// with is the program of the webhook and more, in which $PLURAL is a kind's name in lists that no other test has.
func (p pair) with(s *stack, trusted bool, refuses, more string) string {
	trust, ignore := ", caBundle: "+p.certificate, ""
	if !trusted {
		trust, ignore = "", "'webhooks[*].clientConfig.caBundle'"
	}
	return strings.NewReplacer("$TRUST", trust, "$IGNORE", ignore, "$CERTIFICATE", p.certificate, "$KEY", p.key,
		"$REFUSES", refuses, "$PLURAL", plural(s), "$OPTIONS", "").Replace(hook + more)
}

func plural(s *stack) string { return strings.ReplaceAll(s.space, "-", "") + "s" }

// customKind is a kind that no other test has, and an object of it that the webhook guards.
const customKind = `
  object:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: shop.example.com/v1
        kind: $PLURAL
        metadata: {name: first, namespace: $NS, labels: {guarded: "yes"}}
        spec: {size: $SIZE}
    options: {$OPTIONS}
  definition:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: $PLURAL.shop.example.com}
        spec:
          group: shop.example.com
          names: {kind: $PLURAL, plural: $PLURAL}
          scope: Namespaced
          versions:
          - name: v1
            served: true
            storage: true
            subresources: {status: {}}
            schema: {openAPIV3Schema: {type: object, properties: {
              spec: {type: object, properties: {size: {type: integer}}},
              status: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}
`

func TestPodsThatAWebhookRefuses(t *testing.T) {
	s := newStack(t)
	const words = "rule 17: the image is not signed by <release@example.com>; ask the platform team, channel platform, and name this rule"
	p := newPair(t, s)
	s.program(t, p.with(s, true, words, ""))
	s.up(t)
	// A Service may take a moment to lead to a pod that is ready.
	require.Eventually(t, func() bool {
		out, _ := s.tryKubectl(t, "run", "probe", "--image=workload:1", "--labels=guarded=yes", "--dry-run=server")
		return strings.Contains(out, words)
	}, patience, 200*time.Millisecond)
	s.program(t, p.with(s, true, words, `
  web:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web, namespace: $NS}
        spec:
          selector: {matchLabels: {app: web}}
          template:
            metadata: {labels: {app: web, guarded: "yes"}}
            spec: {containers: [{name: web, image: "workload:1", args: [serve]}]}
  ready:
    type: k8sconnect:Wait
    properties: {resourceRef: "${web.resourceRef}", waitFor: {rollout: true, timeout: 15s}}
`))
	out := s.upFails(t)
	t.Run("the error has the webhook's words, uncut [N5]", func(t *testing.T) { assert.Contains(t, out, words) })
	s.destroy(t)
}

func TestAWebhookAndWhatItGuardsInOneProgram(t *testing.T) {
	s := newStack(t)
	p := newPair(t, s)
	program := func(t *testing.T, size string) {
		t.Helper()
		s.program(t, p.with(s, true, "", strings.ReplaceAll(customKind, "$SIZE", size)))
	}
	size := func(t *testing.T) string {
		t.Helper()
		return s.kubectl(t, "get", plural(s)+".shop.example.com", "first", "--output=jsonpath={.spec.size}")
	}
	step(t, "definition, server, webhook and custom resource need one up, in no order [N6]", func(t *testing.T) {
		program(t, "1")
		s.up(t)
		assert.Equal(t, "1", size(t))
		s.previewEmpty(t)
	})
	step(t, "with the webhook down, the preview of its repair warns and does not fail [N7]", func(t *testing.T) {
		s.kubectl(t, "scale", "deployment", "hook", "--replicas=0")
		s.eventually(t, "", "get", "pods", "--selector=app=hook", "--output=name")
		program(t, "2")
		assert.Contains(t, s.run(t, "preview", "--diff"), "could not be called")
		assert.Equal(t, "1", size(t))
	})
	step(t, "and one up repairs it and changes what it guards [N7]", func(t *testing.T) {
		s.up(t)
		assert.Equal(t, "2", size(t))
		s.previewEmpty(t)
	})
	s.destroy(t)
}

func TestAWebhookThatIsNotTrustedYet(t *testing.T) {
	s := newStack(t)
	p := newPair(t, s)
	s.program(t, p.with(s, false, "", strings.ReplaceAll(customKind, "$SIZE", "1")))
	up := s.start(t, "up", "--yes", "--skip-preview")

	step(t, "up waits while the certificate is not injected [N8]", func(t *testing.T) {
		s.eventually(t, "1", "get", "deployments", "--output=jsonpath={.items[*].status.readyReplicas}")
		up.goesOn(t)
		assert.Empty(t, s.kubectl(t, "get", plural(s)+".shop.example.com", "--output=name"))
	})
	step(t, "and goes on when it is, and leaves what was injected [N8]", func(t *testing.T) {
		s.kubectl(t, "patch", "validatingwebhookconfiguration", s.space, "--type=json",
			`--patch=[{"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": "`+p.certificate+`"}]`)
		up.succeeds(t)
		s.previewEmpty(t)
		assert.Equal(t, p.certificate, s.kubectl(t, "get", "validatingwebhookconfiguration", s.space, "--output=jsonpath={.webhooks[0].clientConfig.caBundle}"))
	})
	s.destroy(t)
}
