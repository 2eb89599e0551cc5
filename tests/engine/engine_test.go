package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/display"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

var shared = cluster.Shared{Options: cluster.Options{ControllerManager: true}}

func TestMain(m *testing.M) {
	engine.ServeChild()
	keeper, err := cli.VaultURL()
	if err == nil {
		err = os.Setenv("VAULT_SERVER_URL", keeper)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(shared.Run(m))
}

// space is a namespace of the test, and connects the provider of this process.
func space(t *testing.T) string {
	t.Helper()
	t.Setenv("KUBECONFIG", shared.Get(t).KubeconfigFile())
	return shared.Get(t).Namespace(t)
}

// value is that of the key a of a ConfigMap, or "gone".
func value(t *testing.T, namespace, name string) string {
	t.Helper()
	live, err := shared.Get(t).Client().CoreV1().ConfigMaps(namespace).Get(t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "gone"
	}
	require.NoError(t, err)
	return live.Data["a"]
}

// object registers a ConfigMap {a: value}.
func object(m *deploytest.ResourceMonitor, namespace, name, value string) error {
	_, err := m.RegisterResource("k8sconnect:index:KubeObject", name, true, deploytest.ResourceOptions{Inputs: resource.NewPropertyMapFromMap(map[string]any{
		"manifest": map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name, "namespace": namespace},
			"data": map[string]any{"a": value},
		},
	})})
	return err
}

func succeed(t *testing.T, s *engine.Stack, kind engine.Kind, options engine.Options) engine.Result {
	t.Helper()
	came := s.Do(t.Context(), kind, options)
	require.NoError(t, came.Err, came.Output)
	return came
}

func TestOperationsOfAProgramInGo(t *testing.T) {
	namespace, want := space(t), "1"
	s := engine.NewStack(t, "dev")
	require.NoError(t, s.Run("go", func(_ plugin.RunInfo, m *deploytest.ResourceMonitor) error { return object(m, namespace, "it", want) }))

	assert.Contains(t, succeed(t, s, engine.Preview, engine.Options{Diff: true}).Output, `a: "1"`)
	assert.Equal(t, "gone", value(t, namespace, "it"))
	succeed(t, s, engine.Up, engine.Options{})
	assert.Equal(t, "1", value(t, namespace, "it"))
	succeed(t, s, engine.Up, engine.Options{ExpectNoChanges: true})
	want = "2"
	assert.Contains(t, s.Do(t.Context(), engine.Preview, engine.Options{ExpectNoChanges: true}).Output, "error: no changes were expected")
	succeed(t, s, engine.Up, engine.Options{PreviewFirst: true})
	succeed(t, s, engine.Refresh, engine.Options{ExpectNoChanges: true})
	assert.Equal(t, "2", value(t, namespace, "it"))
	succeed(t, s, engine.Destroy, engine.Options{})
	assert.Equal(t, "gone", value(t, namespace, "it"))
}

func TestOperationsOfAProgramInYAML(t *testing.T) {
	namespace := space(t)
	program := func(name string) string {
		return fmt.Sprintf(`
name: %s
runtime: yaml
resources:
  it:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: %[1]s, namespace: %s}, data: {a: "1"}}}
  set:
    type: k8sconnect:Manifests
    properties:
      content:
        fn::readFile: set.yaml
`, name, namespace)
	}
	for project, prepare := range map[string]func(*engine.Stack){
		"in-process": func(*engine.Stack) {},
		"apart":      func(s *engine.Stack) { s.Environment = map[string]string{} },
		"plugin": func(s *engine.Stack) {
			tools, err := cli.Prepare(t.TempDir(), map[string]string{"k8sconnect": cli.Module})
			require.NoError(t, err)
			s.Plugin = filepath.Join(tools.Plugins, "pulumi-resource-k8sconnect")
		},
	} {
		t.Run(project, func(t *testing.T) {
			s := engine.NewStack(t, "dev")
			prepare(s)
			require.NoError(t, s.WriteProject(program(project)))
			set := fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s-set, namespace: %s}, data: {a: '2'}}", project, namespace)
			require.NoError(t, os.WriteFile(filepath.Join(s.Dir, "set.yaml"), []byte(set), 0o600))
			succeed(t, s, engine.Up, engine.Options{})
			assert.Equal(t, "1", value(t, namespace, project))
			assert.Equal(t, "2", value(t, namespace, project+"-set"), "an object of a component, read from a file of the project")
			succeed(t, s, engine.Up, engine.Options{ExpectNoChanges: true})
			succeed(t, s, engine.Destroy, engine.Options{})
			assert.Equal(t, "gone", value(t, namespace, project+"-set"))
		})
	}
	t.Run("a mistake is said as the CLI says it", func(t *testing.T) {
		s := engine.NewStack(t, "dev")
		require.NoError(t, s.WriteProject("name: wrong\nruntime: yaml\nresources: {it: {type: k8sconnect:KubeObject, properties: {manifesto: {}}}}\n"))
		came := s.Do(t.Context(), engine.Up, engine.Options{})
		require.Error(t, came.Err)
		assert.Contains(t, came.Output, "manifesto")
	})
}

