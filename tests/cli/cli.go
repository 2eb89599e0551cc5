// Package cli has the real Pulumi CLI run in folders of its own: nothing of the user's own Pulumi is
// read or changed, and the plugins are built from the source that is tested.
package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// StackName is the name of the one stack of every project.
const StackName = "test"

// Module is the path of the packages that are built.
const Module = "github.com/k8sconnect/pulumi-k8sconnect"

// Tools are what the commands of a run share.
type Tools struct {
	Pulumi  string // path of the CLI
	Plugins string // folder of the plugins that were built
	Path    string // PATH with the plugins and the language host
	Home    string // PULUMI_HOME and HOME
	Vault   string // URL of what keeps the keys of the stacks
}

// Prepare finds the CLI and its language host and builds resource plugins, by name and package, into
// an existing folder. The caller removes it.
func Prepare(dir string, plugins map[string]string) (Tools, error) {
	pulumi, err := cluster.Tool("pulumi")
	if err != nil {
		return Tools{}, err
	}
	language, err := cluster.Tool("pulumi-language-yaml")
	if err != nil {
		return Tools{}, err
	}
	keeper, err := VaultURL()
	if err != nil {
		return Tools{}, err
	}
	built := filepath.Join(dir, "plugins")
	t := Tools{
		Pulumi:  pulumi,
		Plugins: built,
		Path:    strings.Join([]string{built, filepath.Dir(language), os.Getenv("PATH")}, string(os.PathListSeparator)),
		Home:    filepath.Join(dir, "home"),
		Vault:   keeper,
	}
	for _, folder := range []string{t.Home, built} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return Tools{}, err
		}
	}
	for name, source := range plugins {
		// As a release is built, and as "make build" does, with whom it shares what is compiled.
		build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(built, "pulumi-resource-"+name), source)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return Tools{}, fmt.Errorf("building the plugin %s: %w\n%s", name, err, out)
		}
	}
	return t, nil
}

// Environment is the whole environment of the commands on one project: where its states are, and the
// kubeconfig that the provider finds.
func (t Tools) Environment(backend, kubeconfig string) map[string]string {
	return map[string]string{
		"PATH":                     t.Path,
		"HOME":                     t.Home,
		"TMPDIR":                   os.TempDir(),
		"KUBECONFIG":               kubeconfig,
		"PULUMI_HOME":              t.Home,
		"PULUMI_BACKEND_URL":       "file://" + filepath.ToSlash(backend),
		"VAULT_SERVER_URL":         t.Vault,
		"PULUMI_SKIP_UPDATE_CHECK": "true",
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
		// Of stacks that are made.
		"PULUMI_OPTION_SECRETS_PROVIDER": "hashivault://tests",
	}
}

// Command is a command that is not yet run, in the folder of a project. It ends with the context.
func (t Tools) Command(ctx context.Context, dir string, environment map[string]string, args ...string) *exec.Cmd {
	// In front, since what follows -- is for a converter.
	cmd := exec.CommandContext(ctx, t.Pulumi, append([]string{"--non-interactive", "--color=never"}, args...)...)
	cmd.Dir = dir
	for key, value := range environment {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	// The plugins hold the pipes too; one that outlives the CLI must not block us.
	cmd.WaitDelay = 10 * time.Second
	return cmd
}
