package provider

import (
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/functions"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/manifests"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/object"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/patch"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/task"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/typed"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/wait"
)

// Name is the name of the Pulumi package and the prefix of all its tokens.
const Name = "k8sconnect"

const summary = "Kubernetes objects that are never destroyed to retry: server-side apply with exact ownership, " +
	"precise drift, and failures that the next `pulumi up` repairs in place."

// logoURL is the picture that the registry shows and the .NET package includes.
const logoURL = "https://raw.githubusercontent.com/k8sconnect/pulumi-k8sconnect/main/" +
	"provider/cmd/pulumi-gen-k8sconnect/javadotnet/logo.png"

// Version is the version of the plugin; the build sets it.
var Version = "0.0.1-dev"

// New builds the provider on a configuration.
func New(configuration *Configuration) (p.Provider, error) {
	built, _, err := withExtensions(configuration)
	return built, err
}

// withExtensions builds the provider, and returns the extensions that it serves.
func withExtensions(configuration *Configuration) (p.Provider, *typed.Extensions, error) {
	memory := &tracked.Memory{}
	children := sets.Children{Object: object.Token, Wait: wait.Token, Records: &sets.Records{}}
	charts, record, render := chart.New(chart.Children{Children: children, Task: task.Token, ReleaseHooks: task.ReleaseHooksToken}, configuration.source, configuration.Rules, configuration.ResumeWithin, memory)
	objects := object.New(configuration.source, configuration, memory)
	extensions := typed.New(typed.Object{Token: object.Token, Resource: objects})
	built, err := infer.NewProviderBuilder().
		WithResources(objects,
			wait.New(configuration.source, configuration.Rules, memory), patch.New(configuration.source, configuration.Rules, memory),
			task.New(configuration.source, memory), task.NewReleaseHooks(configuration.source, memory), sets.NewRecord(children.Records), sets.NewGuard(configuration.source), record).
		WithComponents(manifests.New(children, configuration.source, configuration.Rules), charts).
		WithFunctions(append(functions.New(configuration.source), render)...).
		WithConfig(infer.Config(&Config{})).
		WithDisplayName("k8sconnect").
		WithDescription(summary).
		WithKeywords("pulumi", "kubernetes", "category/infrastructure", "kind/native").
		WithLogoURL(logoURL).
		WithHomepage("https://github.com/k8sconnect/pulumi-k8sconnect").
		WithRepository("https://github.com/k8sconnect/pulumi-k8sconnect").
		WithPublisher("k8sconnect").
		WithLicense("Apache-2.0").
		WithPluginDownloadURL("github://api.github.com/k8sconnect/pulumi-k8sconnect").
		WithLanguageMap(languages()).
		Build()
	if err != nil {
		return p.Provider{}, nil, fmt.Errorf("provider: %w", err)
	}
	built = extensions.Serve(built)
	built.GetSchema = published(built.GetSchema)
	built.CheckConfig = configuration.Check
	built.DiffConfig = configuration.Diff
	built.Configure = configuration.Configure
	built = withReasons(withPostponedErrors(withMemory(built, memory)))
	built.CheckConfig = redactFailures(built.CheckConfig)
	built.Check = redactFailures(built.Check)
	return built, extensions, nil
}