// stops has an operation wait in the Create of one of two objects, and calls act then.
func stops(t *testing.T, s *engine.Stack, namespace string, act func(*engine.Operation)) engine.Result {
	t.Helper()
	reached, goOn := make(chan struct{}), make(chan struct{})
	require.NoError(t, s.Run("stops", func(_ plugin.RunInfo, m *deploytest.ResourceMonitor) error {
		if err := object(m, namespace, "first", "1"); err != nil {
			return err
		}
		return object(m, namespace, "second", "1")
	}))
	creates := 0
	s.Intercept(func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		if info.FullMethod == "/pulumirpc.ResourceProvider/Create" {
			if creates++; creates == 2 {
				close(reached)
				<-goOn
			}
		}
		return handle(ctx, request)
	})
	running := s.Start(t.Context(), engine.Up, engine.Options{})
	select {
	case <-reached:
	case <-running.Done():
		t.Fatal(running.Printed())
	case <-time.After(time.Minute):
		t.Fatal("no second Create")
	}
	act(running)
	close(goOn)
	s.Intercept(nil)
	return running.Wait()
}

func TestOperationsThatAreCancelledSaveWhatTheyDid(t *testing.T) {
	namespace := space(t)
	s := engine.NewStack(t, "dev")
	came := stops(t, s, namespace, (*engine.Operation).Cancel)
	require.Error(t, came.Err)
	succeed(t, s, engine.Up, engine.Options{})
	assert.Equal(t, "1", value(t, namespace, "second"))
	succeed(t, s, engine.Destroy, engine.Options{})
	assert.Equal(t, "gone", value(t, namespace, "first"))
}

func TestOperationsThatAreKilledLeaveTheLockAndTheStateOfThatMoment(t *testing.T) {
	namespace := space(t)
	s := engine.NewStack(t, "dev")
	came := stops(t, s, namespace, (*engine.Operation).Kill)
	require.ErrorIs(t, came.Err, engine.ErrKilled)
	assert.Equal(t, "1", value(t, namespace, "first"))
	locked := s.Do(t.Context(), engine.Up, engine.Options{})
	require.Error(t, locked.Err)
	assert.Contains(t, locked.Output, "locked")
	require.NoError(t, s.Unlock(t.Context()))
	succeed(t, s, engine.Up, engine.Options{})
	assert.Equal(t, "1", value(t, namespace, "second"))
	succeed(t, s, engine.Destroy, engine.Options{})
	assert.Equal(t, "gone", value(t, namespace, "second"))
}

func TestOperationsInMemory(t *testing.T) {
	namespace, want := space(t), "1"
	m := &engine.Memory{Project: "memory", Name: "dev", Program: func(_ plugin.RunInfo, m *deploytest.ResourceMonitor) error {
		return object(m, namespace, "it", want)
	}}
	const urn = "urn:pulumi:dev::memory::k8sconnect:index:KubeObject::it"
	for _, c := range []struct {
		kind  engine.Kind
		want  string
		steps []display.StepOp
		live  string
	}{
		{engine.Preview, "1", []display.StepOp{"create"}, "gone"},
		{engine.Up, "1", []display.StepOp{"create"}, "1"},
		{engine.Up, "2", []display.StepOp{"refresh", "update"}, "2"},
		{engine.Refresh, "2", []display.StepOp{"same"}, "2"},
		{engine.Destroy, "2", []display.StepOp{"refresh", "delete"}, "gone"},
	} {
		want = c.want
		steps, err := m.Do(t.Context(), c.kind, engine.Options{})
		require.NoError(t, err)
		assert.Equal(t, c.steps, steps[urn], c.kind)
		assert.Equal(t, c.live, value(t, namespace, "it"))
	}
	want = "1"
	_, err := m.Do(t.Context(), engine.Import, engine.Options{})
	require.ErrorContains(t, err, "has none")
}
