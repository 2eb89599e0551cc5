package sets

import (
	"fmt"
	"maps"
	"strings"
)

// component is a part of an application, with the objects that it consists of.
type component struct {
	application, namespace, name string
}

func namespaceObject(application, name string) Object {
	return Object{"apiVersion": "v1", "kind": "Namespace", "metadata": Object{
		"name": name, "labels": Object{"app.kubernetes.io/part-of": application},
	}}
}

func (c component) labels() Object {
	return Object{
		"app.kubernetes.io/name": c.name, "app.kubernetes.io/component": c.name,
		"app.kubernetes.io/part-of": c.application, "app.kubernetes.io/version": "3.2.1",
	}
}

func (c component) selector() Object { return Object{"app.kubernetes.io/name": c.name} }

// object is an object of the component in its namespace, with the fields beside the metadata.
func (c component) object(apiVersion, kind, name string, fields Object) Object {
	o := Object{
		"apiVersion": apiVersion, "kind": kind,
		"metadata": Object{"name": name, "namespace": c.namespace, "labels": c.labels()},
	}
	maps.Copy(o, fields)
	return o
}

// clusterObject is one without a namespace.
func (c component) clusterObject(apiVersion, kind, name string, fields Object) Object {
	o := c.object(apiVersion, kind, name, fields)
	delete(o["metadata"].(Object), "namespace")
	return o
}

const rbac = "rbac.authorization.k8s.io/v1"

func (c component) serviceAccount() Object {
	return c.object("v1", "ServiceAccount", c.name, Object{"automountServiceAccountToken": false})
}

// rules are permissions on resources of the core group and of another one.
func rules(group string, resources ...string) []any {
	verbs := []any{"get", "list", "watch", "create", "update", "patch", "delete"}
	return []any{
		Object{"apiGroups": []any{group}, "resources": texts(resources...), "verbs": verbs},
		Object{"apiGroups": []any{""}, "resources": []any{"configmaps", "secrets", "services", "pods"}, "verbs": verbs[:3]},
		Object{"apiGroups": []any{""}, "resources": []any{"events"}, "verbs": []any{"create", "list", "patch"}},
		Object{"nonResourceURLs": []any{"/metrics"}, "verbs": []any{"get"}},
	}
}

