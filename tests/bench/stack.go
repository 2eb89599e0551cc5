package main

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/sets"
)

// object is one object of a stack. The one value that an update changes is its generation.
type object struct {
	resource schema.GroupVersionResource
	name     string
	manifest func(namespace, generation string) map[string]any
	// propagation is the provider's default for the kind.
	propagation metav1.DeletionPropagation
	// generation is where the generation is in the object.
	generation []string
}

var (
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
)

// stack is what is created, updated and destroyed.
type stack struct {
	name    string
	objects []object
}

// newStack makes a stack of ConfigMaps of about a kilobyte and of Deployments without pods.
func newStack(name string, maps, workloads int) stack {
	s := stack{name: name}
	for i := range maps {
		s.objects = append(s.objects, configMap(fmt.Sprintf("settings-%04d", i)))
	}
	for i := range workloads {
		s.objects = append(s.objects, deployment(fmt.Sprintf("server-%04d", i)))
	}
	return s
}

// configMap is of about a kilobyte.
func configMap(name string) object {
	return configMapWith(name, strings.Repeat("some.property.of.the.application=a value of some length\n", 15))
}

// smallConfigMap is of three values.
func smallConfigMap(name string) object { return configMapWith(name, "some.property=a value") }

func configMapWith(name, properties string) object {
	manifest := func(namespace, generation string) map[string]any {
		return map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{
				"name": name, "namespace": namespace,
				"labels": map[string]any{"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "bench"},
			},
			"data": map[string]any{"generation": generation, "log.level": "info", "application.properties": properties},
		}
	}
	return object{configMaps, name, manifest, metav1.DeletePropagationBackground, []string{"data", "generation"}}
}

func deployment(name string) object {
	labels := map[string]any{"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "bench"}
	manifest := func(namespace, generation string) map[string]any {
		return map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment",
			"metadata": map[string]any{
				"name": name, "namespace": namespace, "labels": labels,
				"annotations": map[string]any{"generation": generation},
			},
			"spec": map[string]any{
				"replicas": 0,
				"selector": map[string]any{"matchLabels": map[string]any{"app.kubernetes.io/name": name}},
				"template": map[string]any{
					"metadata": map[string]any{"labels": labels},
					"spec": map[string]any{
						"containers": []any{map[string]any{
							"name": "server", "image": "registry.example.com/server:1.2.3",
							"args":  []any{"--listen=:8080", "--config=/etc/server/application.properties"},
							"ports": []any{map[string]any{"name": "http", "containerPort": 8080}},
							"env": []any{
								map[string]any{"name": "LOG_LEVEL", "value": "info"},
								map[string]any{"name": "REGION", "value": "eu-central-1"},
							},
							"resources": map[string]any{
								"requests": map[string]any{"cpu": "100m", "memory": "128Mi"},
								"limits":   map[string]any{"memory": "256Mi"},
							},
							"readinessProbe": map[string]any{"httpGet": map[string]any{"path": "/ready", "port": "http"}},
							"volumeMounts":   []any{map[string]any{"name": "config", "mountPath": "/etc/server"}},
						}},
						"volumes": []any{map[string]any{"name": "config", "configMap": map[string]any{"name": "settings"}}},
					},
				},
			},
		}
	}
	return object{deployments, name, manifest, metav1.DeletePropagationForeground, []string{"metadata", "annotations", "generation"}}
}

// set is the objects of a generation in a namespace that is there already.
func (s stack) set(namespace, generation string) sets.Set {
	set := sets.Set{Name: s.name}
	for _, o := range s.objects {
		set.Objects = append(set.Objects, o.manifest(namespace, generation))
	}
	return set
}
