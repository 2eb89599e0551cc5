package order_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/order"
)

// objects are the documents of a text. Their keys are kind and name, with the namespace unless it is "prod".
func objects(t require.TestingT, text string) []order.Object {
	var found []order.Object
	for document := range strings.SplitSeq(text, "\n---\n") {
		var content map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(document), &content), document)
		if content == nil {
			continue
		}
		found = append(found, order.Object{Key: keyOf(content), Content: content})
	}
	return found
}

func keyOf(content map[string]any) string {
	identity := manifest.IdentityOf(content)
	if identity.Namespace != "" && identity.Namespace != "prod" {
		return identity.Kind + " " + identity.Namespace + "/" + identity.Name
	}
	return identity.Kind + " " + identity.Name
}

// shown are edges, one a line: a < b is "b comes after a", and a! has to be ready.
func shown(edges []order.Edge) []string {
	lines := []string{}
	for _, edge := range edges {
		ready := ""
		if edge.Ready {
			ready = "!"
		}
		lines = append(lines, fmt.Sprintf("%s%s < %s", edge.After, ready, edge.Object))
	}
	slices.Sort(lines)
	return lines
}

const (
	namespace = `{apiVersion: v1, kind: Namespace, metadata: {name: prod}}`
	account   = `{apiVersion: v1, kind: ServiceAccount, metadata: {name: operator, namespace: prod}}`
	widgets   = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}}`
	widget   = `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: prod}}`
	widgeter = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: widgeter}
rules: [{apiGroups: [example.com], resources: [widgets, widgets/status], verbs: [get, update]}]`
	everyone = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: widgeter}
rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]`
	binding = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: binding}
roleRef: {kind: ClusterRole, name: widgeter}
subjects: [{kind: ServiceAccount, namespace: prod, name: operator}]`
	operator = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: operator, namespace: prod}
spec: {template: {metadata: {labels: {app: operator}}, spec: {serviceAccountName: operator}}}`
	service = `
apiVersion: v1
kind: Service
metadata: {name: hooks, namespace: prod}
spec: {selector: {app: operator}}`
	webhook = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hook}
webhooks:
- name: widgets.example.com
  clientConfig: {service: {namespace: prod, name: hooks}}
  rules: [{apiGroups: [example.com], apiVersions: [v1], resources: [widgets], operations: [CREATE]}]`
)

// set joins documents.
func set(documents ...string) string { return strings.Join(documents, "\n---\n") }

