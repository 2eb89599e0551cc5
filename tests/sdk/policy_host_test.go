package sdk_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/languagehost"
)

// RunPlugin runs a policy pack, which is the only kind of plugin that the tests have in a language, until the engine needs it no more.
func (h host) RunPlugin(request *pulumirpc.RunPluginRequest, engine pulumirpc.LanguageRuntime_RunPluginServer) error {
	command, err := h.policyPack(engine.Context(), request)
	if err != nil {
		return err
	}
	to := &pluginOutput{engine: engine}
	command.Dir, command.Env = request.Info.ProgramDirectory, append(os.Environ(), request.Env...)
	command.Stdout, command.Stderr = writer(to.stdout), writer(to.stderr)
	if err := command.Run(); err != nil && engine.Context().Err() == nil {
		return fmt.Errorf("the policy pack: %w", err)
	}
	return nil
}

// policyPack is how the language starts a policy pack.
func (h host) policyPack(ctx context.Context, request *pulumirpc.RunPluginRequest) (*exec.Cmd, error) {
	info := request.Info
	args := append(slices.Clone(request.Args), info.ProgramDirectory) // the first one is the address of the engine
	switch {
	case request.Kind != "analyzer":
	case h.Language == "nodejs":
		run, err := languagehost.NodeModule(ctx, info, "@pulumi/pulumi/cmd/run-policy-pack")
		if err != nil {
			return nil, err
		}
		return exec.CommandContext(ctx, "node", append([]string{run}, args...)...), nil
	case h.Language == "python":
		python, err := languagehost.PythonOf(info)
		if err != nil {
			return nil, err
		}
		return exec.CommandContext(ctx, python, append([]string{"-u", "-m", "pulumi.policy"}, args...)...), nil
	}
	return nil, fmt.Errorf("no host for a plugin of kind %q in %s", request.Kind, h.Language)
}

// pluginOutput hands the engine what a plugin prints. One message is sent at a time.
type pluginOutput struct {
	mu     sync.Mutex
	engine pulumirpc.LanguageRuntime_RunPluginServer
}

func (o *pluginOutput) stdout(text []byte) error {
	return o.send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Stdout{Stdout: text}})
}

func (o *pluginOutput) stderr(text []byte) error {
	return o.send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Stderr{Stderr: text}})
}

func (o *pluginOutput) send(response *pulumirpc.RunPluginResponse) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.engine.Send(response)
}

type writer func(text []byte) error

func (w writer) Write(text []byte) (int, error) { return len(text), w(text) }
