// Package concurrency_test calls the plugin's server from many goroutines at once, as Pulumi's engine does with --parallel, against
// a real API server. It is for the race detector: what single calls do, other tests say.
package concurrency_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/provider"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

var shared cluster.Shared

func TestMain(m *testing.M) { os.Exit(shared.Run(m)) }

type m = map[string]any

const (
	objects, workers = 96, 64
	// targets are the objects that all Patches share.
	targets = 12
)

// serving is the plugin's server.
type serving struct {
	pulumirpc.ResourceProviderServer
	namespace  string
	connection m
}

func serve(t *testing.T, namespace string) serving {
	t.Helper()
	connection := m{"kubeconfig": string(shared.Get(t).Kubeconfig())}
	server, err := provider.Server(nil, "{}")
	require.NoError(t, err)
	args, err := message(connection)
	require.NoError(t, err)
	_, err = server.Configure(t.Context(), &pulumirpc.ConfigureRequest{Args: args, AcceptSecrets: true, AcceptResources: true})
	require.NoError(t, err)
	return serving{server, namespace, connection}
}

func message(properties m) (*structpb.Struct, error) {
	return plugin.MarshalProperties(resource.NewPropertyMapFromMap(properties), plugin.MarshalOptions{KeepSecrets: true, KeepUnknowns: true})
}

// managed is a resource of the state.
type managed struct {
	urn, id         string
	inputs, outputs *structpb.Struct
}

func urnOf(kind, name string) string {
	return "urn:pulumi:dev::shop::k8sconnect:index:" + kind + "::" + name
}

// create checks inputs and creates a resource.
func (s serving) create(ctx context.Context, kind, name string, program m) (managed, error) {
	made := managed{urn: urnOf(kind, name)}
	inputs, err := message(program)
	if err != nil {
		return made, err
	}
	checked, err := s.Check(ctx, &pulumirpc.CheckRequest{Urn: made.urn, News: inputs})
	if err != nil || len(checked.GetFailures()) > 0 {
		return made, fmt.Errorf("check of %s: %w %v", name, err, checked.GetFailures())
	}
	made.inputs = checked.GetInputs()
	created, err := s.Create(ctx, &pulumirpc.CreateRequest{Urn: made.urn, Properties: made.inputs})
	if err != nil {
		return made, fmt.Errorf("create of %s: %w", name, err)
	}
	made.id, made.outputs = created.GetId(), created.GetProperties()
	return made, nil
}

// change has a Diff, a preview and an update.
func (s serving) change(ctx context.Context, r managed, program m) (managed, error) {
	inputs, err := message(program)
	if err != nil {
		return r, err
	}
	checked, err := s.Check(ctx, &pulumirpc.CheckRequest{Urn: r.urn, Olds: r.inputs, News: inputs})
	if err != nil || len(checked.GetFailures()) > 0 {
		return r, fmt.Errorf("check of %s: %w %v", r.urn, err, checked.GetFailures())
	}
	diff, err := s.Diff(ctx, &pulumirpc.DiffRequest{Id: r.id, Urn: r.urn, Olds: r.outputs, OldInputs: r.inputs, News: checked.GetInputs()})
	if err != nil || diff.GetChanges() != pulumirpc.DiffResponse_DIFF_SOME || len(diff.GetReplaces()) > 0 {
		return r, fmt.Errorf("diff of %s: %w %v", r.urn, err, diff)
	}
	for _, preview := range []bool{true, false} {
		updated, err := s.Update(ctx, &pulumirpc.UpdateRequest{
			Id: r.id, Urn: r.urn, Olds: r.outputs, OldInputs: r.inputs, News: checked.GetInputs(), Preview: preview,
		})
		if err != nil {
			return r, fmt.Errorf("update of %s (preview: %t): %w", r.urn, preview, err)
		}
		if !preview {
			r.inputs, r.outputs = checked.GetInputs(), updated.GetProperties()
		}
	}
	return r, nil
}

// read refreshes a resource, which is there.
func (s serving) read(ctx context.Context, r managed) (managed, error) {
	read, err := s.Read(ctx, &pulumirpc.ReadRequest{Id: r.id, Urn: r.urn, Properties: r.outputs, Inputs: r.inputs})
	if err != nil || read.GetId() == "" {
		return r, fmt.Errorf("read of %s: %w %q", r.urn, err, read.GetId())
	}
	r.inputs, r.outputs = read.GetInputs(), read.GetProperties()
	return r, nil
}