func TestEdges(t *testing.T) {
	for _, test := range []struct {
		name  string
		text  string
		edges []string
	}{
		{"objects that say nothing of each other have no order [M12]", set(
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: prod}}`,
			`{apiVersion: v1, kind: Service, metadata: {name: a, namespace: prod}}`,
			`{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: prod}}`,
		), []string{}},
		{"what is in a namespace comes after it", set(account, namespace), []string{"Namespace prod < ServiceAccount operator"}},
		{"a namespace that is not in the set is the cluster's", account, []string{}},
		{"a cluster-scoped object that names a namespace by mistake is not in it", set(namespace, `{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv, namespace: prod}}`), []string{}},
		{"an object of a custom kind comes after its definition, which is served then [M2]", set(widget, widgets),
			[]string{"CustomResourceDefinition widgets.example.com! < Widget w"}},
		{"a binding comes after its role and its accounts", set(binding, widgeter, account),
			[]string{"ClusterRole widgeter < ClusterRoleBinding binding", "ServiceAccount operator < ClusterRoleBinding binding"}},
		{"the account of a RoleBinding is in its namespace unless it says another one [M6]", set(operator, account, widget,
			`{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: widgeter, namespace: prod}, rules: [{apiGroups: [example.com], resources: [widgets], verbs: ["*"]}]}`,
			`{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: binding, namespace: prod}, roleRef: {kind: Role, name: widgeter}, subjects: [{kind: ServiceAccount, name: operator}]}`), []string{
			"Deployment operator < Widget w", "Role widgeter < RoleBinding binding", "RoleBinding binding < Deployment operator",
			"ServiceAccount operator < Deployment operator", "ServiceAccount operator < RoleBinding binding",
		}},
		{"a workload comes after its account, and after the bindings of it", set(operator, binding, account), []string{
			"ClusterRoleBinding binding < Deployment operator", "ServiceAccount operator < ClusterRoleBinding binding", "ServiceAccount operator < Deployment operator",
		}},
		{"a custom resource comes after its operator, which comes after the definition [M6]", set(widget, operator, binding, widgeter, widgets), []string{
			"ClusterRole widgeter < ClusterRoleBinding binding", "ClusterRoleBinding binding < Deployment operator",
			"CustomResourceDefinition widgets.example.com! < Deployment operator", "CustomResourceDefinition widgets.example.com! < Widget w",
			"Deployment operator < Widget w",
		}},
		{"who may write everything outlives custom resources, but does not wait for definitions [M6]", set(widget, operator, binding, everyone, widgets), []string{
			"ClusterRole widgeter < ClusterRoleBinding binding", "ClusterRoleBinding binding < Deployment operator",
			"CustomResourceDefinition widgets.example.com! < Widget w", "Deployment operator < Widget w",
		}},
		{"cluster-admin is known by its name [M6]", set(widget, operator, strings.Replace(binding, "name: widgeter", "name: cluster-admin", 1)), []string{
			"ClusterRoleBinding binding < Deployment operator", "Deployment operator < Widget w",
		}},
		{"so are admin and edit, to which roles of the set add rules [M6]", set(widget, operator, strings.Replace(binding, "name: widgeter", "name: admin", 1),
			strings.Replace(widgeter, "{name: widgeter}", `{name: part, labels: {rbac.authorization.k8s.io/aggregate-to-edit: "true"}}`, 1)), []string{
			"ClusterRoleBinding binding < Deployment operator", "Deployment operator < Widget w",
		}},
		{"an account is in its groups, and is a user [M6]", set(operator,
			strings.NewReplacer("name: binding", "name: user", "kind: ServiceAccount, namespace: prod, name: operator", `kind: User, name: "system:serviceaccount:prod:operator"`).Replace(binding),
			strings.NewReplacer("name: binding", "name: space", "kind: ServiceAccount, namespace: prod, name: operator", `kind: Group, name: "system:serviceaccounts:prod"`).Replace(binding),
			strings.NewReplacer("name: binding", "name: all", "kind: ServiceAccount, namespace: prod, name: operator", `kind: Group, name: "system:serviceaccounts"`).Replace(binding),
			strings.NewReplacer("name: binding", "name: others", "kind: ServiceAccount, namespace: prod, name: operator", `kind: Group, name: "system:serviceaccounts:other"`).Replace(binding)), []string{
			"ClusterRoleBinding all < Deployment operator", "ClusterRoleBinding space < Deployment operator", "ClusterRoleBinding user < Deployment operator",
		}},
		{"who only reads is no operator", set(widget, operator, binding, strings.Replace(widgeter, "[get, update]", "[get, list, watch]", 1)), []string{
			"ClusterRole widgeter < ClusterRoleBinding binding", "ClusterRoleBinding binding < Deployment operator",
		}},
		{"rules that are aggregated count [M6]", set(widget, operator, binding,
			`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: widgeter}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {to: widgeter}}]}}`,
			strings.Replace(widgeter, "{name: widgeter}", "{name: part, labels: {to: widgeter}}", 1)), []string{
			"ClusterRole widgeter < ClusterRoleBinding binding", "ClusterRoleBinding binding < Deployment operator", "Deployment operator < Widget w",
		}},
		{"a webhook comes after the pods that answer it, and what it sees after it [M7]", set(widget, operator, service, webhook), []string{
			"Deployment operator! < ValidatingWebhookConfiguration hook", "Service hooks < ValidatingWebhookConfiguration hook",
			"ValidatingWebhookConfiguration hook < Widget w",
		}},
		{"one that may be ignored is not waited for [M7]", set(widget, operator, service, webhook+"\n  failurePolicy: Ignore"), []string{
			"Deployment operator! < ValidatingWebhookConfiguration hook", "Service hooks < ValidatingWebhookConfiguration hook",
		}},
		{"one that sees what it needs does not see it in time [M7]", set(operator, service, strings.Replace(webhook, "[example.com], apiVersions: [v1], resources: [widgets]", `["*"], resources: ["*"]`, 1)), []string{
			"Deployment operator! < ValidatingWebhookConfiguration hook", "Service hooks < ValidatingWebhookConfiguration hook",
		}},
		{"a selector of objects is evaluated [M7]", set(widget, service, webhook+"\n  objectSelector: {matchLabels: {seen: please}}"),
			[]string{"Service hooks < ValidatingWebhookConfiguration hook"}},
		{"a selector of namespaces, too [M7]", set(widget, service, strings.Replace(namespace, "prod}", "prod, labels: {hooked: never}}", 1),
			webhook+"\n  namespaceSelector: {matchExpressions: [{key: hooked, operator: NotIn, values: [never]}]}"), []string{
			"Namespace prod < Service hooks", "Namespace prod < Widget w", "Service hooks < ValidatingWebhookConfiguration hook",
		}},
		{"a namespace is known by its name [M7]", set(widget, service, webhook+"\n  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: prod}}"), []string{
			"Service hooks < ValidatingWebhookConfiguration hook", "ValidatingWebhookConfiguration hook < Widget w",
		}},
		{"an instance waits for what converts it, the definition does not [M8]", set(widget, operator, service,
			strings.Replace(widgets, "scope:", "conversion: {strategy: Webhook, webhook: {clientConfig: {service: {namespace: prod, name: hooks}}}}, scope:", 1)), []string{
			"CustomResourceDefinition widgets.example.com! < Widget w", "Deployment operator! < Widget w", "Service hooks < Widget w",
		}},
		{"an API comes after the pods that serve it, and its objects after it [M9]", set(widget, operator, service,
			`{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.example.com}, spec: {group: example.com, version: v1, service: {namespace: prod, name: hooks}}}`), []string{
			"APIService v1.example.com! < Widget w", "Deployment operator! < APIService v1.example.com", "Service hooks < APIService v1.example.com",
		}},
		{"an annotation names what has to be ready before [M10]", set(widget,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: prod, annotations: {config.kubernetes.io/depends-on: "example.com/namespaces/prod/Widget/w, /Namespace/prod"}}}`, namespace), []string{
			"Namespace prod < Widget w", "Namespace prod! < ConfigMap c", "Widget w! < ConfigMap c",
		}},
		{"pods come after all that they name [M12]", set(`
apiVersion: batch/v1
kind: CronJob
metadata: {name: job, namespace: prod}
spec:
  jobTemplate:
    spec:
      template:
        spec:
          priorityClassName: high
          imagePullSecrets: [{name: registry}]
          volumes:
          - {name: a, configMap: {name: files}}
          - {name: b, secret: {secretName: keys}}
          - {name: c, persistentVolumeClaim: {claimName: data}}
          - {name: d, projected: {sources: [{secret: {name: projected}}]}}
          initContainers: [{name: i, envFrom: [{configMapRef: {name: settings}}]}]
          containers: [{name: c, env: [{name: P, valueFrom: {secretKeyRef: {name: password, key: p}}}]}]`,
			`{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}}`,
			`{apiVersion: v1, kind: Secret, metadata: {name: registry, namespace: prod}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: files, namespace: prod}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: others, namespace: prod}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: files, namespace: elsewhere}}`,
			`{apiVersion: v1, kind: Secret, metadata: {name: keys, namespace: prod}}`,
			`{apiVersion: v1, kind: Secret, metadata: {name: projected, namespace: prod}}`,
			`{apiVersion: v1, kind: Secret, metadata: {name: password, namespace: prod}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: prod}}`,
			`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: prod}}`), []string{
			"ConfigMap files < CronJob job", "ConfigMap settings < CronJob job", "PersistentVolumeClaim data < CronJob job", "PriorityClass high < CronJob job",
			"Secret keys < CronJob job", "Secret password < CronJob job", "Secret projected < CronJob job", "Secret registry < CronJob job",
		}},
		{"and after what makes a Secret that they name", set(
			`{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: prod}, spec: {imagePullSecrets: [{name: tls}, {name: db}, {name: sealed}]}}`,
			`{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: c, namespace: prod}, spec: {secretName: tls}}`,
			`{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: e, namespace: prod}, spec: {target: {name: db}}}`,
			`{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {name: sealed, namespace: prod}}`), []string{
			"Certificate c < Pod p", "ExternalSecret e < Pod p", "SealedSecret sealed < Pod p",
		}},
		{"a StatefulSet comes after its Service and its storage class", set(
			`{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: prod}, spec: {serviceName: hooks, volumeClaimTemplates: [{spec: {storageClassName: fast}}]}}`,
			service, `{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}}`), []string{"Service hooks < StatefulSet db", "StorageClass fast < StatefulSet db"}},
		{"a claim comes after its volume, which is not deleted before it, whatever the volume is reserved for", set(
			`{apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {claimRef: {apiVersion: v1, kind: PersistentVolumeClaim, namespace: prod, name: c}}}`,
			`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: prod}, spec: {volumeName: v}}`,
			`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: reserved, namespace: prod}}`,
			`{apiVersion: v1, kind: PersistentVolume, metadata: {name: w}, spec: {claimRef: {namespace: prod, name: reserved}}}`), []string{
			"PersistentVolume v < PersistentVolumeClaim c", "PersistentVolume w < PersistentVolumeClaim reserved",
		}},
		{"a claim comes after its storage class and its source", set(
			`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: prod}, spec: {storageClassName: fast, dataSourceRef: {kind: PersistentVolumeClaim, name: data}}}`,
			`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: prod}}`,
			`{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}}`), []string{
			"PersistentVolumeClaim data < PersistentVolumeClaim c", "StorageClass fast < PersistentVolumeClaim c",
		}},
		{"a Secret with the token of an account comes after the account, without which it is deleted", set(account,
			`{apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token, metadata: {name: token, namespace: prod, annotations: {kubernetes.io/service-account.name: operator}}}`,
			`{apiVersion: v1, kind: Secret, type: Opaque, metadata: {name: opaque, namespace: prod, annotations: {kubernetes.io/service-account.name: operator}}}`),
			[]string{"ServiceAccount operator < Secret token"}},
		{"an Ingress comes after its backends, its certificates and its class", set(`
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: prod}
spec:
  ingressClassName: nginx
  tls: [{secretName: tls}]
  rules: [{http: {paths: [{backend: {service: {name: hooks}}}]}}]`, service,
			`{apiVersion: v1, kind: Secret, metadata: {name: tls, namespace: prod}}`,
			`{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: nginx}}`), []string{
			"IngressClass nginx < Ingress web", "Secret tls < Ingress web", "Service hooks < Ingress web",
		}},
		{"an autoscaler comes after what it scales", set(operator,
			`{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h, namespace: prod}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: operator}}}`),
			[]string{"Deployment operator < HorizontalPodAutoscaler h"}},
		{"a disruption budget names nothing", set(operator,
			`{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b, namespace: prod}, spec: {selector: {matchLabels: {app: operator}}}}`), []string{}},
		{"a custom resource comes after what its references name, by kind or by the field's name", set(`
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: prod}
spec:
  issuerRef: {kind: ClusterIssuer, name: ca}
  passwordSecretRef: {name: password, key: p}
  parentRefs: [{group: example.com, kind: Gateway, name: g, namespace: edge}]
  widgetClassName: blue`,
			`{apiVersion: cert-manager.io/v1, kind: ClusterIssuer, metadata: {name: ca, namespace: prod}}`,
			`{apiVersion: v1, kind: Secret, metadata: {name: password, namespace: prod}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: password, namespace: prod}}`,
			`{apiVersion: example.com/v1, kind: Gateway, metadata: {name: g, namespace: edge}}`), []string{
			"ClusterIssuer ca < Widget w", "Gateway edge/g < Widget w", "Secret password < Widget w",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			graph := order.Of(objects(t, test.text))
			assert.Equal(t, test.edges, shown(graph.Edges))
			assert.Empty(t, graph.Dropped)
			assert.Empty(t, graph.Mistakes)
		})
	}
}

