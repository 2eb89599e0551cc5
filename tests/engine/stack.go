package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/backend"
	"github.com/pulumi/pulumi/pkg/v3/backend/diy"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/pkg/v3/secrets/cloud"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"google.golang.org/grpc"
)

// Stack is a project with one stack.
type Stack struct {
	// Name is that of the stack, Dir the folder of the project, and Backend the one of the states.
	Name, Dir, Backend string
	// SecretsProvider is the URL of what keeps the stack's key: see [Keeper].
	SecretsProvider string

	// Environment, if set, has the provider work in another process than this: in the project's folder, and with these variables
	// before those of this process.
	Environment map[string]string
	// Plugin, if set, is the path of a plugin that is started instead.
	Plugin string

	mu        sync.Mutex
	program   Program
	provide   func(*plugin.Context) (plugin.Provider, error) // instead of a new one
	intercept grpc.UnaryServerInterceptor
}

// NewStack makes the folders of a stack. The project comes with the program: see [Stack.Run] and [Stack.WriteProject].
func NewStack(t testing.TB, name string) *Stack {
	t.Helper()
	return &Stack{Name: name, Dir: t.TempDir(), Backend: t.TempDir(), SecretsProvider: Keeper}
}

// WriteProject writes the project file, which is also the program if the runtime is yaml.
func (s *Stack) WriteProject(text string) error {
	return os.WriteFile(s.projectFile(), []byte(text), 0o600)
}

// Run has a Go function as the program of a project of this name. nil means what the project file says.
func (s *Stack) Run(project string, program Program) error {
	s.mu.Lock()
	s.program = program
	s.mu.Unlock()
	return s.WriteProject(fmt.Sprintf("name: %s\nruntime: %s\n", project, goRuntime))
}

// Intercept has a function stand between the engine and the provider in this process, in all operations that start later.
func (s *Stack) Intercept(between grpc.UnaryServerInterceptor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.intercept = between
}

func (s *Stack) projectFile() string { return filepath.Join(s.Dir, "Pulumi.yaml") }

func (s *Stack) configFile() string { return filepath.Join(s.Dir, "Pulumi."+s.Name+".yaml") }

// StateFile is the file of the state of a project's stack in the backend.
func (s *Stack) StateFile(project string) string {
	return filepath.Join(s.Backend, ".pulumi", "stacks", project, s.Name+".json")
}

// URL is that of the backend.
func (s *Stack) URL() string { return "file://" + filepath.ToSlash(s.Backend) }

// opened is what an operation works on.
type opened struct {
	project *workspace.Project
	stack   backend.Stack
	config  *workspace.ProjectStack
	secrets secrets.Manager
	backend diy.Backend
}

// open reads project, configuration and stack, as each command does anew. A stack that is not there is made.
func (s *Stack) open(ctx context.Context, out *output) (opened, error) {
	project, err := workspace.LoadProject(s.projectFile())
	if err != nil {
		return opened{}, err
	}
	sink := out.sink()
	states, err := diy.New(ctx, sink, s.URL(), project)
	if err != nil {
		return opened{}, err
	}
	reference, err := states.ParseStackReference(s.Name)
	if err != nil {
		return opened{}, err
	}
	stack, err := states.GetStack(ctx, reference)
	if err != nil {
		return opened{}, err
	}
	config, err := workspace.LoadProjectStack(sink, project, s.configFile())
	if err != nil {
		return opened{}, err
	}
	if stack == nil {
		if config.SecretsProvider == "" {
			config.SecretsProvider = s.SecretsProvider
		}
		if stack, err = states.CreateStack(ctx, reference, s.Dir, nil, nil); err != nil {
			return opened{}, err
		}
	}
	key := config.EncryptedKey
	manager, err := cloud.NewCloudSecretsManager(config, config.SecretsProvider, false)
	if err != nil {
		return opened{}, fmt.Errorf("secrets of stack %s: %w", s.Name, err)
	}
	if config.EncryptedKey != key {
		if err := config.Save(s.configFile()); err != nil {
			return opened{}, err
		}
	}
	return opened{project, stack, config, manager, states}, nil
}

// Init makes the stack, as "pulumi stack init" does.
func (s *Stack) Init(ctx context.Context) error {
	_, err := s.open(ctx, &output{})
	return err
}
