// Package languagehost plays the part of Pulumi's hosts for Go, Node.js and Python, which come with a released Pulumi CLI alone: there is no
// module to build them from. So programs in these languages run where no Pulumi is installed.
//
// What it does is ours, and no more than this: it starts the user's plain program as Pulumi's own host would. The CLI, the project, the package
// and the runtime of the language in it are the real ones.
package languagehost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Host is the host of a language: go, nodejs or python.
type Host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer

	Language string
	// Engine is the address of the engine.
	Engine string
}

// Serve is a language host, until the CLI that has started this program is through with it. Server is what is served: a Host, or what extends
// one.
func Serve(language string, server func(Host) pulumirpc.LanguageRuntimeServer) error {
	h := Host{Language: language, Engine: os.Args[len(os.Args)-1]}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	gone := make(chan bool)
	if err := rpcutil.Healthcheck(ctx, h.Engine, 5*time.Minute, func() { close(gone) }); err != nil {
		return err
	}
	served, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Cancel: gone,
		Init: func(s *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(s, server(h))
			return nil
		},
	})
	if err != nil {
		return err
	}
	fmt.Println(served.Port)
	return <-served.Done
}

// GetPluginInfo says that it is no release.
func (Host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: "0.0.0"}, nil
}

// GetRequiredPackages names none: the CLI would only install them earlier than when the program asks for them.
func (Host) GetRequiredPackages(
	context.Context, *pulumirpc.GetRequiredPackagesRequest,
) (*pulumirpc.GetRequiredPackagesResponse, error) {
	return &pulumirpc.GetRequiredPackagesResponse{}, nil
}

// Run runs the program. That it fails is not an error of the host.
func (h Host) Run(ctx context.Context, request *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	if request.Config == nil {
		request.Config = map[string]string{} // not null
	}
	config, err := json.Marshal(request.Config)
	if err != nil {
		return nil, err
	}
	secretKeys, err := json.Marshal(request.ConfigSecretKeys)
	if err != nil {
		return nil, err
	}
	command, err := h.command(ctx, request)
	if err != nil {
		return &pulumirpc.RunResponse{Error: err.Error()}, nil
	}
	command.Dir = request.Info.ProgramDirectory
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	command.Env = append(os.Environ(), append(command.Env,
		"PULUMI_CONFIG="+string(config), "PULUMI_CONFIG_SECRET_KEYS="+string(secretKeys))...)
	if err := command.Run(); err != nil {
		return &pulumirpc.RunResponse{Error: fmt.Sprintf("the program: %v", err)}, nil
	}
	return &pulumirpc.RunResponse{}, nil
}

// command is how the language starts a program, with what it needs to know of the run.
func (h Host) command(ctx context.Context, request *pulumirpc.RunRequest) (*exec.Cmd, error) {
	info, parallel, dryRun := request.Info, strconv.Itoa(int(request.Parallel)), strconv.FormatBool(request.DryRun)
	switch h.Language {
	case "go":
		binary := filepath.Join(info.ProgramDirectory, "bin", "program")
		build := exec.CommandContext(ctx, "go", "build", "-o", binary, info.EntryPoint)
		build.Dir = info.ProgramDirectory
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go build: %w\n%s", err, out)
		}
		command := exec.CommandContext(ctx, binary, request.Args...)
		command.Env = []string{
			"PULUMI_ORGANIZATION=" + request.Organization, "PULUMI_PROJECT=" + request.Project, "PULUMI_STACK=" + request.Stack,
			"PULUMI_ROOT_DIRECTORY=" + info.RootDirectory, "PULUMI_PARALLEL=" + parallel, "PULUMI_DRY_RUN=" + dryRun,
			"PULUMI_MONITOR=" + request.MonitorAddress, "PULUMI_ENGINE=" + h.Engine,
		}
		return command, nil

	case "nodejs":
		run, err := NodeModule(ctx, info, "@pulumi/pulumi/cmd/run")
		if err != nil {
			return nil, err
		}
		args := []string{
			run, "--organization", request.Organization, "--project", request.Project, "--stack", request.Stack,
			"--root-directory", info.RootDirectory, "--pwd", info.ProgramDirectory, "--parallel", parallel,
			"--monitor", request.MonitorAddress, "--engine", h.Engine,
		}
		if request.DryRun {
			args = append(args, "--dry-run")
		}
		command := exec.CommandContext(ctx, "node", append(append(args, info.EntryPoint), request.Args...)...)
		command.Env = []string{"PULUMI_NODEJS_TYPESCRIPT=true"}
		return command, nil

	case "python":
		python, err := PythonOf(info)
		if err != nil {
			return nil, err
		}
		return exec.CommandContext(ctx, python, append([]string{
			"-c", pythonHost, request.Organization, request.Project, request.Stack, info.RootDirectory, parallel, dryRun,
			request.MonitorAddress, h.Engine, info.EntryPoint,
		}, request.Args...)...), nil
	}
	return nil, fmt.Errorf("no host for %s", h.Language)
}

// NodeModule is the file of a module that the project has.
func NodeModule(ctx context.Context, info *pulumirpc.ProgramInfo, name string) (string, error) {
	locate := exec.CommandContext(ctx, "node", "-p", fmt.Sprintf("require.resolve(%q)", name))
	locate.Dir = info.ProgramDirectory
	file, err := locate.Output()
	if err != nil {
		return "", fmt.Errorf("the project has no @pulumi/pulumi: %w", err)
	}
	return strings.TrimSpace(string(file)), nil
}

// PythonOf is the interpreter of the project.
func PythonOf(info *pulumirpc.ProgramInfo) (string, error) {
	environment := info.Options.GetFields()["virtualenv"].GetStringValue()
	if environment == "" {
		return "", errors.New("the project names no virtualenv")
	}
	return filepath.Join(info.RootDirectory, environment, "bin", "python"), nil
}

// pythonHost does what Pulumi's own host for Python has a script for: the package of the language has none.
const pythonHost = `
import asyncio, runpy, sys
from pulumi import runtime

_, organization, project, stack, root, parallel, dry_run, monitor, engine, program, *_ = sys.argv
runtime.set_all_config(runtime.get_config_env(), runtime.get_config_secret_keys_env())
runtime.configure(runtime.Settings(
    organization=organization, project=project, stack=stack, root_directory=root, parallel=int(parallel),
    dry_run=dry_run == "true", monitor=monitor, engine=engine))
sys.argv = sys.argv[9:]
asyncio.run(runtime.run_in_stack(lambda: runpy.run_path(program, run_name="__main__")))
`