func TestInstancesThatAreNotInTheSet(t *testing.T) { // [M6] [M8]
	converted := strings.Replace(widgets, "scope:", "conversion: {strategy: Webhook, webhook: {clientConfig: {service: {namespace: prod, name: hooks}}}}, scope:", 1)
	for _, test := range []struct {
		name, text string
		edges      []string
	}{
		{"they come after what those of the set come after", set(widgets, operator, binding, widgeter, service, webhook), []string{
			"CustomResourceDefinition widgets.example.com! < ", "Deployment operator < ", "ValidatingWebhookConfiguration hook < ",
		}},
		{"and after what converts them", set(converted, operator, service), []string{
			"CustomResourceDefinition widgets.example.com! < ", "Deployment operator! < ", "Service hooks < ",
		}},
		{"a definition alone has no others", widgets, []string{"CustomResourceDefinition widgets.example.com! < "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			graph := order.Of(objects(t, test.text))
			assert.Equal(t, test.edges, shown(graph.Instances["CustomResourceDefinition widgets.example.com"]))
			assert.NotContains(t, graph.Sorted, "")
			for _, edge := range graph.Edges {
				assert.NotEmpty(t, edge.Object)
			}
		})
	}
}

func TestCircles(t *testing.T) { // [M11]
	for _, test := range []struct {
		name, text, dropped string
	}{
		{"an operator that mounts what it makes itself comes after that: the guess gives way", set(
			strings.Replace(operator, "spec: {serviceAccountName: operator}", "spec: {serviceAccountName: operator, volumes: [{name: t, secret: {secretName: tls}}]}", 1),
			strings.Replace(binding, "name: widgeter", "name: cluster-admin", 1),
			`{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: c, namespace: prod}, spec: {secretName: tls}}`),
			"Deployment operator < Certificate c"},
		{"two objects that are to wait for each other do not", set(
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: prod, annotations: {config.kubernetes.io/depends-on: /namespaces/prod/ConfigMap/b}}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: prod, annotations: {config.kubernetes.io/depends-on: /namespaces/prod/ConfigMap/a}}}`),
			"ConfigMap a! < ConfigMap b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			graph := order.Of(objects(t, test.text))
			assert.Equal(t, []string{test.dropped}, shown(graph.Dropped))
		})
	}
}

func TestWhyIsSaid(t *testing.T) {
	graph := order.Of(objects(t, set(widget, operator, binding, widgeter, widgets, account, namespace, service, webhook)))
	var said []string
	for _, edge := range slices.Concat(graph.After("Widget w"), graph.After("Deployment operator")) {
		said = append(said, fmt.Sprintf("%s comes after %s: %s.", edge.Object, edge.After, edge.Because))
	}
	assert.Equal(t, []string{
		"Widget w comes after CustomResourceDefinition widgets.example.com: it defines the kind Widget.",
		"Widget w comes after Deployment operator: its account may write the kind Widget, so it may be the operator.",
		"Widget w comes after Namespace prod: it is the namespace.",
		"Widget w comes after ValidatingWebhookConfiguration hook: its webhook widgets.example.com sees it.",
		"Deployment operator comes after ClusterRoleBinding binding: it gives its pods their permissions.",
		"Deployment operator comes after CustomResourceDefinition widgets.example.com: its account may write the kind Widget, so it may be the operator.",
		"Deployment operator comes after Namespace prod: it is the namespace.",
		"Deployment operator comes after ServiceAccount operator: its pods run as this account.",
	}, said)
}

func TestAnnotationThatCannotBeRead(t *testing.T) { // [M10]
	graph := order.Of(objects(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {config.kubernetes.io/depends-on: Secret/b}}}`))
	require.Len(t, graph.Mistakes, 1)
	assert.Equal(t, "ConfigMap a", graph.Mistakes[0].Key)
	assert.Contains(t, graph.Mistakes[0].Reason, "Secret/b")
}