func (s serving) remove(ctx context.Context, r managed) error {
	if _, err := s.Delete(ctx, &pulumirpc.DeleteRequest{Id: r.id, Urn: r.urn, Properties: r.outputs, OldInputs: r.inputs}); err != nil {
		return fmt.Errorf("delete of %s: %w", r.urn, err)
	}
	return nil
}

func (s serving) invoke(ctx context.Context, function string, args m) error {
	inputs, err := message(args)
	if err != nil {
		return err
	}
	answer, err := s.Invoke(ctx, &pulumirpc.InvokeRequest{Tok: "k8sconnect:index:" + function, Args: inputs})
	if err != nil || len(answer.GetFailures()) > 0 {
		return fmt.Errorf("%s: %w %v", function, err, answer.GetFailures())
	}
	return nil
}

func (s serving) configMap(name, color string) m {
	return m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": name, "namespace": s.namespace}, "data": m{"color": color}}
}

func (s serving) referenceTo(name string) m {
	return m{"apiVersion": "v1", "kind": "ConfigMap", "name": name, "namespace": s.namespace}
}

// live is the life of one object with all that refers to it. Every second one names the provider's connection again.
func (s serving) live(ctx context.Context, i int) error {
	name := fmt.Sprintf("o%d", i)
	options := func(inputs m) m {
		if i%2 == 1 {
			inputs["clusterConnection"] = s.connection
		}
		return inputs
	}
	object, err := s.create(ctx, "KubeObject", name, options(m{"manifest": s.configMap(name, "red")}))
	if err != nil {
		return err
	}
	wait, err := s.create(ctx, "Wait", name, options(m{"resourceRef": s.referenceTo(name), "waitFor": m{"field": "data.color"}}))
	if err != nil {
		return err
	}
	patch, err := s.create(ctx, "Patch", name, options(m{
		"target": s.referenceTo(fmt.Sprintf("t%d", i%targets)), "takeOwnership": true, "onDestroy": "remove", "patch": fmt.Sprintf(`{"data": {"k%d": "a"}}`, i),
	}))
	if err != nil {
		return err
	}
	if err := s.invoke(ctx, "getObject", options(s.referenceTo(name))); err != nil {
		return err
	}
	if err := s.invoke(ctx, "splitYaml", m{"content": "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + "}}"}); err != nil {
		return err
	}
	if object, err = s.change(ctx, object, options(m{"manifest": s.configMap(name, "blue")})); err != nil {
		return err
	}
	if object, err = s.read(ctx, object); err != nil {
		return err
	}
	if patch, err = s.read(ctx, patch); err != nil {
		return err
	}
	if i%3 == 0 {
		return nil
	}
	for _, r := range []managed{wait, patch, object} {
		if err := s.remove(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

func TestCallsOfAllKindsAtOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, shared.Get(t).Namespace(t))
	client := shared.Get(t).Client().CoreV1().ConfigMaps(s.namespace)
	for i := range targets {
		_, err := client.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("t%d", i)}}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	var all errgroup.Group
	all.SetLimit(workers)
	for i := range objects {
		all.Go(func() error { return s.live(t.Context(), i) })
	}
	require.NoError(t, all.Wait())

	left, err := client.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	made, patched := 0, 0
	for _, live := range left.Items {
		switch {
		case live.Name[0] == 'o':
			made++
			assert.Equal(t, map[string]string{"color": "blue"}, live.Data, live.Name)
		case live.Name[0] == 't':
			patched += len(live.Data)
		}
	}
	assert.Equal(t, objects/3, made)
	assert.Equal(t, objects/3, patched)
}

// Waits that last are cancelled while others begin.
func TestACancelEndsEveryWait(t *testing.T) {
	t.Parallel()
	s := serve(t, shared.Get(t).Namespace(t))
	_, err := s.create(t.Context(), "KubeObject", "it", m{"manifest": s.configMap("it", "red")})
	require.NoError(t, err)
	ended := make(chan error, workers)
	for i := range workers {
		go func() {
			_, err := s.create(context.WithoutCancel(t.Context()), "Wait", fmt.Sprint(i), m{
				"resourceRef": s.referenceTo("it"), "waitFor": m{"field": "data.missing", "timeout": "5m"},
			})
			ended <- err
		}()
		if i == workers/2 {
			_, err := s.Cancel(t.Context(), nil)
			require.NoError(t, err)
		}
	}
	for range workers {
		assert.ErrorContains(t, <-ended, "[Interrupted]")
	}
}
