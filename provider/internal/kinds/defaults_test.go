package kinds_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

func TestIsDefault(t *testing.T) {
	t.Parallel()
	container := func(fields string) string {
		return "{spec: {template: {spec: {containers: [{name: web, " + fields + "}]}}}}"
	}
	inContainer := func(names ...any) []any {
		return append([]any{"spec", "template", "spec", "containers", 0}, names...)
	}
	for _, example := range []struct {
		name   string
		kind   schema.GroupKind
		object string
		place  []any
		is     bool
	}{
		{"the strategy of a Deployment", kinds.Deployment, "{spec: {strategy: {type: RollingUpdate}}}", []any{"spec", "strategy", "type"}, true},
		{"another strategy", kinds.Deployment, "{spec: {strategy: {type: Recreate}}}", []any{"spec", "strategy", "type"}, false},
		{"a number of another kind", kinds.StatefulSet, "{spec: {progressDeadlineSeconds: 600}}", []any{"spec", "progressDeadlineSeconds"}, false},
		{"replicas, which may be a choice", kinds.Deployment, "{spec: {replicas: 1}}", []any{"spec", "replicas"}, false},
		{"in a container", kinds.Deployment, container("terminationMessagePolicy: File"), inContainer("terminationMessagePolicy"), true},
		{"a probe's timeout", kinds.Deployment, container("livenessProbe: {timeoutSeconds: 1}"), inContainer("livenessProbe", "timeoutSeconds"), true},
		{"a longer one", kinds.Deployment, container("livenessProbe: {timeoutSeconds: 2}"), inContainer("livenessProbe", "timeoutSeconds"), false},
		{"no resources", kinds.Deployment, container("resources: {}"), inContainer("resources"), true},
		{"some resources", kinds.Deployment, container("resources: {limits: {cpu: 1}}"), inContainer("resources"), false},
		{"the policy of a tag", kinds.Deployment, container("image: 'r.example:5000/web:1.0', imagePullPolicy: IfNotPresent"), inContainer("imagePullPolicy"), true},
		{"another policy for it", kinds.Deployment, container("image: 'web:1.0', imagePullPolicy: Always"), inContainer("imagePullPolicy"), false},
		{"the policy without a tag", kinds.Deployment, container("image: 'r.example:5000/web', imagePullPolicy: Always"), inContainer("imagePullPolicy"), true},
		{"the policy of latest", kinds.Deployment, container("image: 'web:latest', imagePullPolicy: Always"), inContainer("imagePullPolicy"), true},
		{"the policy of a digest", kinds.Deployment, container("image: 'web@sha256:0', imagePullPolicy: IfNotPresent"), inContainer("imagePullPolicy"), true},
		{"in a Pod", kinds.Pod, "{spec: {dnsPolicy: ClusterFirst}}", []any{"spec", "dnsPolicy"}, true},
		{"in a CronJob's pods", kinds.CronJob, "{spec: {jobTemplate: {spec: {template: {spec: {schedulerName: default-scheduler}}}}}}",
			[]any{"spec", "jobTemplate", "spec", "template", "spec", "schedulerName"}, true},
		{"the old name of the account", kinds.Pod, "{spec: {serviceAccount: a, serviceAccountName: a}}", []any{"spec", "serviceAccount"}, true},
		{"a target port that is the port", kinds.Service, "{spec: {ports: [{port: 80, targetPort: 80}]}}", []any{"spec", "ports", 0, "targetPort"}, true},
		{"another target port", kinds.Service, "{spec: {ports: [{port: 80, targetPort: 8080}]}}", []any{"spec", "ports", 0, "targetPort"}, false},
		{"the label of a Namespace", kinds.Namespace, "{metadata: {name: a, labels: {kubernetes.io/metadata.name: a}}}", []any{"metadata", "labels", "kubernetes.io/metadata.name"}, true},
		{"the same words in a ConfigMap", kinds.ConfigMap, "{data: {type: ClusterIP}}", []any{"data", "type"}, false},
		{"a place that is not there", kinds.Service, "{spec: {}}", []any{"spec", "ports", 3, "protocol"}, false},
	} {
		t.Run(example.name, func(t *testing.T) {
			t.Parallel()
			var object map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(example.object), &object))
			assert.Equal(t, example.is, kinds.IsDefault(example.kind, whole(object).(map[string]any), example.place))
		})
	}
}

// whole has the numbers as a live object has them.
func whole(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = whole(v[name])
		}
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case float64:
		return int64(v)
	}
	return v
}