func TestAnAnnotationNamesWhatTheSetHas(t *testing.T) { // [M10]
	for _, c := range []struct {
		name      string
		reference string
		objects   []string
		found     []string
		absent    []string
	}{
		{"by its namespace", "/namespaces/prod/Secret/b", []string{`{apiVersion: v1, kind: Secret, metadata: {name: b, namespace: prod}}`}, []string{"Secret b! < ConfigMap a"}, nil},
		{"a cluster-scoped custom one whose definition is elsewhere, though a namespace was filled in", "example.com/Issuer/b",
			[]string{`{apiVersion: example.com/v1, kind: Issuer, metadata: {name: b, namespace: prod}}`}, []string{"Issuer b! < ConfigMap a"}, nil},
		{"one whose namespace is not known yet", "/namespaces/prod/Secret/b", []string{`{apiVersion: v1, kind: Secret, metadata: {name: b}}`}, []string{"Secret b! < ConfigMap a"}, nil},
		{"not one in another namespace", "/namespaces/prod/Secret/b", []string{`{apiVersion: v1, kind: Secret, metadata: {name: b, namespace: other}}`}, nil, []string{"/namespaces/prod/Secret/b"}},
		{"not one of another group", "apps/namespaces/prod/Secret/b", []string{`{apiVersion: v1, kind: Secret, metadata: {name: b, namespace: prod}}`}, nil, []string{"apps/namespaces/prod/Secret/b"}},
		{"not a kind that is only defined", "example.com/Widget/b", []string{widgets}, nil, []string{"example.com/Widget/b"}},
		{"not one of two in different namespaces", "/Secret/b", []string{
			`{apiVersion: v1, kind: Secret, metadata: {name: b, namespace: prod}}`, `{apiVersion: v1, kind: Secret, metadata: {name: b, namespace: other}}`}, nil, []string{"/Secret/b"}},
		{"each of a list", "/namespaces/prod/Secret/b, /Namespace/none", []string{`{apiVersion: v1, kind: Secret, metadata: {name: b, namespace: prod}}`},
			[]string{"Secret b! < ConfigMap a"}, []string{"/Namespace/none"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			graph := order.Of(objects(t, set(append([]string{
				`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: prod, annotations: {config.kubernetes.io/depends-on: "` + c.reference + `"}}}`,
			}, c.objects...)...)))
			var found, absent []string
			for _, edge := range graph.Edges {
				found = append(found, edge.After+"! < "+edge.Object)
			}
			for _, missing := range graph.Absent {
				assert.Equal(t, "ConfigMap a", missing.Key)
				absent = append(absent, missing.Reference)
			}
			assert.Equal(t, c.found, found)
			assert.Equal(t, c.absent, absent)
		})
	}
}

// lenient are the documents of a text that can be read.
func lenient(text string) []map[string]any {
	var found []map[string]any
	for document := range strings.SplitSeq(text, "\n---\n") {
		var content map[string]any
		if yaml.Unmarshal([]byte(document), &content) == nil && content != nil {
			found = append(found, content)
		}
	}
	return found
}
