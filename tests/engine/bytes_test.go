package engine_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path"
	"slices"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// traffic are the bytes of properties that travel, by calls: to the provider, and back.
type traffic map[string][2]int

// properties are the bytes of all properties in a message. The rest of it is the engine's.
func properties(message any) (bytes int) {
	m, is := message.(proto.Message)
	if !is {
		return 0
	}
	m.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		if field.Message() != nil && !field.IsList() && !field.IsMap() {
			if of, is := value.Message().Interface().(*structpb.Struct); is {
				bytes += proto.Size(of)
			}
		}
		return true
	})
	return bytes
}

// measured does an operation, and returns what has travelled for resources.
func measured(t *testing.T, s *engine.Stack, kind engine.Kind, options engine.Options) traffic {
	t.Helper()
	var mu sync.Mutex
	found := traffic{}
	s.Intercept(func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		response, err := handle(ctx, request)
		if of, is := request.(interface{ GetUrn() string }); is && of.GetUrn() != "" && resource.URN(of.GetUrn()).Type() == "k8sconnect:index:KubeObject" {
			mu.Lock()
			defer mu.Unlock()
			call := path.Base(info.FullMethod)
			sum := found[call]
			found[call] = [2]int{sum[0] + properties(request), sum[1] + properties(response)}
		}
		return response, err
	})
	defer s.Intercept(nil)
	succeed(t, s, kind, options)
	return found
}

// saved are the bytes of the inputs and outputs of the object in the state.
func saved(t *testing.T, s *engine.Stack) (bytes [2]int) {
	t.Helper()
	content, err := os.ReadFile(s.StateFile("bytes"))
	require.NoError(t, err)
	var state struct {
		Checkpoint struct {
			Latest struct {
				Resources []struct {
					Type    string
					Inputs  map[string]any
					Outputs map[string]any
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(content, &state))
	for _, r := range state.Checkpoint.Latest.Resources {
		if r.Type != "k8sconnect:index:KubeObject" {
			continue
		}
		for i, part := range []map[string]any{r.Inputs, r.Outputs} {
			text, err := json.Marshal(part)
			require.NoError(t, err)
			bytes[i] += len(text)
		}
	}
	return bytes
}

// What an object takes is exact: each byte of the state is written with each checkpoint, and each byte that travels is copied, compared and
// logged by the engine several times. Where a number grows, the growth must be worth it.
func TestWhatAnObjectTakes(t *testing.T) {
	namespace := space(t)
	require.Len(t, namespace, len("test-abcde"))
	configMap := func(value string) map[string]any {
		return map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "it", "namespace": namespace}, "data": map[string]any{"a": value},
		}
	}
	deployment := func(value string) map[string]any {
		return map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "it", "namespace": namespace},
			"spec": map[string]any{
				"replicas": 0, "selector": map[string]any{"matchLabels": map[string]any{"app": "it"}},
				"template": map[string]any{
					"metadata": map[string]any{"labels": map[string]any{"app": "it"}},
					"spec": map[string]any{"containers": []any{map[string]any{
						"name": "web", "image": "web:" + value, "ports": []any{map[string]any{"containerPort": 80}},
						"resources": map[string]any{"requests": map[string]any{"cpu": "100m", "memory": "64Mi"}},
					}}},
				},
			},
		}
	}
	for name, c := range map[string]struct {
		manifest func(value string) map[string]any
		// saved are the bytes in the state, of inputs and of outputs.
		saved [2]int
		want  map[string]traffic
	}{
		"a ConfigMap": {configMap, [2]int{118, 1049}, map[string]traffic{
			"its preview": {"Check": {137, 137}, "Create": {137, 763}},
			"create":      {"Check": {137, 137}, "Create": {137, 1001}},
			"unchanged":   {"Read": {1138, 1138}, "Check": {1275, 137}, "Diff": {2550, 0}},
			"update":      {"Read": {1138, 1138}, "Check": {1275, 137}, "Diff": {2550, 0}, "Update": {1275, 1001}},
			"destroy":     {"Read": {1138, 1138}, "Diff": {1275, 0}, "Delete": {1138, 0}},
		}},
		"a Deployment": {deployment, [2]int{359, 1662}, map[string]traffic{
			"its preview": {"Check": {457, 457}, "Create": {457, 1400}},
			"create":      {"Check": {457, 457}, "Create": {457, 1638}},
			"unchanged":   {"Read": {2095, 2095}, "Check": {2552, 457}, "Diff": {5104, 0}},
			"update":      {"Read": {2095, 2095}, "Check": {2552, 457}, "Diff": {5104, 0}, "Update": {2552, 1638}},
			"destroy":     {"Read": {2095, 2095}, "Diff": {2552, 0}, "Delete": {2095, 0}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s, value := engine.NewStack(t, "dev"), "1"
			require.NoError(t, s.Run("bytes", func(_ plugin.RunInfo, m *deploytest.ResourceMonitor) error {
				inputs := resource.NewPropertyMapFromMap(map[string]any{"manifest": c.manifest(value)})
				_, err := m.RegisterResource("k8sconnect:index:KubeObject", "it", true, deploytest.ResourceOptions{Inputs: inputs})
				return err
			}))
			found := map[string]traffic{"its preview": measured(t, s, engine.Preview, engine.Options{}), "create": measured(t, s, engine.Up, engine.Options{})}
			created := saved(t, s)
			found["unchanged"] = measured(t, s, engine.Preview, engine.Options{ExpectNoChanges: true})
			value = "2"
			found["update"] = measured(t, s, engine.Up, engine.Options{})
			updated := saved(t, s)
			found["destroy"] = measured(t, s, engine.Destroy, engine.Options{})
			assert.Equal(t, c.saved, created, "in the state: inputs, outputs")
			assert.Equal(t, c.saved, updated, "in the state after an update: inputs, outputs")
			for _, operation := range slices.Sorted(maps.Keys(found)) {
				assert.Equal(t, c.want[operation], found[operation], operation)
			}
		})
	}
}
