package kinds

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// IsDefault reports whether the value at a place in a live object is what the API server sets there by default. A place
// consists of map keys (string) and list positions (int). A value that a user has chosen may be the default too; an
// object without it gets the same one. Defaults that cannot be told from a choice (an object's replicas) are not known
// here, nor are those of custom kinds, which their definitions state.
func IsDefault(kind schema.GroupKind, object map[string]any, place []any) bool {
	v, around := valueAt(object, place)
	names := namesOf(place)
	if kind == Namespace && slices.Equal(names, []string{"metadata", "labels", corev1.LabelMetadataName}) {
		name, _ := valueAt(object, []any{"metadata", "name"})
		return v == name
	}
	if defaults, known := defaultsByKind[kind][strings.Join(names, ".")]; known {
		return isSame(v, defaults)
	}
	if template, ok := PodTemplate(kind); ok {
		template = append(template, "spec")
		if len(names) > len(template) && slices.Equal(names[:len(template)], template) {
			return isDefaultOfPod(names[len(template):], v, around)
		}
	}
	if kind == Service && slices.Equal(names, []string{"spec", "ports", "targetPort"}) {
		return v == around["port"]
	}
	return false
}

// isDefaultOfPod is [IsDefault] below the spec of a pod. around has the value and what is beside it.
func isDefaultOfPod(names []string, v any, around map[string]any) bool {
	text := strings.Join(names, ".")
	if text == "serviceAccount" {
		return v == around["serviceAccountName"]
	}
	if defaults, known := defaultsOfPod[text]; known {
		return isSame(v, defaults)
	}
	if names[0] != "containers" && names[0] != "initContainers" {
		return false
	}
	text = strings.Join(names[1:], ".")
	if image, ok := around["image"].(string); ok && text == "imagePullPolicy" {
		return v == pullPolicyOf(image)
	}
	defaults, known := defaultsOfContainer[text]
	return known && isSame(v, defaults)
}

// pullPolicyOf is the imagePullPolicy of a container that sets none.
func pullPolicyOf(image string) string {
	name, _, pinned := strings.Cut(image, "@")
	_, tag, tagged := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":")
	if tag == "latest" || !tagged && !pinned {
		return string(corev1.PullAlways)
	}
	return string(corev1.PullIfNotPresent)
}

var (
	rollingUpdate = map[string]any{
		"spec.strategy.type":                         "RollingUpdate",
		"spec.strategy.rollingUpdate.maxSurge":       "25%",
		"spec.strategy.rollingUpdate.maxUnavailable": "25%",
		"spec.progressDeadlineSeconds":               int64(600),
		"spec.revisionHistoryLimit":                  int64(10),
	}
	job = map[string]any{
		"backoffLimit": int64(6), "completionMode": "NonIndexed", "suspend": false, "manualSelector": false,
		"podReplacementPolicy": "TerminatingOrFailed",
	}

	defaultsByKind = map[schema.GroupKind]map[string]any{
		Deployment: rollingUpdate,
		StatefulSet: {
			"spec.podManagementPolicy":                              "OrderedReady",
			"spec.revisionHistoryLimit":                             int64(10),
			"spec.updateStrategy.type":                              "RollingUpdate",
			"spec.updateStrategy.rollingUpdate.partition":           int64(0),
			"spec.persistentVolumeClaimRetentionPolicy.whenDeleted": "Retain",
			"spec.persistentVolumeClaimRetentionPolicy.whenScaled":  "Retain",
		},
		DaemonSet: {
			"spec.revisionHistoryLimit":                        int64(10),
			"spec.updateStrategy.type":                         "RollingUpdate",
			"spec.updateStrategy.rollingUpdate.maxSurge":       int64(0),
			"spec.updateStrategy.rollingUpdate.maxUnavailable": int64(1),
		},
		Job: below("spec.", job),
		CronJob: merged(below("spec.jobTemplate.spec.", job), map[string]any{
			"spec.concurrencyPolicy": "Allow", "spec.suspend": false,
			"spec.successfulJobsHistoryLimit": int64(3), "spec.failedJobsHistoryLimit": int64(1),
		}),
		Service: {
			"spec.type": "ClusterIP", "spec.sessionAffinity": "None", "spec.ports.protocol": "TCP",
			"spec.internalTrafficPolicy": "Cluster", "spec.externalTrafficPolicy": "Cluster",
			"spec.allocateLoadBalancerNodePorts":                 true,
			"spec.sessionAffinityConfig.clientIP.timeoutSeconds": int64(10800),
		},
		PersistentVolumeClaim: {"spec.volumeMode": "Filesystem"},
		PersistentVolume:      {"spec.volumeMode": "Filesystem"},
		Secret:                {"type": "Opaque"},
		Namespace:             {"spec.finalizers": []any{"kubernetes"}},
	}

	defaultsOfPod = map[string]any{
		"dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler", "securityContext": map[string]any{},
		"terminationGracePeriodSeconds": int64(30), "enableServiceLinks": true,
		"volumes.configMap.defaultMode": int64(420), "volumes.secret.defaultMode": int64(420),
		"volumes.projected.defaultMode": int64(420), "volumes.downwardAPI.defaultMode": int64(420), "volumes.hostPath.type": "",
	}

	defaultsOfContainer = merged(map[string]any{
		"terminationMessagePath": corev1.TerminationMessagePathDefault, "terminationMessagePolicy": "File",
		"resources": map[string]any{}, "ports.protocol": "TCP",
	}, probe("livenessProbe."), probe("readinessProbe."), probe("startupProbe."), map[string]any{
		"lifecycle.preStop.httpGet.scheme": "HTTP", "lifecycle.postStart.httpGet.scheme": "HTTP",
	})
)

func probe(prefix string) map[string]any {
	return below(prefix, map[string]any{
		"failureThreshold": int64(3), "periodSeconds": int64(10), "successThreshold": int64(1), "timeoutSeconds": int64(1),
		"httpGet.scheme": "HTTP", "grpc.service": "",
	})
}

func below(prefix string, defaults map[string]any) map[string]any {
	moved := map[string]any{}
	for name, v := range defaults {
		moved[prefix+name] = v
	}
	return moved
}

func merged(parts ...map[string]any) map[string]any {
	all := map[string]any{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

// isSame compares with a default: a scalar, a list of scalars, or an empty map.
func isSame(v, defaults any) bool {
	switch defaults := defaults.(type) {
	case map[string]any:
		live, ok := v.(map[string]any)
		return ok && len(live) == 0
	case []any:
		live, ok := v.([]any)
		return ok && slices.Equal(live, defaults)
	}
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return v == defaults
}

// namesOf are the map keys of a place.
func namesOf(place []any) []string {
	var names []string
	for _, segment := range place {
		if name, ok := segment.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// valueAt returns the value at a place, and the innermost map around it.
func valueAt(tree any, place []any) (v any, around map[string]any) {
	for _, segment := range place {
		switch segment := segment.(type) {
		case string:
			around, _ = tree.(map[string]any)
			tree = around[segment]
		case int:
			list, _ := tree.([]any)
			if segment < 0 || segment >= len(list) {
				return nil, nil
			}
			tree = list[segment]
		}
	}
	return tree, around
}
