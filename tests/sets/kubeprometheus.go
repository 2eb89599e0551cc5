package sets

import "fmt"

// The fields of kube-prometheus' own custom resources.
var (
	aText      = Object{"type": "string"}
	aNumber    = Object{"type": "integer", "format": "int32"}
	aMap       = Object{"type": "object", "additionalProperties": aText}
	aSelector  = Object{"type": "object", "properties": Object{"matchLabels": aMap}}
	aTLSConfig = Object{"type": "object", "properties": Object{"insecureSkipVerify": Object{"type": "boolean"}, "serverName": aText}}
	anInstance = Object{
		"replicas": aNumber, "image": aText, "version": aText, "serviceAccountName": aText,
		"resources":      Object{"type": "object", "properties": Object{"requests": aMap, "limits": aMap}},
		"nodeSelectorOf": aMap, "ruleSelector": aSelector, "podMonitorSelector": aSelector, "serviceMonitorSelector": aSelector,
	}
	aMonitor = Object{
		"jobLabel": aText, "selector": aSelector,
		"endpoints": Object{"type": "array", "items": Object{"type": "object", "properties": Object{
			"port": aText, "interval": aText, "scheme": aText, "path": aText, "bearerTokenFile": aText, "tlsConfig": aTLSConfig,
			"metricRelabelings": Object{"type": "array", "items": Object{"type": "object", "properties": Object{
				"action": aText, "regex": aText, "sourceLabels": Object{"type": "array", "items": aText},
			}}},
		}}},
	}
	aRule = Object{"groups": Object{
		"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"name"},
		"items": Object{"type": "object", "required": []any{"name"}, "properties": Object{
			"name": aText, "interval": aText, "rules": Object{"type": "array", "items": Object{
				"type": "object", "properties": Object{
					"alert": aText, "record": aText, "for": aText, "labels": aMap, "annotations": aMap,
					"expr": Object{"anyOf": []any{Object{"type": "integer"}, aText}, "x-kubernetes-int-or-string": true},
				},
			}},
		}},
	}}
)