// role is a Role and its binding, in a namespace.
func (c component) role(namespace string, rules []any) []Object {
	role := c.object(rbac, "Role", c.name, Object{"rules": rules[:len(rules)-1]})
	binding := c.object(rbac, "RoleBinding", c.name, Object{
		"roleRef": Object{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": c.name}, "subjects": c.subjects(),
	})
	for _, o := range []Object{role, binding} {
		o["metadata"].(Object)["namespace"] = namespace
	}
	return []Object{role, binding}
}

// clusterRole is a ClusterRole and its binding.
func (c component) clusterRole(rules []any) []Object {
	name := c.application + "-" + strings.TrimPrefix(c.name, c.application+"-")
	return []Object{
		c.clusterObject(rbac, "ClusterRole", name, Object{"rules": rules}),
		c.clusterObject(rbac, "ClusterRoleBinding", name, Object{
			"roleRef":  Object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
			"subjects": c.subjects(),
		}),
	}
}

func (c component) subjects() []any {
	return []any{Object{"kind": "ServiceAccount", "name": c.name, "namespace": c.namespace}}
}

func (c component) service(name string, ports ...int64) Object {
	list := make([]any, len(ports))
	for i, port := range ports {
		list[i] = Object{"name": fmt.Sprintf("port-%d", port), "port": port, "targetPort": port, "protocol": "TCP"}
	}
	return c.object("v1", "Service", name, Object{"spec": Object{"ports": list, "selector": c.selector()}})
}

func (c component) networkPolicy(ports ...int64) Object {
	list := make([]any, len(ports))
	for i, port := range ports {
		list[i] = Object{"port": port, "protocol": "TCP"}
	}
	return c.object("networking.k8s.io/v1", "NetworkPolicy", c.name, Object{"spec": Object{
		"podSelector": Object{"matchLabels": c.selector()}, "policyTypes": []any{"Ingress", "Egress"}, "egress": []any{Object{}},
		"ingress": []any{Object{"ports": list, "from": []any{Object{"podSelector": Object{"matchLabels": Object{
			"app.kubernetes.io/part-of": c.application,
		}}}, Object{"namespaceSelector": Object{}}}}},
	}})
}

func (c component) disruptionBudget() Object {
	return c.object("policy/v1", "PodDisruptionBudget", c.name, Object{"spec": Object{
		"maxUnavailable": int64(1), "selector": Object{"matchLabels": c.selector()},
	}})
}

// configMap has texts of about a number of bytes each.
func (c component) configMap(name string, bytes int, keys ...string) Object {
	data := Object{}
	for _, key := range keys {
		data[key] = document(name+"/"+key, bytes)
	}
	return c.object("v1", "ConfigMap", name, Object{"data": data})
}

// workload is a Deployment, StatefulSet or DaemonSet of one container, and one beside it where it says so.
func (c component) workload(kind string, settings int, port int64, sidecars ...string) Object {
	containers := []any{c.container(c.name, settings, port)}
	for i, sidecar := range sidecars {
		containers = append(containers, c.container(sidecar, 2, port+int64(i)+1))
	}
	spec := Object{
		"selector": Object{"matchLabels": c.selector()},
		"template": Object{
			"metadata": Object{"labels": c.labels(), "annotations": Object{"kubectl.kubernetes.io/default-container": c.name}},
			"spec": Object{
				"serviceAccountName": c.name, "automountServiceAccountToken": true,
				"nodeSelector":    Object{"kubernetes.io/os": "linux"},
				"securityContext": Object{"runAsNonRoot": true, "seccompProfile": Object{"type": "RuntimeDefault"}},
				"containers":      containers,
				"volumes": []any{
					Object{"name": "tmp", "emptyDir": Object{}},
					Object{"name": "config", "configMap": Object{"name": c.application + "-config", "optional": true}},
				},
				"affinity": Object{"podAntiAffinity": Object{"preferredDuringSchedulingIgnoredDuringExecution": []any{Object{
					"weight": int64(100), "podAffinityTerm": Object{
						"topologyKey": "kubernetes.io/hostname", "labelSelector": Object{"matchLabels": c.selector()},
					},
				}}}},
			},
		},
	}
	switch kind {
	case "StatefulSet":
		spec["serviceName"], spec["replicas"] = c.name, int64(1)
	case "Deployment":
		spec["replicas"] = int64(1)
	}
	return c.object("apps/v1", kind, c.name, Object{"spec": spec})
}

// container has a number of settings from a ConfigMap that need not be there.
func (c component) container(name string, settings int, port int64) Object {
	env := make([]any, settings)
	for i := range env {
		env[i] = Object{
			"name": fmt.Sprintf("%s_SETTING_%d", strings.ToUpper(strings.ReplaceAll(name, "-", "_")), i),
			"valueFrom": Object{"configMapKeyRef": Object{
				"name": c.application + "-cmd-params", "key": fmt.Sprintf("%s.setting.%d", name, i), "optional": true,
			}},
		}
	}
	return Object{
		"name": name, "image": "registry.example.com/" + c.application + "/" + name + ":v3.2.1", "imagePullPolicy": "IfNotPresent",
		"args": []any{"--config=/etc/" + name + "/config.yaml", fmt.Sprintf("--listen=:%d", port), "--log-level=info"},
		"env":  env, "ports": []any{Object{"containerPort": port, "name": fmt.Sprintf("port-%d", port), "protocol": "TCP"}},
		"livenessProbe":  Object{"httpGet": Object{"path": "/healthz", "port": port}, "initialDelaySeconds": int64(10)},
		"readinessProbe": Object{"httpGet": Object{"path": "/ready", "port": port}, "periodSeconds": int64(10)},
		"resources":      Object{"requests": Object{"cpu": "100m", "memory": "128Mi"}, "limits": Object{"memory": "256Mi"}},
		"securityContext": Object{
			"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "runAsNonRoot": true,
			"capabilities": Object{"drop": []any{"ALL"}},
		},
		"volumeMounts": []any{
			Object{"mountPath": "/tmp", "name": "tmp"}, Object{"mountPath": "/etc/" + name, "name": "config", "readOnly": true},
		},
	}
}

// document is a text of about a number of bytes, like a configuration or a dashboard in JSON.
func document(name string, bytes int) string {
	g := newGrower(name, 12)
	var text strings.Builder
	text.WriteString("{\n")
	for i := 0; text.Len() < bytes; i++ {
		fmt.Fprintf(&text, "  \"%s-%d\": {\"title\": %q, \"id\": %d, \"expr\": \"sum(rate(%s_total{job=\\\"%s\\\"}[5m])) by (%s)\"},\n",
			pick(g, nouns), i, g.described(Object{})["description"], i, pick(g, nouns), pick(g, nouns), pick(g, nouns))
	}
	text.WriteString("  \"version\": 1\n}\n")
	return text.String()
}

func texts(values ...string) []any {
	list := make([]any, len(values))
	for i, value := range values {
		list[i] = value
	}
	return list
}
