package probe_test

import (
	"fmt"
	"net/http"

	"github.com/stretchr/testify/require"
)

// refusals asks how those refuse who are no part of the API server's own rules: permissions, quotas, policies, webhooks.
func refusals(p *probe) {
	one := fill(configMap, "one", "a")
	p.topic("permissions")
	user, err := p.cluster.AddUser("nobody", "nobodies")
	require.NoError(p.t, err)
	nobody := p.as(user)
	nobody.ask("get", nobody.get(one))
	nobody.ask("apply", nobody.apply(one))
	nobody.ask("apply of a cluster-scoped kind", nobody.apply("{apiVersion: v1, kind: Namespace, metadata: {name: other}}"))
	nobody.ask("create", nobody.post(one))
	nobody.ask("delete", nobody.remove(one, ""))
	nobody.ask("watch", request{method: http.MethodGet, path: nobody.path("v1", "ConfigMap", ""), query: options("watch=true")})
	nobody.ask("a path", request{method: http.MethodGet, path: "/metrics"})
	nobody.ask("a kind that is not served", request{method: http.MethodGet, path: "/apis/absent.example/v1/nothings/one"})
	nobody.ask("more permissions than one has", nobody.post(
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: mine}, rules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]}"))
	user.ClientCertificate, user.ClientKey, user.Token = nil, nil, "expired"
	p.as(user).ask("a token that is none", p.get(one))
	user.Token = ""
	p.as(user).ask("no token", p.get(one))

	p.topic("quotas")
	p.make("{apiVersion: v1, kind: ResourceQuota, metadata: {name: few}, spec: {hard: {count/configmaps: 0, requests.cpu: 1}}, status: {}}")
	p.ask("its status", request{
		path: p.path("v1", "ResourceQuota", "few") + "/status", contentType: mergePatch,
		body: `{"status":{"hard":{"count/configmaps":"0","requests.cpu":"1"},"used":{"count/configmaps":"0","requests.cpu":"0"}}}`,
	})
	p.eventually(func() bool { return p.send(p.apply(one, dryRun)).code == http.StatusForbidden })
	p.ask("more than there may be", p.apply(one))
	p.ask("a pod that does not say how much it wants", p.apply(fill(pod, "silent", "a")))
	p.ask("a pod that wants too much", p.apply(
		"{apiVersion: v1, kind: Pod, metadata: {name: large}, spec: {containers: [{name: main, image: nginx, resources: {requests: {cpu: 2}}}]}}"))

	p.topic("policies")
	p.make(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: probe}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [serviceaccounts]}]}
  validations: [{expression: "!has(object.metadata.labels) || !('a' in object.metadata.labels)", message: no label a}]
`)
	p.make("{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: probe}, " +
		"spec: {policyName: probe, validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: " +
		p.namespace + "}}}}}")
	refused := p.apply(fill(account, "refused", "a"), dryRun)
	p.eventually(func() bool { return p.send(refused).code >= http.StatusBadRequest })
	p.ask("apply", p.apply(fill(account, "refused", "a")))

	p.topic("webhooks that do not answer")
	p.make(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: probe}
webhooks:
- name: silent.probe.example
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {url: "https://127.0.0.1:1/"}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %s}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [services]}]
`, p.namespace)
	unanswered := p.apply(fill(service, "one", "a"), dryRun)
	p.eventually(func() bool { return p.send(unanswered).code >= http.StatusBadRequest })
	p.ask("apply", p.apply(fill(service, "one", "a")))

	p.topic("namespaces that are going")
	p.make("{apiVersion: v1, kind: Namespace, metadata: {name: going}}")
	p.ask("delete", p.remove("{apiVersion: v1, kind: Namespace, metadata: {name: going}}", ""))
	going := *p
	going.namespace = "going"
	p.eventually(func() bool { return p.send(going.apply(one, dryRun)).code == http.StatusForbidden })
	p.ask("apply", going.apply(one))
}

// deprecations asks what the API server warns of.
func deprecations(p *probe) {
	template := func(spec string) string {
		return fmt.Sprintf("{apiVersion: apps/v1, kind: Deployment, metadata: {name: one}, spec: {selector: {matchLabels: {app: a}}, "+
			"template: {metadata: {labels: {app: a}}, spec: {%s}}}}", spec)
	}
	for _, c := range []struct{ name, manifest string }{
		{"a kind", "{apiVersion: v1, kind: Endpoints, metadata: {name: one}}"},
		{"addresses from outside", "{apiVersion: v1, kind: Service, metadata: {name: one}, spec: {externalIPs: [192.0.2.7], ports: [{port: 80}]}}"},
		{"a label of nodes", template("nodeSelector: {beta.kubernetes.io/os: linux}, containers: [{name: main, image: nginx}]")},
		{"an annotation", withMetadata(fill(pod, "one", "a"), "annotations: {container.apparmor.security.beta.kubernetes.io/main: runtime/default}")},
		{"a port twice", template("containers: [{name: main, image: nginx, ports: [{containerPort: 80, hostPort: 80}]}, {name: other, image: nginx, ports: [{containerPort: 80}]}]")},
		{"memory in thousandths", template("containers: [{name: main, image: nginx, resources: {limits: {memory: 100m}}}]")},
		{"a volume of a repository", template("volumes: [{name: a, gitRepo: {repository: 'https://example.org'}}], containers: [{name: main, image: nginx}]")},
		{"a claim's size", "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: one}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1500m}}}}"},
		{"a name that is no DNS label", fill(deployment, "web.example", "1")},
	} {
		p.ask(c.name, p.apply(c.manifest, dryRun))
	}
	p.define(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gizmos.probe.example}
spec:
  group: probe.example
  scope: Namespaced
  names: {kind: Gizmo, plural: gizmos, singular: gizmo, listKind: GizmoList}
  versions:
  - {name: v1, served: true, storage: true, deprecated: true, schema: {openAPIV3Schema: {type: object}}}
`)
	p.eventually(func() bool {
		return p.send(request{method: http.MethodGet, path: p.path("probe.example/v1", "Gizmo", "")}).code == http.StatusOK
	})
	p.ask("a custom kind", p.apply("{apiVersion: probe.example/v1, kind: Gizmo, metadata: {name: one}}", dryRun))
}