// KubePrometheus is in the shape of kube-prometheus' folder of manifests: 130 objects, ten definitions, dashboards, and
// custom resources.
func KubePrometheus() Set {
	const group, space = "monitoring.coreos.com", "monitoring"
	of := func(name string) component { return component{"kube-prometheus", space, name} }
	define := func(version, kind, plural string, bytes, depth int, spec Object) definition {
		return definition{group: group, version: version, kind: kind, plural: plural, bytes: bytes, depth: depth, words: 14, spec: spec}
	}
	alertmanagers := define("v1", "Alertmanager", "alertmanagers", 340_000, 13, anInstance)
	prometheuses := define("v1", "Prometheus", "prometheuses", 500_000, 14, anInstance)
	ruleDefinition := define("v1", "PrometheusRule", "prometheusrules", 9_000, 5, aRule)
	monitors := define("v1", "ServiceMonitor", "servicemonitors", 55_000, 9, aMonitor)
	definitions := []definition{
		alertmanagers, prometheuses, ruleDefinition, monitors,
		define("v1alpha1", "AlertmanagerConfig", "alertmanagerconfigs", 300_000, 12, nil),
		define("v1", "PodMonitor", "podmonitors", 50_000, 9, nil),
		define("v1", "Probe", "probes", 45_000, 9, nil),
		define("v1alpha1", "PrometheusAgent", "prometheusagents", 440_000, 14, nil),
		define("v1alpha1", "ScrapeConfig", "scrapeconfigs", 180_000, 10, nil),
		define("v1", "ThanosRuler", "thanosrulers", 320_000, 13, nil),
	}
	var objects []Object
	for _, d := range definitions {
		objects = append(objects, d.object())
	}
	add := func(more ...Object) { objects = append(objects, more...) }
	monitor := func(c component, ports ...string) Object {
		endpoints := make([]any, len(ports))
		for i, port := range ports {
			endpoints[i] = Object{
				"port": port, "interval": "30s", "scheme": "https", "bearerTokenFile": "/var/run/secrets/token",
				"tlsConfig": Object{"insecureSkipVerify": true},
				"metricRelabelings": []any{Object{
					"action": "drop", "regex": "(go|process)_.*_(seconds|bytes)", "sourceLabels": []any{"__name__"},
				}},
			}
		}
		return monitors.resource(space, c.name, c.labels(), Object{
			"jobLabel": "app.kubernetes.io/name", "selector": Object{"matchLabels": c.selector()}, "endpoints": endpoints,
		})
	}
	alerts := func(c component, groups, each int) Object {
		return ruleDefinition.resource(space, c.name+"-rules", c.labels(), Object{"groups": alertGroups(c.name, groups, each)})
	}

	alertmanager, prometheus, operator := of("alertmanager-main"), of("prometheus-k8s"), of("prometheus-operator")
	grafana, adapter := of("grafana"), of("prometheus-adapter")
	blackbox, state, node := of("blackbox-exporter"), of("kube-state-metrics"), of("node-exporter")
	add(alertmanager.serviceAccount(), alertmanager.service(alertmanager.name, 9093, 8080), alertmanager.networkPolicy(9093, 8080),
		alertmanager.disruptionBudget(), monitor(alertmanager, "port-9093", "port-8080"), alerts(alertmanager, 1, 8),
		alertmanager.object("v1", "Secret", "alertmanager-main", Object{"stringData": Object{"alertmanager.yaml": document("alertmanager", 900)}}),
		alertmanagers.resource(space, "main", alertmanager.labels(), instance(alertmanager, 3)))
	for _, c := range []component{blackbox, state, node, operator} {
		kind := "Deployment"
		if c == node {
			kind = "DaemonSet"
		}
		add(c.serviceAccount(), c.service(c.name, 8443), c.networkPolicy(8443), monitor(c, "port-8443"),
			c.workload(kind, 3, 8080, "kube-rbac-proxy"))
		add(c.clusterRole(rules(group, "prometheuses", "alertmanagers", "servicemonitors"))...)
	}
	add(alerts(state, 1, 5), alerts(node, 2, 20), alerts(operator, 1, 8), blackbox.configMap("blackbox-exporter-configuration", 1_500, "config.yml"))
	add(grafana.serviceAccount(), grafana.service(grafana.name, 3000), grafana.networkPolicy(3000), monitor(grafana, "port-3000"),
		grafana.workload("Deployment", 2, 3000), alerts(grafana, 1, 3), grafana.configMap("grafana-dashboards", 300, "dashboards.yaml"),
		grafana.object("v1", "Secret", "grafana-config", Object{"stringData": Object{"grafana.ini": "[date_formats]\ndefault_timezone = UTC\n"}}),
		grafana.object("v1", "Secret", "grafana-datasources", Object{"stringData": Object{"datasources.yaml": document("datasources", 400)}}))
	const dashboards = 36
	for i := range dashboards {
		add(grafana.configMap(fmt.Sprintf("grafana-dashboard-%02d", i), 8_000+i*1_500, fmt.Sprintf("dashboard-%02d.json", i)))
	}
	plane := of("kubernetes")
	add(alerts(of("kube-prometheus"), 2, 4), alerts(plane, 12, 14))
	for _, watched := range []string{"kube-apiserver", "coredns", "kube-controller-manager", "kube-scheduler", "kubelet"} {
		add(monitor(of(watched), "https-metrics", "metrics", "slis"))
	}
	add(prometheus.serviceAccount(), prometheus.service(prometheus.name, 9090, 8080), prometheus.networkPolicy(9090, 8080),
		prometheus.disruptionBudget(), monitor(prometheus, "port-9090", "port-8080"), alerts(prometheus, 1, 26),
		prometheuses.resource(space, "k8s", prometheus.labels(), instance(prometheus, 2)))
	add(prometheus.clusterRole(rules("", "nodes/metrics"))...)
	for _, namespace := range []string{"default", "kube-system", space} {
		add(prometheus.role(namespace, rules("networking.k8s.io", "ingresses"))...)
	}
	add(adapter.serviceAccount(), adapter.service(adapter.name, 443), adapter.networkPolicy(6443), adapter.disruptionBudget(),
		monitor(adapter, "port-443"), adapter.workload("Deployment", 2, 6443), adapter.configMap("adapter-config", 2_000, "config.yaml"),
		adapter.clusterObject("apiregistration.k8s.io/v1", "APIService", "v1beta1.metrics.k8s.io", Object{"spec": Object{
			"group": "metrics.k8s.io", "version": "v1beta1", "groupPriorityMinimum": int64(100), "versionPriority": int64(100),
			"insecureSkipTLSVerify": true, "service": Object{"name": adapter.name, "namespace": space},
		}}))
	add(adapter.clusterRole(rules("metrics.k8s.io", "pods", "nodes"))...)
	add(adapter.role("kube-system", rules("", "configmaps"))...)
	return newSet("kube-prometheus", space, objects)
}

// instance is the spec of a Prometheus or an Alertmanager.
func instance(c component, replicas int64) Object {
	return Object{
		"replicas": replicas, "image": "registry.example.com/" + c.name + ":v3.2.1", "version": "3.2.1", "serviceAccountName": c.name,
		"resources":    Object{"requests": Object{"memory": "400Mi"}, "limits": Object{"memory": "1Gi"}},
		"ruleSelector": Object{}, "podMonitorSelector": Object{}, "serviceMonitorSelector": Object{"matchLabels": Object{"team": "platform"}},
	}
}

// alertGroups are groups of alerts, and of records beside each third of them.
func alertGroups(name string, groups, each int) []any {
	g := newGrower(name, 14)
	list := make([]any, groups)
	for i := range list {
		rules := make([]any, each)
		for j := range rules {
			expr := fmt.Sprintf("sum by (namespace) (rate(%s_%s_total{job=%q}[5m])) > %d", pick(g, nouns), pick(g, nouns), name, j)
			if j%3 == 2 {
				rules[j] = Object{"record": fmt.Sprintf("namespace:%s_%s:rate5m", pick(g, nouns), pick(g, nouns)), "expr": expr}
				continue
			}
			rules[j] = Object{
				"alert": fmt.Sprintf("Alert%d%d", i, j), "expr": expr, "for": "15m", "labels": Object{"severity": "warning"},
				"annotations": Object{
					"summary": g.described(Object{})["description"], "description": g.described(Object{})["description"],
					"runbook_url": "https://runbooks.example.com/" + name,
				},
			}
		}
		list[i] = Object{"name": fmt.Sprintf("%s.rules.%d", name, i), "rules": rules}
	}
	return list
}
